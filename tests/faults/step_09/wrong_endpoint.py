"""Posts to a path that the contract does not have.

Caught by: test_no_right_server_raises_an_alarm
Says: 404 says that nothing lives at this path
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/v1/completions", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
