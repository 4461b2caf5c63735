"""Allows a 500 beside the 200, because the server has a bad day now and then.

Caught by: test_a_refused_generation_is_caught
Says: a status that means failure is allowed here
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code in (200, 500)
    if response.status_code == 200:
        assert response.json()["metrics"]["output_tokens"] >= 1
