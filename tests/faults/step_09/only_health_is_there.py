"""Writes the first test and forgets the second.

Caught by: test_both_tests_are_there_and_use_the_client
Says: has no attribute 'test_generate'
"""


def test_health(client):
    assert client.get("/health").status_code == 200
