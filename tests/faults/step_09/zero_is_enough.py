"""Compares with `>= 0`: a server that generates nothing passes.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: at least 1
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 0
