"""Stubs are made from the reference: what stands in them, and that the committed ones are in step."""

import ast

import pytest

from kata.expected import checks_in
from kata.lessons import hints_of, paragraphs, what_it_is_about
from kata.source import gaps_in
from kata.steps import EXERCISES, REFERENCE, STEPS
from kata.stubs import StubError, is_stub, make_stub, stale_stubs, stub_of

SOURCE = '''"""A step."""


def double(x):
    """Twice x."""
    # BEGIN SOLUTION: say "twice" (about 1 line)
    return 2 * x
    # END SOLUTION


class Settings:
    # BEGIN SOLUTION: the fields
    size: int = 1
    # END SOLUTION
'''
STUB = '''"""A step."""


def double(x):
    """Twice x."""
    # TODO 4: say "twice" (about 1 line)
    raise NotImplementedError("TODO 4: say 'twice'")


class Settings:
    # TODO 4: the fields
    raise NotImplementedError("TODO 4: the fields")
'''
each_step = pytest.mark.parametrize("step", STEPS, ids=[step.module for step in STEPS])


def test_a_region_becomes_a_gap_and_the_rest_stays_word_for_word():
    assert make_stub(SOURCE, 4) == STUB
    gaps = gaps_in(ast.parse(STUB), 4)
    assert [(gap.line, gap.inside, gap.task) for gap in gaps] == [
        (7, "double", "say 'twice'"),
        (12, "Settings", "the fields"),
    ]
    assert gaps_in(ast.parse(STUB), 5) == [] and gaps_in(ast.parse(SOURCE), 4) == []


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("# BEGIN SOLUTION: a\n# BEGIN SOLUTION: b\n# END SOLUTION\n", "line 2: BEGIN SOLUTION inside"),
        ("# BEGIN SOLUTION: a\n", "line 1: BEGIN SOLUTION is never ended"),
        ("x = 1\n# END SOLUTION\n", "line 2: END SOLUTION without"),
        ("x = 1\n", "no BEGIN SOLUTION"),
    ],
)
def test_marks_that_do_not_pair_up_are_refused(source, says):
    with pytest.raises(StubError, match=says):
        make_stub(source, 1)


def test_the_committed_stubs_are_what_the_reference_makes():
    assert [step.module for step in stale_stubs()] == [], "python -m kata stubs writes them anew"


@each_step
def test_a_stub_compiles_and_all_its_gaps_are_seen(step):
    stub = stub_of(step)
    tree = ast.parse(stub)
    assert len(gaps_in(tree, step.number)) == stub.count("raise NotImplementedError(") >= 1
    compile(tree, step.module, "exec")


@each_step
def test_line_ends_of_windows_make_no_other_stub(step, tmp_path):
    file = step.file_in(tmp_path)
    file.write_bytes(stub_of(step).replace("\n", "\r\n").encode())
    assert is_stub(file, step)
    file.write_bytes(step.file_in(REFERENCE).read_bytes())
    assert not is_stub(file, step) and not is_stub(tmp_path / "nothing.py", step)


@each_step
def test_each_step_has_its_rooms(step):
    assert step.file_in(REFERENCE).exists() and step.test_file.exists() and step.lesson.parent == EXERCISES
    assert len(what_it_is_about(step)) > 40, "the lesson's first paragraph says what the step is about"
    assert [hint.rung for hint in hints_of(step)] == [1, 2, 3]


@each_step
def test_each_check_has_a_sentence_of_its_own(step):
    checks = checks_in(step.test_file)
    assert any(not check.stretch for check in checks)
    names = [node.name for node in ast.parse(step.test_file.read_text("utf-8")).body if hasattr(node, "name")]
    assert len(names) == len(set(names)), "of two functions with one name only the last is run"
    for check in checks:
        assert check.sentence.endswith(".") and len(check.sentence) <= 160, check.name


def test_hints_are_shown_as_paragraphs_with_code_and_lists_as_they_are():
    text = "One\ntwo.\n\n- a list\n  goes on\n- its end\n\n    code  stays\n    as it is\n\n"
    text += "```python\nfenced\n  too\n```\nlast"
    shown = [
        "One two.",
        "",
        "- a list goes on",
        "- its end",
        "",
        "    code  stays",
        "    as it is",
        "",
        "fenced",
        "  too",
    ]
    assert [line for line, _ in paragraphs(text)] == [*shown, "last"]
    assert [line for line, is_code in paragraphs(text) if is_code] == [*shown[5:7], *shown[8:10]]
