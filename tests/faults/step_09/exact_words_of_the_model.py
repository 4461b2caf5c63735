"""Wants the words of its own model.

Caught by: test_no_right_server_raises_an_alarm
Says: It wants exact words
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["text"] == "TTFT is the"
    assert response.json()["metrics"]["output_tokens"] >= 1
