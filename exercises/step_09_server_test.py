"""Step 9: test the server. pytest hands each test a `client`: a `TestClient` of a fresh app that has started."""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    """`GET /health` answers 200, whatever words it uses."""
    # TODO 9: ask for /health and look at the status (about 2 lines)
    raise NotImplementedError("TODO 9: ask for /health and look at the status")


def test_generate(client: TestClient) -> None:
    """`POST /generate` answers 200, and its metrics count at least one output token."""
    # TODO 9: post a short prompt with max_new_tokens, look at the status and at the count (about 3 lines)
    raise NotImplementedError("TODO 9: post a short prompt with max_new_tokens, look at the status and at the count")


def test_stream(client: TestClient) -> None:
    """Stretch: `POST /stream` answers 200, as plain text."""
    # TODO 9: post to /stream, look at the status and at the content type (about 3 lines)
    raise NotImplementedError("TODO 9: post to /stream, look at the status and at the content type")


def test_rejects_bad_settings(client: TestClient) -> None:
    """Stretch: `POST /generate` answers 422 to a setting just beyond either of its bounds."""
    # TODO 9: post settings beyond each bound, one at a time, look at the status (about 6 lines)
    raise NotImplementedError("TODO 9: post settings beyond each bound, one at a time, look at the status")
