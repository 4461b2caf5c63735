"""Counts words of the text, where the contract counts tokens: an empty text may be one token.

Caught by: test_no_right_server_raises_an_alarm
Says: its model ends at once: no text, one token
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert len(response.json()["text"].split()) >= 1
