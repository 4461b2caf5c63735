"""Puts the asserts into a function that nobody calls.

Caught by: test_a_refused_generation_is_caught
Says: nobody calls `check`
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})

    def check() -> None:
        assert response.status_code == 200
        assert response.json()["metrics"]["output_tokens"] >= 1
