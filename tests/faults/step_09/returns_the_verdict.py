"""Returns whether all is well; pytest looks at no returned value.

Caught by: test_both_tests_run_to_their_end
Says: pytest looks at no returned value
"""


def test_health(client):
    return client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    return response.status_code == 200 and response.json()["metrics"]["output_tokens"] >= 1
