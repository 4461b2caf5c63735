"""Takes every status below 300: an answer that is "accepted" is not yet one.

Caught by: test_a_refused_generation_is_caught
Says: other statuses than 200 pass here
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code < 300
    assert response.json()["metrics"]["output_tokens"] >= 1
