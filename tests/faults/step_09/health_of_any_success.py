"""Takes every success for health: a 204 is not the 200 that was agreed on.

Caught by: test_a_server_without_health_is_caught
Says: GET /health has nothing to say
"""


def test_health(client):
    assert client.get("/health").is_success


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
