"""Asserts the count itself: less than nothing is true, and so is a text.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: less than nothing was generated
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"]
