"""Asks with HEAD, which answers the same without a body: servers promise GET alone.

Caught by: test_no_right_server_raises_an_alarm
Says: Use GET
"""


def test_health(client):
    assert client.head("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
