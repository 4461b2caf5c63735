"""Compares and forgets the word `assert`.

Caught by: test_a_server_without_health_is_caught
Says: a comparison without `assert` is worked out and thrown away
"""


def test_health(client):
    response = client.get("/health")
    response.status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
