"""Several prompts, several settings, and assertions by way of exceptions."""

import pytest


def test_health(client):
    if client.get("/health").status_code != 200:
        raise RuntimeError("the server is not well")


@pytest.mark.parametrize("prompt", ["Say hello.", "Sag hallo, 世界!", " \nleading space\n", "x" * 500])
@pytest.mark.parametrize("settings", [{}, {"max_new_tokens": 512}, {"temperature": 2, "top_k": 1}])
def test_generate(client, prompt, settings):
    response = client.post("/generate", json={"prompt": prompt, **settings})
    response.raise_for_status()
    if response.status_code != 200:
        pytest.fail("the status is some other success")
    match response.json():
        case {"text": str(), "metrics": {"output_tokens": int(count)}} if count >= 1:
            pass
        case other:
            pytest.fail(f"no answer: {other}")
