"""An `or True` was left behind from a day when the test was red.

Caught by: test_a_refused_generation_is_caught
Says: ends in `or True`, which is always true
Source: PlasmaPy#1634
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200 or True
    assert response.json()["metrics"]["output_tokens"] >= 1 or True
