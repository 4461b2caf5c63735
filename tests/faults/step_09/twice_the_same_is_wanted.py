"""Asks twice and wants the same text.

Caught by: test_no_right_server_raises_an_alarm
Says: it gives another answer each time
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    body = {"prompt": "Say hello.", "max_new_tokens": 4}
    first, second = client.post("/generate", json=body), client.post("/generate", json=body)
    assert first.status_code == second.status_code == 200
    assert first.json()["metrics"]["output_tokens"] >= 1
    assert first.json()["text"] == second.json()["text"]
