"""A 429 is let through, so that a busy server is no alarm.

Caught by: test_a_refused_generation_is_caught
Says: a status that means failure is allowed here
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code in (200, 429)
    if response.status_code == 200:
        assert response.json()["metrics"]["output_tokens"] >= 1
