"""Looks the count up in the body itself: a right server has it in the metrics.

Caught by: test_no_right_server_raises_an_alarm
Says: the figures stand in `metrics`
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["output_tokens"] >= 1
