"""Uses what pytest has at hand: recorders, captures, the cache, folders, settings."""

from fastapi.testclient import TestClient


def test_health(client: TestClient) -> None:
    response = client.get("/health")
    assert response.status_code == 200


def test_generate(client: TestClient, monkeypatch, capsys, caplog, tmp_path, recwarn, record_property, cache) -> None:
    monkeypatch.setenv("KATA_TEST", "1")
    response = client.post("/generate", json={"prompt": "Hi", "max_new_tokens": 2})
    (tmp_path / "answer.json").write_bytes(response.content)
    cache.set("answers", 1)
    record_property("status", response.status_code)
    print(response.text)
    assert response.status_code == 200
    assert response.json()["metrics"]["output_tokens"] >= 1
    assert "prompt" not in capsys.readouterr().err
