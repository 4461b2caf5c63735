"""Gives the class of its tests an `__init__`, so pytest leaves it out.

Caught by: test_both_tests_are_there_and_use_the_client
Says: which has an `__init__`
"""

from fastapi.testclient import TestClient


class TestServer:
    def __init__(self) -> None:
        self.path = "/health"

    def test_health(self, client: TestClient) -> None:
        assert client.get(self.path).status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
