"""Sends the requests and looks at no answer.

Caught by: test_a_server_without_health_is_caught
Says: has no assert: to send a request is not to test the answer
Source: TrenTorch#192
"""


def test_health(client):
    client.get("/health")


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    print(response.text)
