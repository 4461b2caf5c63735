"""Waits until the server is well, however long that takes.

Caught by: test_both_tests_run_to_their_end
Says: The test never came back
"""

import time


def test_health(client):
    while client.get("/health").status_code != 200:
        time.sleep(0.1)


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
