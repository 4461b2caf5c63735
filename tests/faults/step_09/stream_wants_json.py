"""Reads the stream as JSON, as if it were the other endpoint.

Caught by: test_a_right_stream_raises_no_alarm
Says: a stream is plain text
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
    assert response.json()["text"]


def test_rejects_bad_settings(client):
    for bad in ({"max_new_tokens": 0}, {"max_new_tokens": 513}, {"temperature": -1}, {"temperature": 3}):
        assert client.post("/generate", json={"prompt": "Hello", **bad}).status_code == 422
    for top_k in (0, 101):
        assert client.post("/generate", json={"prompt": "Hello", "top_k": top_k}).status_code == 422
