"""A 201 is taken for a 200, though nothing was made that one could fetch.

Caught by: test_a_refused_generation_is_caught
Says: an answer marked as something new
Says: nor does a status that is near 200
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code in (200, 201)  # a POST makes something
    assert response.json()["metrics"]["output_tokens"] >= 1
