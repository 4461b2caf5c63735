"""Wants a content length, which a body that is sent in chunks does not have.

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
    assert response.json()["metrics"]["output_tokens"] >= 1
    assert int(response.headers["content-length"]) > 0
