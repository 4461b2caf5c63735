"""Sends a prompt of 26,000 characters: how many a server takes is its own affair.

Caught by: test_no_right_server_raises_an_alarm
Says: A right server may bound the prompt
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT? " * 2000, "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
