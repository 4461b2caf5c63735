"""Looks at the status of the generation and never at its body.

Caught by: test_an_answer_without_metrics_is_caught
Says: A status of 200 is a promise about the body
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
