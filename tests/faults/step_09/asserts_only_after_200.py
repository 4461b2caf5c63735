"""Looks at the count only after a 200, and says nothing about any other status.

Caught by: test_a_refused_generation_is_caught
Says: where this `if` does not hold, nothing is asserted
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    if response.status_code == 200:
        assert response.json()["metrics"]["output_tokens"] >= 1
