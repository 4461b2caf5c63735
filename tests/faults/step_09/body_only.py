"""Looks at the count and not at the status, which may be one of failure.

Caught by: test_a_refused_generation_is_caught
Says: A good-looking body proves nothing under a status of failure
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.json()["metrics"]["output_tokens"] >= 1
