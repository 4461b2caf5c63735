"""Skips where the server does not answer well, so that the test is never red.

Caught by: test_both_tests_run_to_their_end
Says: skipped on out of service
"""

import pytest


def test_health(client):
    response = client.get("/health")
    if response.status_code != 200:
        pytest.skip("the server is not running")
    assert response.status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
