"""Allows a 400 beside the 422, since both refuse.

Caught by: test_a_server_that_takes_bad_settings_is_caught
Says: a status other than 422 is allowed here
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
            assert response.status_code in (400, 422)
