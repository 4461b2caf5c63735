"""A small kata of its own in a temporary folder: the true runner and conftest, and nine steps that need no torch.

Each step `N` is one function, `step_N(x)`, that returns x + N; each has two required checks and a stretch one.
"""

import atexit
import compileall
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kata import progress
from kata.source import digest_of
from kata.steps import ROOT, STEPS, Step, get_step
from kata.stubs import make_stub

REFERENCE = '''"""Step {n}."""


def step_{n}(x: int) -> int:
    """x + {n}."""
    # BEGIN SOLUTION: add {n} (about 1 line)
    return x + {n}
    # END SOLUTION


def star_{n}() -> int:
    """{n}."""
    return {n}
'''
CHECKS = '''"""Checks of step {n}."""

import pytest

from kata.failure import expect


def test_adds_the_number(step):
    """{n} is added to the number.

    A second paragraph that no report shows.

    Hint: what do you get if you count on from {n},
    one further?
    """
    got = step.step_{n}(1)
    expect(
        type(got) is int and got == {n} + 1,
        call="step_{n}(1)",
        got=repr(got),
        wanted=repr({n} + 1),
        why="You return something else than the sum.",
    )


def test_adds_to_negative_numbers(step):
    """Negative numbers are numbers too.

    Hint: where does the sign go?
    """
    got = step.step_{n}(-{n})
    expect(type(got) is int and got == 0, call="step_{n}(-{n})", got=repr(got), wanted="0", why="The sign is lost.")


@pytest.mark.stretch
def test_has_a_star(step):
    """The star is there."""
    expect(step.star_{n}() == {n}, call="star_{n}()", got=step.star_{n}(), wanted={n}, why="No star.")


@pytest.mark.gpu
def test_on_a_device(step):
    """Nothing of this kind is run."""
    raise RuntimeError("it was run")
'''
NOTHING_AHEAD = "def import_libraries(steps): ...\n\n\ndef jobs(items): return []\n\n\ndef in_fork(checks): ...\n"
LESSON = """# Step {n}: a number

Add {n} to
a number.

## Hint 1: what is the sum?

Think of it.

## Hint 2: the idea

`+`
"""


@dataclass(frozen=True)
class Told:
    """What a command said and how it ended."""

    status: int
    text: str

    def __contains__(self, words: str) -> bool:
        return words in " ".join(self.text.split())


class Project:
    """The temporary kata; `kata(…)` runs a command in it as a learner would."""

    def __init__(self, root: Path, is_there: bool = False) -> None:
        """Makes it, unless it is there already (a clone of another)."""
        self.root = root
        self.exercises, self.state = root / "exercises", root / ".kata"
        if not is_there:
            shutil.copytree(_template(), root)

    def file(self, number: int) -> Path:
        """The learner's file of a step."""
        return get_step(number).file_in(self.exercises)

    def reference(self, number: int) -> str:
        """The reference's text without its markers."""
        lines = get_step(number).file_in(self.root / "reference").read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in lines if "SOLUTION" not in line) + "\n"

    def write(self, number: int, source: str | bytes) -> Path:
        """The learner saves a step."""
        file = self.file(number)
        file.write_bytes(source if isinstance(source, bytes) else source.encode("utf-8"))
        return file

    def solve(self, *numbers: int) -> None:
        """The learner writes the right thing, in their own words."""
        for number in numbers:
            self.write(number, right(number))

    def pass_steps(self, *numbers: int) -> None:
        """Solved and remembered as passed, without a run, by the checks that every fresh kata has."""
        self.solve(*numbers)
        passed = {n: progress.Pass(digest_of(self.file(n)), 1, _fingerprints()[n]) for n in numbers}
        trouble = progress.update(lambda standing: standing.passed.update(passed), self.state / "progress.json")
        assert not trouble, trouble

    def progress(self) -> dict:
        return json.loads((self.state / "progress.json").read_text(encoding="utf-8"))

    def passed(self) -> list[int]:
        """The steps that are remembered as passed."""
        file = self.state / "progress.json"
        return sorted(map(int, self.progress()["passed"])) if file.exists() else []

    def kata(self, *words: str, **environment: str) -> Told:
        return self.python("-m", "kata", *words, **environment)

    def pytest(self, *words: str) -> Told:
        return self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *words)

    def environment(self, **more: str) -> dict[str, str]:
        """What a command of this kata starts with."""
        ours = ("PYTEST", "KATA", "MAKE", "PYTHONDONTWRITEBYTECODE")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return {**clean, "KATA_PYTHON": sys.executable, "COLUMNS": "80", **more}

    def python(self, *words: str, **environment: str) -> Told:
        run = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=100,
        )
        return Told(run.returncode, run.stdout.decode("utf-8", errors="replace"))


@functools.cache
def _template() -> Path:
    """The files of a fresh kata, the runner already compiled, so that each project is one copy."""
    root = Path(tempfile.mkdtemp(prefix="kata-template-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for folder in ("kata", "tests/doubles"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "Makefile", "tests/conftest.py"):
        shutil.copy(ROOT / name, root / name)
    for step in STEPS:
        _write_step(step, root)
    (root / "tests" / "doubles" / "ahead.py").write_text(NOTHING_AHEAD, encoding="utf-8")
    compileall.compile_dir(root / "kata", quiet=2)
    return root


@functools.cache
def _fingerprints() -> dict[int, str]:
    """Of a fresh kata's checks, by step."""
    code = "import json; from kata import fingerprint as f, steps; "
    code += "print(json.dumps({step.number: f.fingerprint_of(step) for step in steps.STEPS}))"
    told = subprocess.run([sys.executable, "-c", code], cwd=_template(), capture_output=True, check=True)
    return {int(number): checks for number, checks in json.loads(told.stdout).items()}


def _write_step(step: Step, root: Path) -> None:
    reference = REFERENCE.format(n=step.number)
    texts = {
        step.file_in(root / "reference"): reference,
        step.file_in(root / "exercises"): make_stub(reference, step.number),
        root / "exercises" / step.lesson.name: LESSON.format(n=step.number),
        root / "tests" / step.test_file.name: CHECKS.format(n=step.number),
    }
    for file, text in texts.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def right(number: int) -> str:
    """A right solution of a throw-away step."""
    return f"def step_{number}(x):\n    return {number} + x\n\n\ndef star_{number}():\n    return {number}\n"
