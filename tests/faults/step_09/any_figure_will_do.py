"""Asks whether any figure is a positive number, so that the count of input tokens stands in for that of the output.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: one that holds is enough for `any`
"""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    metrics = response.json()["metrics"]
    assert any(isinstance(figure, int) and figure >= 1 for name, figure in metrics.items() if "tokens" in name)
