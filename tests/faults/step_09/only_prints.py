"""Prints that the server is broken, and passes.

Caught by: test_a_refused_generation_is_caught
Says: printed or logged fails no test
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    if response.status_code != 200 or response.json()["metrics"]["output_tokens"] < 1:
        print("FAILED: /generate does not work")
