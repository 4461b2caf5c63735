"""Wants a value at its bound refused, where only those beyond it are.

Caught by: test_a_server_that_refuses_rightly_raises_no_alarm
Says: a value at its bound is fine
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client):
    response = client.post("/stream", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client):
    for bad in ({"max_new_tokens": 0}, {"max_new_tokens": 512}, {"temperature": 2}, {"top_k": 100}):
        assert client.post("/generate", json={"prompt": "Hello", **bad}).status_code == 422
