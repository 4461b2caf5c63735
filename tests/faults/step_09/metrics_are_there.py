"""Looks whether there are metrics, not at what they say.

Caught by: test_an_answer_without_metrics_is_caught, test_a_wrong_count_of_tokens_is_caught
Says: the metrics are nothing
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert "metrics" in response.json()
