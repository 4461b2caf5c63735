"""Imports its own server, for a test of its own beside the two, and one that is not about the contract at all."""

from fastapi.testclient import TestClient

from .step_08_server import create_app


class Silent:
    def generate(self, prompt, max_new_tokens=None, params=None):
        raise RuntimeError("never asked")

    stream = generate


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert (response.status_code, response.json()["metrics"]["output_tokens"] >= 1) == (200, True)


def test_my_own_health_needs_no_engine():
    with TestClient(create_app(Silent())) as mine:
        assert mine.get("/health").json() == {"status": "ok"}


def test_something_else():
    assert False, "not a test of the server, and nobody's business here"
