"""Wants a 400 for a setting beyond its bounds, where the contract says 422.

Caught by: test_a_server_that_refuses_rightly_raises_no_alarm
Says: status for a setting beyond its bounds is 422
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
    for setting, values in {"max_new_tokens": (0, 513), "temperature": (-0.1, 2.1), "top_k": (0, 101)}.items():
        for value in values:
            response = client.post("/generate", json={"prompt": "Hello", setting: value})
            assert response.status_code == 400
