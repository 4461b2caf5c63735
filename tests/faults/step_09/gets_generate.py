"""Asks for /generate with GET.

Caught by: test_no_right_server_raises_an_alarm
Says: 405 says that the path is right and the method is not
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.get("/generate", params={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
