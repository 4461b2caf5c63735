"""What a warm process knows ahead of its forks weakens no check: it is bound to the very weights, and used once."""

import pytest
import torch

from kata.expected import checks_in
from kata.steps import get_step
from tests.doubles import known
from tests.doubles.ahead import WITH_THE_LIBRARY
from tests.doubles.loop_spies import inputs_of
from tests.doubles.tiny_models import library_greedy, tiny_qwen3

ASKED = ([5, 6, 7], 4)


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A model is ready, and an answer on it known: an answer that the library would not give."""
    for name, empty in (("_ready", type(known._ready)(list)), ("_portraits", [])):
        monkeypatch.setattr(known, name, empty)
    known.learn(lambda: ask(tiny_qwen3(1, num_hidden_layers=1)))
    (portrait,) = known._portraits
    ((question, answer),) = portrait.answers.items()
    portrait.answers[question] = (*answer[:-1], 999)
    return [*answer[:-1], 999]


def ask(model: object, ids: tuple | list = ASKED[0], new_tokens: int = ASKED[1]) -> list[int]:
    return library_greedy(model, inputs_of(ids), new_tokens)


def test_what_was_learned_is_not_computed_again(learned):
    assert ask(tiny_qwen3(1, num_hidden_layers=1)) == learned
    assert ask(tiny_qwen3(1, num_hidden_layers=1)) == learned  # this one was built now, and is the same


def test_an_answer_is_for_one_question(learned):
    model = tiny_qwen3(1, num_hidden_layers=1)
    assert ask(model, [5, 6]) != learned and 999 not in ask(model, new_tokens=5)


@pytest.mark.parametrize("seed", [1, 2])
def test_an_answer_is_for_one_model_as_it_was(learned, seed):
    model = tiny_qwen3(seed, num_hidden_layers=1 if seed == 2 else 2)
    assert 999 not in ask(model)
    changed = tiny_qwen3(1, num_hidden_layers=1)
    with torch.no_grad():
        changed.lm_head.weight[3, 0] += 1e-3
    assert 999 not in ask(changed)


def test_a_model_is_handed_out_once_and_is_the_one_that_would_be_built(learned):
    ready = list(next(iter(known._ready.values())))
    first, second = tiny_qwen3(1, num_hidden_layers=1), tiny_qwen3(1, num_hidden_layers=1)
    assert [first] == ready and second not in ready
    for name, tensor in second.state_dict().items():
        assert torch.equal(tensor, first.state_dict()[name])
    with torch.device("meta"):
        assert tiny_qwen3(1, num_hidden_layers=1).device.type == "meta"


def test_what_a_caller_does_to_an_answer_reaches_nobody(learned):
    ask(tiny_qwen3(1, num_hidden_layers=1)).clear()
    assert ask(tiny_qwen3(1, num_hidden_layers=1)) == learned


@pytest.mark.parametrize(("number", "name"), WITH_THE_LIBRARY)
def test_the_checks_that_are_learned_from_are_there(number, name):
    assert name in {check.name for check in checks_in(get_step(number).test_file)}
