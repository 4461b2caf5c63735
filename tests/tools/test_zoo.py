"""The zoo: every wrong solution is caught by the check it names, in words that name it; every right one passes.

`make prove` says the same in numbers. One file: `pytest tests/tools/test_zoo.py -k feeds_everything`, or quicker
`python -m tests.tools.zoo FILE…`.
"""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from kata.expected import checks_in
from kata.looks_like import TABLE, known
from kata.steps import ROOT, STEPS, TESTS, Step
from tests.duel.servers import BROKEN_SERVERS, RIGHT_SERVERS
from tests.tools import likeness
from tests.tools.matrix import MATRIX, is_current
from tests.tools.proof import LIBRARIES
from tests.tools.specimens import (
    FAULTS,
    UNCOVERED,
    VARIANTS,
    is_readable,
    judge,
    read_specimen,
    required_checks,
    specimen_paths,
)
from tests.tools.zoo import Zoo

pytestmark = pytest.mark.timeout(300)
LEAST_FAULTS, LEAST_VARIANTS = 16, 6
LEAST_BROKEN_SERVERS, LEAST_RIGHT_SERVERS = 20, 8

PATHS = specimen_paths()
each_file = pytest.mark.parametrize("path", PATHS, ids=[p.relative_to(TESTS).with_suffix("").as_posix() for p in PATHS])
each_step = pytest.mark.parametrize("step", STEPS, ids=[step.module for step in STEPS])


@each_file
def test_a_file_proves_what_it_promises(path: Path, zoo: Zoo) -> None:
    specimen = read_specimen(path)
    judged = judge(specimen, zoo.verdict_on(specimen))
    assert judged.outcome.is_good, "\n".join([judged.outcome, *judged.problems])


@each_step
def test_a_step_has_enough_faults_and_variants(step: Step) -> None:
    assert len(_faults(step)) >= LEAST_FAULTS
    assert len(_files(VARIANTS, step)) >= LEAST_VARIANTS


def test_the_duel_has_enough_servers() -> None:
    assert len(BROKEN_SERVERS) >= LEAST_BROKEN_SERVERS
    assert len(RIGHT_SERVERS) >= LEAST_RIGHT_SERVERS


def test_the_matrix_says_what_the_files_say() -> None:
    assert is_current([read_specimen(path) for path in PATHS]), f"{MATRIX.name} is out of date: `make prove` writes it"


@each_step
def test_no_failure_is_taken_for_that_of_another_mistake(step: Step, zoo: Zoo) -> None:
    """Neither by the table as it is, nor by one that is made without the fault that fails."""
    specimens = [read_specimen(path) for path in _faults(step) if is_readable(path)]
    verdicts = {specimen.name: zoo.verdict_on(specimen) for specimen in specimens}
    assert likeness.wrong_names(specimens, verdicts) == []
    told, sentences = known(TABLE)[str(step.number)], likeness.sentences(specimens)
    for specimen in specimens:
        name = told.get(likeness.first_signature(verdicts[specimen.name]), "")
        assert name in ("", sentences[step.number, specimen.mistake]), specimen.name
    is_current = told == json.loads(likeness.table_text(specimens, verdicts))["steps"][str(step.number)]
    assert is_current or not _are_pinned(), f"{TABLE.name} is out of date: `make prove` writes it"


@each_step
def test_the_checks_that_a_fault_names_exist(step: Step) -> None:
    checks = {check.name for check in checks_in(step.test_file)}
    for path in _faults(step):
        unknown = set(read_specimen(path).caught_by) - checks
        assert not unknown, f"{path.name}: {step.test_file.name} has no {', '.join(unknown)}"


@each_step
def test_every_required_check_catches_a_fault(step: Step, zoo: Zoo) -> None:
    specimens = [read_specimen(path) for path in _faults(step) if is_readable(path)]
    caught_one = {check for specimen in specimens for check in zoo.verdict_on(specimen).failed}
    caught_none = [check for check in required_checks(step) if check not in caught_one]
    assert caught_none == UNCOVERED.get(step.number, []), "\n".join(caught_none)


def _are_pinned() -> bool:
    """Whether the libraries are those of the table: others may fail in other words."""
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    return all(version(name).partition("+")[0] == pins[name] for name in LIBRARIES)


def _files(folder: Path, step: Step) -> list[Path]:
    return [path for path in PATHS if path.parent == folder / f"step_{step.number:02d}"]


def _faults(step: Step) -> list[Path]:
    return _files(FAULTS, step)
