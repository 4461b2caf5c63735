"""Warns where it should fail.

Caught by: test_a_refused_generation_is_caught
Says: a warning fails no test
"""

import warnings

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    response = client.post("/generate", json={"prompt": "What is TTFT?", "max_new_tokens": 4})
    if response.status_code != 200:
        warnings.warn(f"/generate answered {response.status_code}")
        return
    if response.json()["metrics"]["output_tokens"] < 1:
        warnings.warn("no tokens")
