"""Builds an app and a client of its own, at the top of the file, and never starts it: it tests only itself.

Caught by: test_both_tests_are_there_and_use_the_client
Says: A test that makes its own client
Unnamed: a test that asks nobody fails alike
Source: starlette#1733
"""

from fastapi import FastAPI
from fastapi.testclient import TestClient

app = FastAPI()


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/generate")
def generate(request: dict):
    return {"text": "hello", "metrics": {"output_tokens": 1}}


own = TestClient(app)


def test_health():
    assert own.get("/health").status_code == 200


def test_generate():
    response = own.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
