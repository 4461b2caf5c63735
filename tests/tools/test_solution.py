"""The loader: steps from anywhere, as one package of their own, which import each other and share nothing."""

import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from kata.solution import Solution
from kata.steps import STEPS, get_step, step_of_module

FIRST, SECOND = get_step(1), get_step(2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two steps, the second of which imports the first."""
    FIRST.file_in(tmp_path).write_text("VALUE = 1\n", encoding="utf-8")
    SECOND.file_in(tmp_path).write_text(f"from .{FIRST.module} import VALUE\nTWICE = 2 * VALUE\n", encoding="utf-8")
    return tmp_path


def test_steps_import_each_other_relatively(folder):
    assert Solution.in_folder(folder).load(2).TWICE == 2


def test_a_step_may_also_say_exercises(folder):
    SECOND.file_in(folder).write_text(f"from exercises.{FIRST.module} import VALUE\n")
    assert Solution.in_folder(folder).load(2).VALUE == 1
    other = folder / "other.py"
    other.write_text("VALUE = 5\n")
    assert Solution.in_folder(folder).with_step(1, other).load(2).VALUE == 5


def test_two_solutions_never_share_a_module(folder):
    first, second = Solution.in_folder(folder), Solution.in_folder(folder)
    assert first.load(1) is first.load(1)
    assert first.load(1) is not second.load(1)
    first.load(1).VALUE = 7
    assert second.load(2).TWICE == 2


def test_another_file_or_a_spy_can_be_laid_under_a_step(folder):
    other = folder / "other.py"
    other.write_text("VALUE = 10\n")
    assert Solution.in_folder(folder).with_step(1, other).load(2).TWICE == 20
    spy = ModuleType("spy")
    spy.VALUE = 21
    assert Solution.in_folder(folder).with_step(1, spy).load(2).TWICE == 42
    assert Solution.in_folder(folder).load(2).TWICE == 2


def test_a_file_is_loaded_as_it_is_now_even_within_a_second(folder):
    file = FIRST.file_in(folder)
    assert Solution.in_folder(folder).load(1).VALUE == 1
    stamp = time.time()
    file.write_text("VALUE = 2\n")
    import os

    os.utime(file, (stamp, stamp))
    assert Solution.in_folder(folder).load(1).VALUE == 2
    assert not list(folder.rglob("*.pyc"))


def test_what_a_file_raises_comes_through(folder):
    FIRST.file_in(folder).write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        Solution.in_folder(folder).load(2)
    FIRST.file_in(folder).unlink()
    with pytest.raises(FileNotFoundError):
        Solution.in_folder(folder).load(1)
    with pytest.raises(ModuleNotFoundError, match="no step 1"):
        Solution({2: SECOND.file_in(folder)}).load(2)


def test_an_unloaded_solution_leaves_no_modules(folder):
    solution = Solution.in_folder(folder)
    module = solution.load(2)
    solution.unload()
    assert not [name for name in sys.modules if name.startswith(solution.package)]
    assert module.TWICE == 2


def test_the_manifest_ties_the_rooms_together():
    assert [step.number for step in STEPS] == list(range(1, 10))
    assert get_step(4).module == "step_04_generate_cached" and step_of_module("step_04_generate_cached") is get_step(4)
    assert get_step(4).test_file.name == "test_04_generate_cached.py" and get_step(4).lesson.suffix == ".md"
    assert step_of_module("step_04") is None
    for number in (0, 10, -1):
        with pytest.raises(ValueError, match="1 to 9"):
            get_step(number)
