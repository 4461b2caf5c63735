"""Sends no JSON, but a form, say, or nothing, where the server reads JSON.

Caught by: test_no_right_server_raises_an_alarm
Says: was answered 422
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", data={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
