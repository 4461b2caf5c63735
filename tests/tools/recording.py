"""The session that README.md shows: what the true runner says to a learner who solves step 1 and slips in step 2.

Its blocks are those whose fence says `console`, one for each of SCENES, in order. After a change of what the runner
says, `python -m tests.tools.recording` puts the new words into the page.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kata.steps import REFERENCE, ROOT, STEPS, get_step
from kata.stubs import make_stub
from tests.tools.specimens import FAULTS
from tests.tools.throwaway import Project

PAGE = ROOT / "README.md"
COLUMNS = 100
COPIED = ("kata", "shared", "reference", "tests/doubles", "tests/conftest.py", "pyproject.toml")
_BLOCK = re.compile(r"(?P<open>^```console\n)(?P<text>.*?)(?P<close>^```$)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Scene:
    """`make check-STEP`, after the learner has saved this source as that step."""

    step: int
    source: str

    def __str__(self) -> str:
        return f"make check-{self.step}"


def scenes() -> list[Scene]:
    """Before the first line, after a right one, and after a wrong one in the next step."""
    right = get_step(1).file_in(REFERENCE).read_text(encoding="utf-8")
    wrong = (FAULTS / "step_02" / "multiplies_by_temperature.py").read_text(encoding="utf-8")
    return [Scene(1, make_stub(right, 1)), Scene(1, right), Scene(2, wrong)]


def play(some: Sequence[Scene]) -> Iterator[str]:
    """Each scene's text, the command and what the runner says, in a kata of its own in which nothing is solved."""
    with TemporaryDirectory() as folder:
        learner = _kata_in(Path(folder) / "kata")
        for scene in some:
            learner.write(scene.step, scene.source)
            said = learner.kata("check", str(scene.step), COLUMNS=str(COLUMNS), MAKELEVEL="1")
            yield f"$ {scene}\n{said.text}"


def _kata_in(root: Path) -> Project:
    checks = [step.test_file.relative_to(ROOT).as_posix() for step in STEPS]
    for name in (*COPIED, *checks):
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(source, target)
    for step in STEPS:
        reference = step.file_in(REFERENCE).read_text(encoding="utf-8")
        (stub := step.file_in(root / "exercises")).parent.mkdir(exist_ok=True)
        stub.write_text(make_stub(reference, step.number), encoding="utf-8")
        shutil.copy(step.lesson, root / "exercises")
    return Project(root, is_there=True)


def shown(page: str) -> list[str]:
    """The texts of the page's blocks."""
    return [found["text"] for found in _BLOCK.finditer(page)]


def renewed(page: str, texts: Sequence[str]) -> str:
    """The page with these texts in its blocks."""
    waiting = iter(texts)
    return _BLOCK.sub(lambda found: found["open"] + next(waiting) + found["close"], page)


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = renewed(before, list(play(scenes())))
    PAGE.write_text(after, encoding="utf-8")
    print(f"{PAGE.name}: {'as it was' if after == before else 'written anew'}")
