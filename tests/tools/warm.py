"""The processes in which a specimen meets its step's checks.

Where a fork is safe, everything is imported and all checks are collected once, and that warm process is forked for each
specimen. Elsewhere each specimen has a process that starts from nothing.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from kata import guards
from kata.check import WITHOUT
from kata.forks import FORKS
from kata.memory import freeze, join_pages
from kata.steps import ROOT, Step
from kata.warm import Host
from tests.doubles import ahead
from tests.tools.recorder import CHECK_LIMIT_S, Recorder
from tests.tools.specimens import Specimen
from tests.tools.warm_arena import keep_one_waiting

DUEL = 9  # the step whose checks need one more process
Start = Callable[[Specimen, Path, frozenset[str]], BaseProcess]  # a specimen, where to record, further checks to run


def with_processes(steps: Sequence[Step], work: Callable[[Start], None]) -> None:
    """Calls `work` with what starts the process of a specimen of one of the steps."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(ROOT)
    if not FORKS:
        work(_starting(multiprocessing.get_context("spawn"), _check_from_nothing))
        return
    ahead.import_libraries([step.number for step in steps])
    hosted = _Hosted(work)
    pytest.main([*(str(step.test_file) for step in steps), *_options()], plugins=[Host(hosted)])
    if hosted.trouble is not None:
        raise hosted.trouble
    if not hosted.worked:
        raise RuntimeError("pytest ended before the checks could be run")


class _Hosted:
    """What is done with the session of the warm process, in the place of the loop that runs the checks."""

    def __init__(self, work: Callable[[Start], None]) -> None:
        self.work, self.worked = work, False
        self.trouble: BaseException | None = None

    def __call__(self, session: pytest.Session) -> None:
        session.config.pluginmanager.unregister(name="kata-guards").pytest_unconfigure()  # each fork has its own
        try:
            for job in ahead.jobs(session.items):
                job()
            freeze()
            join_pages()
            self.work(_starting(multiprocessing.get_context("fork"), _check_in_fork, session))
            self.worked = True
        except BaseException as error:  # pytest would print it and go on
            self.trouble = error


def _starting(methods, check: Callable[..., None], *first: object) -> Start:
    def start(specimen: Specimen, record: Path, also: frozenset[str]) -> BaseProcess:
        process = methods.Process(target=check, args=(*first, specimen, record, also))
        process.start()
        return process

    return start


def _options() -> list[str]:
    options = ["--impl", "reference", "-q", "-s", "--tb=no", *WITHOUT]
    options += ["-p", "pytest_timeout", "--timeout", str(CHECK_LIMIT_S)]
    return options + (["-o", "timeout_method=signal"] if hasattr(signal, "SIGALRM") else [])


def _check_in_fork(session: pytest.Session, specimen: Specimen, record: Path, also: frozenset[str]) -> None:
    """In a fork of the host: the collected checks on the specimen's file, under guards of their own."""
    os.setpgid(0, 0)  # and no session: Linux shares processors out by session first, whatever is nice
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _be_silent()
    _use_threads(specimen.threads)
    if specimen.step.number == DUEL:
        keep_one_waiting()
    config = session.config
    config.option.step_file = [_laid_over(specimen)]
    guard = guards.Guards(config)
    config.pluginmanager.register(guard, "kata-guards")
    try:
        with record.open("a", encoding="utf-8") as lines:
            recorder = Recorder(specimen, lines, also)
            config.pluginmanager.register(recorder)
            checks = recorder.chosen(session.items)
            for check, after in zip(checks, [*checks[1:], None], strict=True):
                config.hook.pytest_runtest_protocol(item=check, nextitem=after)
    finally:
        guard.really_exit(0)  # threads that the file has left behind have no say


def _check_from_nothing(specimen: Specimen, record: Path, also: frozenset[str]) -> None:
    """In a new process: the checks of the specimen's step, collected and run."""
    os.chdir(ROOT)
    _be_silent()
    _use_threads(specimen.threads)
    with record.open("a", encoding="utf-8") as lines:
        arguments = [str(specimen.step.test_file), "--step-file", _laid_over(specimen), *_options()]
        pytest.main(arguments, plugins=[Recorder(specimen, lines, also)])
    os._exit(0)


def _use_threads(number: int) -> None:
    if number > 1:
        import torch  # which reads the environment as it is imported, and that is the caller's affair

        torch.set_num_threads(number)


def _laid_over(specimen: Specimen) -> str:
    return f"{specimen.step.number}={specimen.path}"


def _be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
