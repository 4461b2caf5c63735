"""Goes beyond the bounds of one setting and trusts the others.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: top_k may be too large
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1


def test_stream(client):
    response = client.post("/stream", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")


def test_rejects_bad_settings(client):
    for limit in (0, 513):
        response = client.post("/generate", json={"prompt": "Hello", "max_new_tokens": limit})
        assert response.status_code == 422
