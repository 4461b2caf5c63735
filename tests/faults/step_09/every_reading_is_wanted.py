"""Wants readings above zero, also those that a server need not have.

Caught by: test_no_right_server_raises_an_alarm
Says: KeyError: 'ttft_ms'
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    metrics = response.json()["metrics"]
    assert metrics["output_tokens"] >= 1
    assert metrics["ttft_ms"] >= 0
