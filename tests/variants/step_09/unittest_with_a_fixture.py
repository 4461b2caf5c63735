"""A `unittest.TestCase` whose client comes in through an autouse fixture."""

import unittest

import pytest


class TestServer(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def take(self, client):
        self.client = client

    def test_health(self):
        self.assertEqual(self.client.get("/health").status_code, 200)

    def test_generate(self):
        for limit in (1, 512):
            with self.subTest(limit=limit):
                response = self.client.post("/generate", json={"prompt": "Hello", "max_new_tokens": limit})
                self.assertEqual(response.status_code, 200)
                self.assertGreaterEqual(response.json()["metrics"]["output_tokens"], 1)
