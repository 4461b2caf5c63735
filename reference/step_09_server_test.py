"""Step 9: test the server. pytest hands each test a `client`: a `TestClient` of a fresh app that has started."""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    """`GET /health` answers 200, whatever words it uses."""
    # BEGIN SOLUTION: ask for /health and look at the status (about 2 lines)
    response = client.get("/health")
    assert response.status_code == 200
    # END SOLUTION


def test_generate(client: TestClient) -> None:
    """`POST /generate` answers 200, and its metrics count at least one output token."""
    # BEGIN SOLUTION: post a short prompt with max_new_tokens, look at the status and at the count (about 3 lines)
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
    # END SOLUTION


def test_stream(client: TestClient) -> None:
    """Stretch: `POST /stream` answers 200, as plain text."""
    # BEGIN SOLUTION: post to /stream, look at the status and at the content type (about 3 lines)
    response = client.post("/stream", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    # END SOLUTION


def test_rejects_bad_settings(client: TestClient) -> None:
    """Stretch: `POST /generate` answers 422 to a setting just beyond either of its bounds."""
    # BEGIN SOLUTION: post settings beyond each bound, one at a time, look at the status (about 6 lines)
    beyond = {"max_new_tokens": (0, 513), "temperature": (-0.1, 2.1), "top_k": (0, 101)}
    for setting, values in beyond.items():
        for value in values:
            response = client.post("/generate", json={"prompt": "Say hello.", setting: value})
            assert response.status_code == 422, (setting, value)
    # END SOLUTION
