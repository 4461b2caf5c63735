"""Turns the count into a number before it looks: a text is then as good.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: `int(…)` makes a number of a text
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert int(response.json()["metrics"]["output_tokens"]) >= 1
