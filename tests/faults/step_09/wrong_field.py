"""Names the limit as another API does: the request itself is refused.

Caught by: test_no_right_server_raises_an_alarm
Says: Extra inputs are not permitted
Source: vllm#4339
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
