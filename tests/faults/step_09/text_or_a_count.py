"""Is content with a text or a count, so that an answer with a text is never asked for its count.

Caught by: test_an_answer_without_metrics_is_caught
Says: where one side of this `or` holds, the other is not looked at
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    body = response.json()
    assert body["text"] or body["metrics"]["output_tokens"] >= 1
