"""Suppresses the KeyError of a figure that is not there.

Caught by: test_an_answer_without_metrics_is_caught
Says: a KeyError is your alarm
"""

from contextlib import suppress


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    with suppress(KeyError):
        assert response.json()["metrics"]["output_tokens"] >= 1
