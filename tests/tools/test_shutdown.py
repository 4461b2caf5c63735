"""What a lifespan yields as its state, each request finds, also where an app is shut down in the midst of one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI, Request

from tests.doubles.engines import Gate
from tests.doubles.in_process import in_process
from tests.doubles.shutdown import shuts_down_while
from tests.duel.quick_client import quick_client


@pytest.fixture
def gate() -> Gate:
    return Gate(first=1)


@pytest.fixture
def app(gate: Gate) -> FastAPI:
    """`/work` takes what it does from the state."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Gate]]:
        yield {"gate": gate}

    app = FastAPI(lifespan=lifespan)

    @app.post("/work")
    def work(request: Request) -> str:
        request.state.gate.reached.set()
        return "done"

    return app


def test_a_request_finds_the_lifespans_state(app: FastAPI, gate: Gate) -> None:
    with in_process(app) as client:
        assert client.post("/work", {}).text == '"done"'
    with quick_client(app) as client:
        assert client.post("/work", json={}).json() == "done"


def test_a_request_finds_it_while_the_app_is_shut_down(app: FastAPI, gate: Gate) -> None:
    assert shuts_down_while(app, gate, "/work", {}) == ""
