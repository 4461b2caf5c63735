"""Files that no check expects: each gets a short verdict that names the place and what happened, and never a pass.

Nothing that a file does loses progress, and no traceback of the kata's own is ever shown. Most files are saved under
one `watch`, which says what `check` says and is warm; those that end their process are for `check` as well.
"""

import sys
from collections.abc import Callable, Iterator

import pytest

from tests.tools.throwaway import Project, Told, right
from tests.tools.watched import Watched

FAILED, CANNOT_LOAD = 1, 3
FILE = "exercises/step_05_metrics.py"
R = right(5)


@pytest.fixture(scope="module")
def kata(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One kata for all files that are checked, in a folder whose name is not simple, with four steps passed."""
    kata = Project(tmp_path_factory.mktemp("übung") / "mit Leerzeichen, größer")
    kata.pass_steps(1, 2, 3, 4)
    yield kata
    assert kata.passed() == [1, 2, 3, 4]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """Another such kata, whose step 5 is watched."""
    project = Project(tmp_path_factory.mktemp("überall") / "mit Leerzeichen, größer")
    project.pass_steps(1, 2, 3, 4)
    watched = Watched(project)
    watched.verdict()
    yield watched
    watched.close()
    assert project.passed() == [1, 2, 3, 4]


@pytest.fixture
def save(watched: Watched) -> Callable[[str | bytes], str]:
    """`save(source)` writes step 5; what is told of it, in one line."""

    def save(source: str | bytes) -> str:
        before = len(watched.lines)
        watched.project.write(5, source)
        told, lines = watched.verdict(), watched.lines[before:]
        assert "\x1b" not in told, lines
        is_short_and_no_pass(lines[:-2])  # without what is watched
        return told

    return save


def is_short_and_no_pass(lines: list[str]) -> None:
    assert not any("Traceback" in line or "/kata/" in line or "step 5 passed" in line for line in lines), lines
    assert len(lines) <= 30, lines


def check(kata: Project, source: str) -> Told:
    kata.write(5, source)
    told = kata.kata("check", "5")
    is_short_and_no_pass(told.text.splitlines())
    return told


def inside(*lines: str, head: str = "") -> str:
    """A step 5 whose function holds these lines; the first of them is line 3 of the file."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"{head}\ndef step_5(x):\n{body}\ndef star_5():\n    return 5\n"


CANNOT = {
    "syntax error": ("def step_5(x):\n    return (5 + x\n", "line 2", "SyntaxError: '(' was never closed"),
    "indentation": ("def step_5(x):\nreturn 5\n", "line 2", "IndentationError"),
    "return outside": (R + "return 5\n", "line 7", "SyntaxError: 'return' outside function"),
    "missing import": ("import numpyy\n" + R, "line 1", "No module named 'numpyy'"),
    "error at import": ("x = 1 / 0\n" + R, "line 1", "ZeroDivisionError"),
    "sys.exit at import": ("import sys\nsys.exit(0)\n" + R, "line 2", "sys.exit(0) was called"),
    "os._exit at import": ("import os\nos._exit(0)\n" + R, "line 2", "os._exit(0) ends the whole process"),
    "skip at import": ("import pytest\npytest.skip('', allow_module_level=True)\n" + R, "line 2", "pytest.skip"),
    "UTF-16": (R.encode("utf-16"), "line 1", "saved as UTF-16"),
    "Latin-1": (b"\n\n# caf\xe9\n" + R.encode(), "line 3", "byte 0xe9 is no utf-8 text"),
    "coding line": (b"# coding: klingon\n" + R.encode(), "line 1", "unknown encoding"),
    "null bytes": (b"x = 1\n" + b"\0" * 100, "line 2", "null bytes"),
    "deep nesting": ("x = " + "(" * 5000, "", "too many nested parentheses"),
}


@pytest.mark.parametrize("case", CANNOT)
def test_a_file_that_cannot_be_loaded(save, case):
    source, line, what = CANNOT[case]
    told = save(source)
    assert "step 5 cannot be loaded" in told and what in told
    assert f"where {FILE}" + (f", {line}" if line else "") in told


def test_a_deleted_file(kata):
    kata.file(5).unlink(missing_ok=True)
    told = kata.kata("check", "5")
    assert told.status == CANNOT_LOAD
    assert "the file is not there" in told and FILE in told and "reset 5 puts the stub back" in told


def test_an_empty_file(save):
    told = save("")
    assert "does not define step_5; it is empty" in told and "reset 5 puts the stub back" in told


def test_a_forgotten_return_is_told(save):
    told = save("def step_5(x: int) -> int:\n    x + 5\n")
    assert "no value is ever returned by step_5 in line 1: is a `return` missing?" in told
    for line in ("return x", "raise ValueError(x)", "yield x", "..."):
        told = save(f"def step_5(x: int) -> int:\n    {line}\n\n\ndef other() -> None:\n    print(1)\n")
        assert "no value is ever returned" not in told


def test_a_folder_where_the_file_should_be(kata):
    kata.file(5).unlink(missing_ok=True)
    kata.file(5).mkdir()
    told = kata.kata("check", "5")
    kata.file(5).rmdir()
    assert told.status == CANNOT_LOAD and "cannot be read" in told


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a call that Windows does not have")
FAILING = {
    "undefined name": (inside("return np.int64(5)"), "line 3", "NameError: name 'np' is not defined"),
    "renamed": (R.replace("step_5", "step5"), "", f"{FILE} does not define step_5; it has step5 in line 1"),
    "other arguments": (R.replace("step_5(x)", "step_5()"), "", "takes 0 positional arguments but 1 was given"),
    "None": (inside("pass"), "line 2", "got None"),
    "a tuple": (inside("return 5 + x,"), "line 2", "got (6,)"),
    "a float": (inside("return 5.0 + x"), "line 2", "got 6.0"),
    "equal to all": (inside("return C()", head="class C:\n    __eq__ = lambda a, b: True\n"), "line 4", "got <"),
    "sys.exit": (inside("import sys; sys.exit(0)"), "line 3", "sys.exit(0) was called"),
    "raise SystemExit": (inside("raise SystemExit"), "line 3", "sys.exit"),
    "os._exit(0)": (inside("import os; os._exit(0)"), "line 3", "os._exit(0) ends the whole process"),
    "os._exit(3)": (inside("import os; os._exit(3)"), "line 3", "os._exit(3) ends the whole process"),
    "skip": (inside("import pytest; pytest.skip('no')"), "line 3", "pytest.skip or pytest.xfail was called"),
    "xfail": (inside("import pytest; pytest.xfail('no')"), "line 3", "pytest.skip or pytest.xfail was called"),
    "SkipTest": (inside("import unittest; raise unittest.SkipTest"), "line 3", "proves nothing"),
    "pytest.exit": (inside("import pytest; pytest.exit('', returncode=0)"), "line 3", "pytest.exit was called"),
    "pytest.fail": (inside("import pytest; pytest.fail('so it is')"), "line 3", "so it is"),
    "KeyboardInterrupt": (inside("raise KeyboardInterrupt"), "line 3", "KeyboardInterrupt was raised by the code"),
    "BaseException": (inside("raise GeneratorExit"), "line 3", "GeneratorExit"),
    "recursion": (inside("return step_5(x) + 1"), "line 3", "RecursionError"),
    "crash": (inside("import faulthandler; faulthandler._sigsegv()"), "line 3", "interpreter crashed"),
    "memory": (inside("return [0] * (1 << 60)"), "line 3", "MemoryError"),
    "input": (inside("return int(input('x? '))"), "line 3", "nobody to type"),
    "breakpoint": (inside("breakpoint()", "return 5 + x"), "", "breakpoint() was called"),
    "an error without words": (
        inside("raise E", head="class E(Exception): __str__ = 1\n"),
        "line 4",
        "cannot be had",
    ),
    "a message without end": (inside("raise ValueError('y' * 10_000_000)"), "line 3", "ValueError: yyyy"),
    "screen control": (inside("raise ValueError('\\x1b[2J\\x1b[32mpassed')"), "line 3", "\\x1b[2J\\x1b[32mpassed"),
    "its own NotImplementedError": (inside("raise NotImplementedError"), "line 3", "what NotImplementedError"),
}


@pytest.mark.parametrize("case", FAILING)
def test_a_file_that_does_something_else(save, case):
    source, line, what = FAILING[case]
    told = save(source)
    assert "step 5 failed" in told and what in told
    assert f"where {FILE}" + (f", {line}" if line else "") in told


@pytest.mark.parametrize("case", ["sys.exit at import", "os._exit(0)", "pytest.exit", "crash"])
def test_a_file_that_ends_its_process_is_told_by_check_as_well(kata, case):
    source, line, what = (CANNOT | FAILING)[case]
    told = check(kata, source)
    assert told.status == (CANNOT_LOAD if case in CANNOT else FAILED)
    assert what in told and f"where {FILE}, {line}" in told


@POSIX
@pytest.mark.parametrize("call", ["os.kill(os.getpid(), 9)", "os.killpg(0, 9)", "os.execv('/bin/true', ['true'])"])
def test_a_process_that_ends_itself_has_not_passed(kata, call):
    told = check(kata, inside(f"import os; {call}"))
    assert told.status == FAILED and ("killed by signal 9" in told or "with exit status 0" in told)


@POSIX
def test_an_exit_through_the_back_door_is_refused_too(save):
    told = save(inside("import posix; posix._exit(0)"))
    assert "os._exit(0) ends the whole process" in told and "line 3" in told


def test_a_hundred_megabytes_of_output_are_counted_not_shown(save):
    told = save(inside("print('x' * 100_000_000)", "return 0"))
    assert "more characters" in told and "99,99" in told and "got 0" in told and len(told) < 3000


def test_what_the_failing_check_printed_is_shown(save):
    told = save(inside("import sys", "print('x is', x)", "print('to stderr', file=sys.stderr)", "return 6"))
    assert "Negative numbers" in told
    assert "printed x is -5 to stderr" in told and "x is 1" not in told


def test_many_short_lines_show_their_beginning_and_their_end(save):
    told = save(inside("for i in range(300): print('line', i)", "return 0"))
    assert "line 0 line 1" in told and "line 298 line 299" in told and "line 150" not in told


def test_output_that_was_closed_hides_no_verdict(save):
    assert "got 0" in save(inside("import sys; sys.stdout.close(); sys.stderr.close()", "return 0"))


def test_all_failures_on_wish_are_within_bounds_too(kata):
    kata.write(5, inside("print('x' * 1_000_000); return 7"))
    told = kata.kata("check", "5", "--all")
    assert told.status == FAILED and told.text.count("more characters") == 2 and len(told.text) < 6000
