"""Asserts the response itself, which is true whatever its status.

Caught by: test_a_server_without_health_is_caught
Says: `assert response` only says that there was an answer
"""


def test_health(client):
    response = client.get("/health")
    assert response


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response
    assert response.json()
