"""Writes the tests as coroutines, since the endpoints are: nobody awaits them.

Caught by: test_both_tests_run_to_their_end
Says: pytest calls a test and does not await it
"""


async def test_health(client):
    response = client.get("/health")
    assert response.status_code == 200


async def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
