"""Marks the test as expected to fail: it is never red.

Caught by: test_both_tests_run_to_their_end
Says: A test that is expected to fail raises no alarm
"""

import pytest


@pytest.mark.xfail
def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
