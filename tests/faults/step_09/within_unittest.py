"""Writes methods of a `unittest.TestCase`, which gets no fixtures: nobody hands in a client.

Caught by: test_both_tests_are_there_and_use_the_client
Says: missing 1 required positional argument: 'client'
"""

import unittest


class TestServer(unittest.TestCase):
    def test_health(self, client):
        self.assertEqual(client.get("/health").status_code, 200)

    def test_generate(self, client):
        response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
        self.assertEqual(response.status_code, 200)
        self.assertGreaterEqual(response.json()["metrics"]["output_tokens"], 1)
