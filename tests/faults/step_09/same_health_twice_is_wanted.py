"""Wants the same words of two looks at the health: one may count them.

Caught by: test_no_right_server_raises_an_alarm
Says: it gives another answer each time
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    first, second = client.get("/health"), client.get("/health")
    assert first.status_code == 200
    assert first.content == second.content


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
