"""Looks the count up with a default that is fine, so a missing one is fine too.

Caught by: test_a_wrong_count_of_tokens_is_caught, test_an_answer_without_metrics_is_caught
Says: nobody counted the output
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"].get("output_tokens", 1) >= 1
