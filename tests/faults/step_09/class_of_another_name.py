"""The test stands in a class that pytest does not look into.

Caught by: test_both_tests_are_there_and_use_the_client
Says: in classes whose names begin with `Test`
"""

from fastapi.testclient import TestClient


class HealthTests:
    def test_health(self, client: TestClient) -> None:
        assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
