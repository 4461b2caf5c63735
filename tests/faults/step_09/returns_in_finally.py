"""`return` in `finally` ends the test well, whatever was raised.

Caught by: test_a_refused_generation_is_caught
Says: throws the failed assert away
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    try:
        response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 4})
        assert response.status_code == 200
        assert response.json()["metrics"]["output_tokens"] >= 1
    finally:
        client.close()
        return
