"""The zoo: every wrong solution is caught by the check it names, in words that name it; every right one passes.

One file: `pytest tests/tools/test_zoo.py -k feeds_everything`, or quicker `python -m tests.tools.zoo FILE…`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from kata.steps import STEPS, TESTS, Step
from tests.tools.zoo import FAULTS, VARIANTS, Zoo, problems, read_specimen, specimen_paths

pytestmark = pytest.mark.timeout(300)
LEAST_FAULTS, LEAST_VARIANTS = 8, 3
UNCOVERED: dict[int, set[str]] = {}  # required checks for which no plausible wrong solution was found, by step

PATHS = specimen_paths()
each_file = pytest.mark.parametrize("path", PATHS, ids=[p.relative_to(TESTS).with_suffix("").as_posix() for p in PATHS])
each_step = pytest.mark.parametrize("step", STEPS, ids=[step.module for step in STEPS])


@pytest.fixture(scope="session")
def zoo(request: pytest.FixtureRequest) -> Iterator[Zoo]:
    """Verdicts on the files that the selected tests ask for."""
    wanted: dict[Path, None] = {}
    for item in request.session.items:
        if item.path == Path(__file__):
            parameters = item.callspec.params
            files = _faults(parameters["step"]) if "step" in parameters else [parameters["path"]]
            wanted.update(dict.fromkeys(files))
    zoo = Zoo([read_specimen(path) for path in wanted if _is_readable(path)])
    yield zoo
    zoo.close()


@each_file
def test_a_file_proves_what_it_promises(path: Path, zoo: Zoo) -> None:
    specimen = read_specimen(path)
    found = problems(specimen, zoo.verdict_on(specimen))
    assert not found, "\n".join(found)


@each_step
def test_a_step_has_enough_faults_and_variants(step: Step) -> None:
    assert len(_faults(step)) >= LEAST_FAULTS
    assert len(_files(VARIANTS, step)) >= LEAST_VARIANTS


@each_step
def test_the_checks_that_a_fault_names_exist(step: Step) -> None:
    checks = _checks(step)
    for path in _faults(step):
        unknown = set(read_specimen(path).caught_by) - set(checks)
        assert not unknown, f"{path.name}: {step.test_file.name} has no {', '.join(unknown)}"


@each_step
def test_every_required_check_catches_a_fault(step: Step, zoo: Zoo) -> None:
    required = {name for name, marks in _checks(step).items() if not marks & {"stretch", "gpu", "real"}}
    specimens = [read_specimen(path) for path in _faults(step) if _is_readable(path)]
    caught_one = {check for specimen in specimens for check in zoo.verdict_on(specimen).failed}
    assert required - caught_one == UNCOVERED.get(step.number, set())


def _files(folder: Path, step: Step) -> list[Path]:
    return [path for path in PATHS if path.parent == folder / f"step_{step.number:02d}"]


def _faults(step: Step) -> list[Path]:
    return _files(FAULTS, step)


def _is_readable(path: Path) -> bool:
    try:
        read_specimen(path)
    except (ValueError, SyntaxError):
        return False
    return True


def _checks(step: Step) -> dict[str, set[str]]:
    """The checks of a step with their marks, read from the file as it stands."""
    tree = ast.parse(step.test_file.read_text(encoding="utf-8"))
    checks = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {check.name: {part.attr for part in _decorator_parts(check)} for check in checks}


def _decorator_parts(function: ast.FunctionDef) -> list[ast.Attribute]:
    nodes = [node for decorator in function.decorator_list for node in ast.walk(decorator)]
    return [node for node in nodes if isinstance(node, ast.Attribute)]
