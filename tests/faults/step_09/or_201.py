"""Means "200 or 201" and writes `== 200 or 201`, which is true of everything.

Caught by: test_a_refused_generation_is_caught
Says: ends in `or 201`, which is always true
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200 or 201
    assert response.json()["metrics"]["output_tokens"] >= 1
