"""`map` is asked for the checks, and nobody asks `map`.

Caught by: test_a_refused_generation_is_caught
Says: calls nothing before somebody takes its items
"""

from fastapi.testclient import TestClient


def check(response) -> None:
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    prompts = ["Hi", "What is TTFT?"]
    responses = [client.post("/generate", json={"prompt": p, "max_new_tokens": 4}) for p in prompts]
    map(check, responses)
