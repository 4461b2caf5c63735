"""Sends the bad settings to /stream, and never learns what /generate says.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: never sends a POST /generate
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client: TestClient) -> None:
    response = client.post("/stream", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client: TestClient) -> None:
    for name, value in [
        ("max_new_tokens", 0),
        ("max_new_tokens", 513),
        ("temperature", -0.01),
        ("temperature", 2.01),
        ("top_k", 0),
        ("top_k", 101),
    ]:
        response = client.post("/stream", json={"prompt": "Hi", name: value})
        assert response.status_code == 422, (name, value)
