"""Searches the body for the word error, which an answer may say as well.

Caught by: test_no_right_server_raises_an_alarm
Says: speaks of an error
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert "error" not in response.text.lower()
    assert response.json()["metrics"]["output_tokens"] >= 1
