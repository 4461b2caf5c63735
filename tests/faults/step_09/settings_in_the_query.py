"""Sends the settings in the query, where no server looks: it is refused for having no body.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: There is no JSON in this request
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client: TestClient) -> None:
    response = client.post("/stream", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client: TestClient) -> None:
    for name, values in {"max_new_tokens": (0, 513), "temperature": (-0.001, 2.001), "top_k": (0, 101)}.items():
        for value in values:
            assert client.post("/generate", params={"prompt": "Hi", name: value}).status_code == 422
