"""Asserts that the count is not None: so is a count of zero.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: text, zero and less are something too
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] is not None
