"""Keeps each answer in a folder of its own, and wants no more tokens than it allowed: one."""


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client, tmp_path):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 1})
    (tmp_path / "answer.json").write_bytes(response.content)
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] == 1
