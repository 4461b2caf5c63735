"""Wants the bare application/json, and calls a charset behind it an error.

Caught by: test_no_right_server_raises_an_alarm
Says: It asks for more than the contract says
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["metrics"]["output_tokens"] >= 1
