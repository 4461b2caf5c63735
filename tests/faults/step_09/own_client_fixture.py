"""Lays a `client` fixture of its own over the one that is handed in.

Caught by: test_both_tests_are_there_and_use_the_client
Says: a client of its own
"""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient


@pytest.fixture
def client():
    app = FastAPI()
    app.get("/health")(lambda: {"status": "ok"})
    app.post("/generate")(lambda: {"text": "hello", "metrics": {"output_tokens": 1}})
    return TestClient(app)


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
