"""Wants each figure to be a number or text, though an engine may tell a list.

Caught by: test_no_right_server_raises_an_alarm
Says: its figures are lists as well
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    assert response.status_code == 200
    for name, value in response.json()["metrics"].items():
        assert value is None or isinstance(value, (int, float, str, bool)), name
    assert response.json()["metrics"]["output_tokens"] >= 1
