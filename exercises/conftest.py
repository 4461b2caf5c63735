"""Gives `pytest exercises/step_09_server_test.py` its client: your own server, with the model `tiny` behind it."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from shared.runtime import Runtime


@pytest.fixture
def client() -> "Iterator[TestClient]":
    """A client of a fresh app of your step 8, while the app's lifespan runs."""
    from fastapi.testclient import TestClient

    from exercises.step_08_server import CachedEngine, create_app

    runtime = tiny()
    with TestClient(create_app(CachedEngine(runtime.model, runtime.tokenizer))) as client:
        yield client


@cache
def tiny() -> "Runtime":
    """The model that ships with the kata, loaded once."""
    from shared.runtime import load_runtime

    return load_runtime("tiny")
