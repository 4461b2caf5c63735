"""Wants POST /health to be refused, which nobody has promised.

Caught by: test_no_right_server_raises_an_alarm
Says: It asks for more than the contract says
"""

import pytest
from fastapi.testclient import TestClient


def test_health(client):
    assert client.get("/health").status_code == 200
    assert client.post("/health").status_code == 405


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client: TestClient) -> None:
    response = client.post("/stream", json={"prompt": "Hi", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client: TestClient) -> None:
    for name, value in (
        ("max_new_tokens", 0),
        ("max_new_tokens", 513),
        ("temperature", -0.1),
        ("temperature", 2.1),
        ("top_k", 0),
        ("top_k", 101),
    ):
        response = client.post("/generate", json={"prompt": "Hi", name: value})
        assert response.status_code == 422, (name, value)
