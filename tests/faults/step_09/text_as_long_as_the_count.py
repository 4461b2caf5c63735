"""Compares the count with the text's length, though not every token is seen.

Caught by: test_no_right_server_raises_an_alarm
Says: its text is empty
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    body = response.json()
    assert body["metrics"]["output_tokens"] >= 1
    assert len(body["text"]) >= body["metrics"]["output_tokens"] - 1
