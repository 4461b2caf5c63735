"""A comma where `and` was meant: what stands behind it is only the assert's message.

Caught by: test_an_answer_without_metrics_is_caught
Says: the assert's message, and not looked at
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200, response.json()["metrics"]["output_tokens"] >= 1
