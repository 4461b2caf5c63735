"""The set of ids that end an answer."""

from types import SimpleNamespace

import pytest

from shared.stopping import stop_token_ids


def _ids(configured: object, own: int | None) -> frozenset[int]:
    model = SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=configured))
    return stop_token_ids(model, SimpleNamespace(eos_token_id=own))


@pytest.mark.parametrize(
    ("configured", "own", "wanted"),
    [
        (7, 7, {7}),
        (7, 8, {7, 8}),
        ([7, 9], 8, {7, 8, 9}),
        ((7, 9), None, {7, 9}),
        ([], 8, {8}),
        (None, 8, {8}),
        (7, None, {7}),
        (None, None, set()),
    ],
)
def test_it_is_the_union_of_both_sources(configured: object, own: int | None, wanted: set[int]) -> None:
    assert _ids(configured, own) == wanted


def test_0_is_an_id() -> None:
    assert _ids(0, None) == _ids([0], None) == _ids(None, 0) == {0}


def test_a_model_without_a_generation_config_leaves_the_tokenizers() -> None:
    tokenizer = SimpleNamespace(eos_token_id=8)
    assert stop_token_ids(SimpleNamespace(), tokenizer) == {8}
    assert stop_token_ids(SimpleNamespace(generation_config=None), tokenizer) == {8}
    assert stop_token_ids(SimpleNamespace(), SimpleNamespace()) == set()


def test_it_cannot_be_changed_by_its_caller() -> None:
    configured = [7, 9]
    found = _ids(configured, 8)
    assert isinstance(found, frozenset)
    assert configured == [7, 9]
