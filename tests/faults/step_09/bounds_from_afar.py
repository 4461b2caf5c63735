"""Goes far beyond the bounds, so that a bound which is off by one goes unseen.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: max_new_tokens may be one too small
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
    for setting, values in {"max_new_tokens": (-100, 100_000), "temperature": (-50, 50), "top_k": (-1, 10_000)}.items():
        for value in values:
            response = client.post("/generate", json={"prompt": "Hello", setting: value})
            assert response.status_code == 422
