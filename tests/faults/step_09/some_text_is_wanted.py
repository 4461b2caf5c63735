"""Wants some text: a model may end at once, and then one token is all there is.

Caught by: test_no_right_server_raises_an_alarm
Says: its model ends at once: no text, one token
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["text"]
    assert response.json()["metrics"]["output_tokens"] >= 1
