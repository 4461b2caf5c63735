"""Has two tests of one name, of which only the second is run.

Caught by: test_a_refused_generation_is_caught
Says: replaces the first
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_generate(client: TestClient) -> None:  # noqa: F811
    response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 1})
    assert isinstance(response.json()["text"], str)
