"""Brackets around the comparison: a list with something in it is true.

Caught by: test_a_refused_generation_is_caught
Says: a list with something in it is true
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert [response.status_code == 200]
    assert response.json()["metrics"]["output_tokens"] >= 1
