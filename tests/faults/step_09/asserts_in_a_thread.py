"""The asserts stand in threads, where a failed one is printed and forgotten.

Caught by: test_a_refused_generation_is_caught
Says: ends the thread, and not the test
"""

from threading import Thread

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient) -> None:
    def check() -> None:
        response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 4})
        assert response.status_code == 200
        assert response.json()["metrics"]["output_tokens"] >= 1

    threads = [Thread(target=check) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
