"""Takes any 4xx for the refusal of bad settings, a 404 too: only 422 says which field is wrong.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: other statuses than 422 pass here
"""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    assert client.get("/health").status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client: TestClient) -> None:
    response = client.post("/stream", json={"prompt": "Hi", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client: TestClient) -> None:
    for name, value in [
        ("max_new_tokens", 0),
        ("max_new_tokens", 513),
        ("temperature", -0.1),
        ("temperature", 2.1),
        ("top_k", 0),
        ("top_k", 101),
    ]:
        assert 400 <= client.post("/generate", json={"prompt": "Hi", name: value}).status_code < 500
