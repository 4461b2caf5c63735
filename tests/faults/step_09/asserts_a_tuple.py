"""Parentheses around what is asserted and its message: a tuple, which is always true.

Caught by: test_a_server_without_health_is_caught
Says: an assert on a tuple always passes
Source: PlasmaPy#1634
"""


def test_health(client):
    response = client.get("/health")
    assert (response.status_code == 200, "the server is not well")


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
