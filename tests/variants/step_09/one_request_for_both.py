"""Looks at health before it generates, again and again, and keeps what it saw in the module."""

seen = []


def _health(client):
    seen.append(client.get("/health", headers={"accept": "text/plain"}))
    return seen[-1].status_code


def test_health(client):
    assert _health(client) == 200


def test_generate(client):
    assert _health(client) == 200
    body, kind = b'{"prompt": "Say hello.", "max_new_tokens": 4}', {"content-type": "application/json"}
    response = client.request("POST", "/generate", content=body, headers=kind)
    assert not response.is_error and response.status_code // 100 == 2 and response.reason_phrase == "OK"
    assert set(response.json()) >= {"text", "metrics"}
    assert float(response.json()["metrics"]["output_tokens"] + 0) >= 1
    assert _health(client) == 200
