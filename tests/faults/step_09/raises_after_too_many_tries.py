"""Tries three times, and would raise at the fourth.

Caught by: test_a_refused_generation_is_caught
Says: unless it comes to its `raise`
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    for attempt in range(3):
        try:
            response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
            assert response.status_code == 200
            assert response.json()["metrics"]["output_tokens"] >= 1
            break
        except Exception:
            if attempt == 3:
                raise
