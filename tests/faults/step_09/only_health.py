"""Asks /health in both tests: a server that is up is taken for one that generates.

Caught by: test_a_refused_generation_is_caught
Says: never sends a POST /generate
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.get("/health")
    assert response.status_code == 200
