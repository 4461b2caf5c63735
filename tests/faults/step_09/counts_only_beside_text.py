"""Looks at the count only where there is a text, so an empty text excuses a count of 0.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: where this `if` does not hold, nothing is asserted
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    body = response.json()
    if body["text"]:
        assert body["metrics"]["output_tokens"] >= 1
