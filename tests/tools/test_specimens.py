"""The zoo's own judgement: a promise that is not kept is told."""

from pathlib import Path

import pytest

from kata.steps import get_step
from tests.tools.specimens import FAULTS, VARIANTS, Outcome, Specimen, Verdict, judge, read_specimen, required_checks

STEP = get_step(9)
FAULT = Specimen(FAULTS / "step_09/x.py", STEP, True, ("test_a", "test_b"), ("the point",))
VARIANT = Specimen(VARIANTS / "step_09/x.py", STEP, False)


def test_a_fault_that_is_caught_as_promised_has_no_problem() -> None:
    judged = judge(FAULT, Verdict("x", ["test_0"], {"test_a": "here is the\n   point", "test_z": "?"}))
    assert (judged.outcome, judged.problems) == (Outcome.CAUGHT, ())


def test_the_phrase_may_stand_in_any_of_the_named_checks() -> None:
    assert judge(FAULT, Verdict("x", [], {"test_b": "something else", "test_a": "the point"})).outcome.is_good


@pytest.mark.parametrize(
    ("verdict", "outcome", "told"),
    [
        (Verdict("x", ["test_a", "test_b"]), Outcome.SURVIVED, "this wrong solution passes"),
        (
            Verdict("x", [], {"test_z": "the point", "test_a": ""}),
            Outcome.BY_ANOTHER,
            "that fails is test_z",
        ),
        (Verdict("x", [], {"test_a": "no such words"}), Outcome.UNSAID, "no failure text says 'the point'"),
        (Verdict("x", [], {"test_a": "", "test_z": "the point"}), Outcome.UNSAID, "no failure text says 'the point'"),
        (Verdict("x", ended="stopped after 60 s"), Outcome.SURVIVED, "no check ran: stopped after 60 s"),
    ],
)
def test_a_fault_that_is_not_caught_as_promised_is_told(verdict: Verdict, outcome: Outcome, told: str) -> None:
    judged = judge(FAULT, verdict)
    assert judged.outcome is outcome and told in judged.problems[0]


def test_a_variant_passes_every_required_check_or_is_told() -> None:
    required = required_checks(STEP)
    assert judge(VARIANT, Verdict("x", required)).outcome is Outcome.PASSED
    refused = judge(VARIANT, Verdict("x", required[1:], {required[0]: "why"}))
    assert refused.outcome is Outcome.REFUSED and "fails: why" in refused.problems[0]
    assert f"{required[-1]} did not come to its end" in judge(VARIANT, Verdict("x", required[:-1])).problems[0]


@pytest.mark.parametrize("docstring", ["", "Wrong.", "Wrong.\n\nCaught by: test_a", "Wrong.\n\nSays: the point"])
def test_a_fault_without_its_promises_cannot_be_read(docstring: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tests.tools.specimens.FAULTS", tmp_path)
    file = tmp_path / "step_09/x.py"
    file.parent.mkdir()
    file.write_text(f'"""{docstring}"""\n' if docstring else "x = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.py"):
        read_specimen(file)


def test_a_promise_may_go_on_in_the_next_line(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tests.tools.specimens.FAULTS", tmp_path)
    file = tmp_path / "step_09/x.py"
    file.parent.mkdir()
    text = '"""It is\nwrong.\n\nCaught by: test_a,\n  test_b\nSays: one thing\nSays: and\n  another\nSource: x#1\n"""\n'
    file.write_text(text, encoding="utf-8")
    specimen = read_specimen(file)
    assert specimen.caught_by == ("test_a", "test_b")
    assert specimen.says == ("one thing", "and another")
    assert specimen.sentence == "It is wrong."
