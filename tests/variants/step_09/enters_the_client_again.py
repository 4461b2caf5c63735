"""Enters the client once more, waits a while for the server, asserts in unittest's way, and knows the stream too."""

import time
from unittest import TestCase

case = TestCase()


def test_health(client):
    with client as entered:
        for _ in range(20):
            if entered.get("/health").status_code == 200:
                return
            time.sleep(0.5)
        raise AssertionError("not well after ten seconds")


def test_generate(client):
    with client:
        response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    case.assertEqual(response.status_code, 200)
    case.assertGreaterEqual(response.json()["metrics"]["output_tokens"], 1)


def test_stream(client):
    with client.stream("POST", "/stream", json={"prompt": "Say hello.", "max_new_tokens": 4}) as response:
        text = "".join(response.iter_text())
    case.assertEqual(response.status_code, 200)
    case.assertEqual(response.headers["content-type"].split(";")[0], "text/plain")
    case.assertIsInstance(text, str)


def test_rejects_bad_settings(client):
    for name, values in {"max_new_tokens": (0, 513, -1), "temperature": (-0.1, 2.5), "top_k": (0, 101)}.items():
        for value in values:
            with case.subTest(name=name, value=value):
                response = client.post("/generate", json={"prompt": "Say hello.", name: value})
                case.assertEqual(response.status_code, 422)
