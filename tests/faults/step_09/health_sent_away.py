"""Takes all that is no failure for health: a 302 sends the caller away.

Caught by: test_a_server_without_health_is_caught
Says: sends its callers away
"""


def test_health(client):
    assert client.get("/health").status_code in (200, 302)


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
