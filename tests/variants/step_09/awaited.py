"""Coroutines that anyio's plugin awaits; the status may be 201 too."""

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_health(client):
    assert client.get("/health").status_code == 200


@pytest.mark.anyio
async def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code in (200, 201)
    assert response.json()["metrics"]["output_tokens"] >= 1
