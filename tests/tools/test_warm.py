"""A fork of the warm process and a process that starts from nothing come to the same verdict; the zoo takes orders."""

import os

import pytest

from tests.tools.specimens import FAULTS, VARIANTS, Verdict, read_specimen
from tests.tools.warm import FORKS
from tests.tools.zoo import Orders, Zoo

FROM_NOTHING = """
from tests.tools import schedule, warm, zoo

schedule.FORKS = warm.FORKS = zoo.FORKS = False
zoo.main()
"""
SPECIMENS = [
    read_specimen(file)  # the second needs torch, which only a warm process has before
    for file in (FAULTS / "step_07/prompt_unbounded.py", VARIANTS / "step_08/engine_looks_at_its_parts.py")
]


class ForklessZoo(Zoo):
    program = ("-c", FROM_NOTHING)


@pytest.mark.skipif(not FORKS, reason="there is no safe fork here: every process starts from nothing")
def test_a_fork_and_a_process_from_nothing_say_the_same() -> None:
    forked, from_nothing = verdicts(Zoo), verdicts(ForklessZoo)
    assert [bool(one.passed) and not one.ended for one in forked] == [True, True]
    for one, other in zip(forked, from_nothing, strict=True):
        assert (one.passed, one.skipped, one.ended) == (other.passed, other.skipped, other.ended)
        assert one.failed.keys() == other.failed.keys()


@pytest.mark.skipif(not FORKS, reason="pipes cannot be looked into everywhere")
def test_places_may_be_added_and_a_zoo_that_is_left_alone_ends() -> None:
    source, asked = os.pipe()
    os.write(asked, f"{SPECIMENS[0].path}\n\n".encode())
    orders = Orders(1, source)
    assert orders.specimens == SPECIMENS[:1] and orders() == 1
    os.write(asked, b"2\n4\n")
    assert orders() == orders() == 4
    os.close(asked)
    with pytest.raises(SystemExit):
        orders()


def test_a_zoo_that_ends_early_is_told_each_time() -> None:
    zoo = Zoo(SPECIMENS)
    zoo.close()
    for specimen in SPECIMENS:
        with pytest.raises(RuntimeError, match=f"ended before its verdict on {specimen.name}"):
            zoo.verdict_on(specimen)


def verdicts(kind: type[Zoo]) -> list[Verdict]:
    zoo = kind(SPECIMENS)
    try:
        return [zoo.verdict_on(specimen) for specimen in SPECIMENS]
    finally:
        zoo.close()
