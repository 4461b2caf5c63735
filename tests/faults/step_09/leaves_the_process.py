"""Ends the whole process when it is done, with a status that says success.

Caught by: test_both_tests_run_to_their_end
Says: it ends the whole process
Unnamed: a test that never ends fails alike
"""

import os


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
    os._exit(0)
