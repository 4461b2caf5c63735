"""Yields in a test, as a fixture does: pytest does not take it for a test.

Caught by: test_both_tests_are_there_and_use_the_client
Says: no test of it runs
"""


def test_health(client):
    response = client.get("/health")
    yield response
    assert response.status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
