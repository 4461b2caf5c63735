"""A fixture that builds on the client, a helper that asserts, a constant for the request."""

import pytest

BODY = {"prompt": "Why is the sky blue?", "max_new_tokens": 8, "temperature": 0.7, "top_k": 40}


def good(response):
    assert response.status_code == 200, f"{response.request.url.path}: {response.status_code} {response.text}"
    return response


@pytest.fixture
def metrics(client):
    return good(client.post("/generate", json=BODY)).json()["metrics"]


def test_health(client):
    good(client.get("/health"))


def test_generate(metrics):
    count = metrics["output_tokens"]
    assert isinstance(count, int) and not isinstance(count, bool)
    assert 1 <= count <= BODY["max_new_tokens"]
