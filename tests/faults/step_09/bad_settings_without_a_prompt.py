"""Sends bad settings and no prompt: every server refuses that, for the prompt.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: The prompt is missing, so every server answers 422
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client):
    response = client.post("/stream", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client):
    for field, values in {"max_new_tokens": (0, 513), "temperature": (-0.1, 2.1), "top_k": (0, 101)}.items():
        for value in values:
            assert client.post("/generate", json={field: value}).status_code == 422
