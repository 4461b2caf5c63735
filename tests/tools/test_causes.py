"""What is said of an exception whose text is known: on the very exceptions that Python and torch raise."""

import ast
import contextlib
import json
from collections.abc import Callable, Iterator

import pytest
import torch

from kata.causes import cause_of
from kata.look import Look
from kata.steps import STEPS, Step
from kata.stubs import stub_of
from tests.tools.throwaway import Project

IDS = torch.zeros(1, 5, dtype=torch.int64)
ODDS = torch.ones(1, 2, 3)


def stops() -> Iterator[int]:
    yield next(iter([]))


def goes_on() -> Iterator[int]:
    with contextlib.suppress(GeneratorExit):
        yield 1
    yield 2


def closed_half_way() -> None:
    ids = goes_on()
    next(ids)
    ids.close()


def unbound() -> int:
    if not IDS.numel():
        token = 1
    return token


def summarize(generation: object) -> object:
    return generation


async def later() -> int:
    return 1


def not_awaited() -> int:
    promise = later()
    try:
        return promise.text
    finally:
        promise.close()


RAISE: dict[str, tuple[Callable[[], object], str]] = {
    "cat of (1, 5) and (1,)": (lambda: torch.cat([IDS, torch.tensor([3])], dim=-1), "has to be (1, 1)"),
    "cat of (1, 5) and ()": (lambda: torch.cat([IDS, torch.tensor(3)], dim=-1), "has to be (1, 1)"),
    "cat along 0": (lambda: torch.cat([IDS, torch.zeros(1, 1, dtype=torch.int64)]), "dim=-1"),
    "cat of a number": (lambda: torch.cat([IDS, 3], dim=-1), "make one of the number"),
    "item of many": (lambda: IDS.item(), "take the last row"),
    "int of many": (lambda: int(IDS), "take the last row"),
    "if of many": (lambda: bool(IDS == 0), "want one truth"),
    "an index too many": (lambda: IDS[:, -1, :], "print its shape"),
    "a dimension too far": (lambda: torch.zeros(3).softmax(1), "print its shape"),
    "shapes": (lambda: torch.zeros(1, 3) + torch.zeros(1, 4), "keepdim=True"),
    "draw from ids": (lambda: torch.multinomial(IDS, 1), "odds are made of logits"),
    "draw from a cube": (lambda: torch.multinomial(ODDS, 1), "last position's logits"),
    "a mask of floats": (lambda: ODDS.masked_fill(ODDS * 0, 0), "by a comparison"),
    "an id too large": (lambda: torch.nn.Embedding(3, 2)(torch.tensor([5])), "does not have went in"),
    "append": (lambda: IDS.append(3), "torch.cat makes a longer one"),
    "round brackets": (lambda: IDS(0), "square brackets"),
    "a dict's ids": (lambda: {}.input_ids, 'inputs["input_ids"]'),
    "no mask": (lambda: {}["attention_mask"], "as step 1 returns them"),
    "nothing": (lambda: None.logits, "is None here"),
    "nothing and 1": (lambda: None + 1, "is None here"),
    "an exit not let through": (closed_half_way, "let GeneratorExit through"),
    "a place of a generator": (lambda: stops()[0], "one by one"),
    "next of nothing": (lambda: list(stops()), "found no more"),
    "await": (not_awaited, "await it"),
    "JSON": (lambda: json.dumps(IDS), "`.item()` or `.tolist()`"),
    "a name too many": (lambda: (lambda a: a)(b=1), "do not fit"),
    "another argument": (lambda: unbound(1), "do not fit"),
    "a stub that is called otherwise": (lambda: summarize(1, 2), "as the stub has it"),
    "unbound": (unbound, "in one branch"),
    "a name": (lambda: nobody_has_this_name, "an import is missing"),  # noqa: F821
    "a quotient": (lambda: 1 / 0, "before you divide"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", RAISE)
def test_a_known_exception_is_explained(case: str) -> None:
    fail, words = RAISE[case]
    with pytest.raises(Exception) as raised:
        fail()
    assert words in cause_of(raised.type.__name__, str(raised.value))


@pytest.mark.parametrize("step", STEPS[:8], ids=[step.module for step in STEPS[:8]])
def test_a_stub_that_was_given_other_parameters_is_told_from_a_wrong_call(step: Step) -> None:
    stub = ast.parse(stub_of(step))
    names = [function.name for function in stub.body if isinstance(function, ast.FunctionDef)]
    for each in (each for each in stub.body if isinstance(each, ast.ClassDef)):
        names += [f"{each.name}.{method.name}" for method in each.body if isinstance(method, ast.FunctionDef)]
    called_by_others = [name for name in names if name != "decode"]
    assert called_by_others
    for name in called_by_others:
        told, others = (
            cause_of("TypeError", f"{called}() takes 2 positional arguments but 3 were given")
            for called in (name, f"my_{name.rpartition('.')[2]}")
        )
        assert "as the stub has it" in told and "do not fit" in others, name


@pytest.mark.parametrize("text", ["the engine is gone", "'Box' object has no attribute 'lid'"])
def test_nothing_is_guessed_of_an_unknown_one(text: str) -> None:
    assert cause_of("AttributeError", text) == cause_of("DeviceLost", text) == ""


def test_the_report_tells_line_and_cause(tmp_path) -> None:
    project = Project(tmp_path / "kata")
    project.write(1, "def step_1(x):\n    return [][x]\n\n\ndef star_1():\n    return 1\n")
    told = project.kata("check", "1")
    assert "IndexError: list index out of range" in told and "line 2, in step_1" in told
    assert "the list is shorter than that" in " ".join(told.text.split())
    assert max(map(len, told.text.splitlines())) <= Look().width
