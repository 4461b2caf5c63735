"""Step 9: test the server. pytest hands each test a `client`: Starlette's `TestClient` on a fresh app, lifespan running."""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    """`GET /health` answers 200, whatever words it uses."""
    # BEGIN SOLUTION: ask for /health and look at the status (about 2 lines)
    response = client.get("/health")
    assert response.status_code == 200
    # END SOLUTION


def test_generate(client: TestClient) -> None:
    """`POST /generate` answers 200, and its metrics count at least one output token."""
    # BEGIN SOLUTION: post a short prompt, look at the status and at the count of tokens (about 4 lines)
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
    # END SOLUTION


def test_stream(client: TestClient) -> None:
    """Stretch: `POST /stream` answers 200 in plain text, with what `/generate` says to the same request."""
    # BEGIN SOLUTION: post to /stream, look at status and content type (about 4 lines)
    response = client.post("/stream", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    # END SOLUTION


def test_rejects_bad_settings(client: TestClient) -> None:
    """Stretch: a setting beyond its bounds is a 422."""
    # BEGIN SOLUTION: post settings beyond their bounds, look at the status (about 3 lines)
    for bad in ({"max_new_tokens": 0}, {"temperature": -1}, {"top_k": 0}):
        response = client.post("/generate", json={"prompt": "Say hello.", **bad})
        assert response.status_code == 422, bad
    # END SOLUTION
