"""Stubs are made from the reference: what stands in them, which are out of step, and which somebody has worked on.

Whether the committed ones are in step is not asked here, since a learner's are not: `.ci/run` asks it.
"""

import ast
import re

import pytest

from kata.expected import checks_in
from kata.lessons import hints_of, paragraphs, title_of, what_it_is_about
from kata.look import LABEL, Look
from kata.source import gaps_in
from kata.steps import EXERCISES, REFERENCE, STEPS
from kata.stubs import StubError, is_stub, is_worked_on, make_stub, stale_stubs, stub_of

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
    assert title_of(step) == f"# Step {step.number}: {step.title}"
    assert [hint.rung for hint in hints_of(step)] == [1, 2, 3]


@each_step
def test_a_lesson_opens_with_a_paragraph_that_can_stand_alone(step):
    about = what_it_is_about(step)
    assert 40 < len(about) <= 5 * (80 - 2 - LABEL) - 40, "it is shown in five lines at most"
    assert re.fullmatch(r"[A-Z].*[.?]", about) and len(re.findall(r"[.?!](?= |$)", about)) <= 2, about
    shown = Look(80).labelled("about", about, 5)
    assert "more lines" not in shown[-1]


@each_step
def test_a_file_is_worked_on_once_a_gap_is_filled(step, tmp_path):
    file = step.file_in(tmp_path)
    assert not is_worked_on(file, step) and step in stale_stubs(tmp_path)
    stub = stub_of(step)
    file.write_text(stub, encoding="utf-8")
    assert not is_worked_on(file, step) and step not in stale_stubs(tmp_path)
    file.write_text(stub + "# as an older reference had it\n", encoding="utf-8")
    assert not is_worked_on(file, step) and step in stale_stubs(tmp_path)
    for worked in (stub.replace("raise NotImplementedError(", "print(", 1), "def half(", "# \xe4\n"):
        file.write_bytes(worked.encode("latin-1", errors="replace"))
        assert is_worked_on(file, step) and step in stale_stubs(tmp_path), worked


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
