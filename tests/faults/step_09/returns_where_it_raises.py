"""Leaves the test where the request raises, as if that were none of its business.

Caught by: test_a_refused_generation_is_caught
Says: this `except` ends the test
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    try:
        response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    except Exception:
        return
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
