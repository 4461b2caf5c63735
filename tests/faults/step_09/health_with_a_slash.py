"""Asks for /health/ and leans on a redirect that not every server gives.

Caught by: test_no_right_server_raises_an_alarm
Says: the status of /health, at this very path
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health/").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
