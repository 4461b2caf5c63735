"""The second test looks at what the first has fetched: it cannot run by itself.

Caught by: test_each_test_passes_by_itself
Says: It leans on what another test has left behind
"""

answers = {}


def test_health(client):
    answers["generate"] = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = answers["generate"]
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
