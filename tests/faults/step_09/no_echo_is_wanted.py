"""Takes a text that repeats the prompt for an echo without a model.

Caught by: test_no_right_server_raises_an_alarm
Says: It asks for more than the contract says
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
    assert "What is TTFT?" not in response.text
