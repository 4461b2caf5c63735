"""How the processes of the zoo are ended: with all that they have started, and with nobody else's."""

import multiprocessing
from multiprocessing.connection import wait
from pathlib import Path

import pytest

from tests.tools.schedule import end_with_group, has_ended
from tests.tools.warm import FORKS


@pytest.mark.skipif(not FORKS, reason="there is no safe fork here")
def test_a_process_that_has_ended_keeps_its_number_until_its_group_is_ended() -> None:
    process = multiprocessing.get_context("fork").Process(target=int)
    process.start()
    while not has_ended(process):
        wait([process.sentinel])
    assert has_ended(process) and Path(f"/proc/{process.pid}").exists()
    end_with_group(process)
    assert not Path(f"/proc/{process.pid}").exists() and process.exitcode == 0
    assert has_ended(process)
    end_with_group(process)
