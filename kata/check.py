"""Checks one step of a solution: reads its file, runs its checks in a process of their own, gives the verdict."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kata.child import Child, Started
from kata.expected import Check, checks_in
from kata.output import Output
from kata.run import Run, run_checks
from kata.source import CannotLoad, Source, digest_of, gaps_in, read
from kata.stacks import solution_frames
from kata.steps import EXERCISES, ROOT, Step
from kata.stubs import is_stub, stub_of
from kata.verdict import Ending, Failure, Kind, Outcome, Verdict, judge

Sources = Mapping[int, Path]  # step number to the file that stands for it
Start = Callable[[Step, Sources], Sequence[Child]]  # the processes that wait to run a step's checks
Meanwhile = Callable[[], None]
_OPTIONS = ("--evidence", "-s", "-q", "--tb=no", "--no-header", "--import-mode=importlib")
# The recorder has the stacks dumped itself, and what is logged is shown with what is printed. pytest's own plugin for
# logs would also attach itself to each of torch's loggers, six times a check.
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:logging")


@dataclass(frozen=True)
class Result:
    """The verdict on a step, and what its report needs."""

    step: Step
    file: Path
    verdict: Verdict
    source: Source | None = None  # None where the file cannot be read or compiled
    digest_after: str | None = None  # of the file when the checks were over
    output: Output | None = None
    gaps_of_stub: int = 1
    lent: tuple[int, ...] = ()  # earlier steps that the reference stands in for

    @property
    def changed_meanwhile(self) -> bool:
        """Whether the file is no longer what was checked: then nobody knows what was."""
        return self.source is not None and self.digest_after != self.source.digest

    @property
    def exit_status(self) -> int:
        status = self.verdict.kind.exit_status
        return 1 if status == 0 and self.changed_meanwhile else status


def start_from_nothing(step: Step, sources: Sources) -> list[Child]:
    """One process that has everything still to import."""
    arguments = pytest_arguments([step])
    for number, file in sources.items():
        arguments += ["--step-file", f"{number}={file}"]
    return [Started(arguments, ROOT)]


def pytest_arguments(steps: Sequence[Step]) -> list[str]:
    """For a run that tells the runner what happens in it."""
    files = [str(step.test_file) for step in steps]
    where = ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml")]
    return [*files, *where, *_OPTIONS, *WITHOUT, "-m", "not gpu and not real", "--impl", str(EXERCISES)]


def check_step(
    step: Step,
    sources: Sources,
    limit_s: float,
    keep_going: bool = False,
    start: Start = start_from_nothing,
    meanwhile: Meanwhile | None = None,
) -> Result:
    """Check a step; `sources` has the file of each step. `keep_going`: beyond the first failure.

    meanwhile: called while the checks run; what it raises ends them and comes through.
    """
    file = sources[step.number]
    try:
        expected = checks_in(step.test_file)
    except (OSError, SyntaxError) as error:
        return Result(step, file, Verdict(Kind.BROKEN, broken=f"the checks cannot be read: {error}"))
    try:
        source = read(file)
    except CannotLoad as error:
        return Result(step, file, _cannot_load(expected, file, error))
    gaps_of_stub = _gaps_of_stub(step)
    if source.gaps(step.number) and is_stub(source.file, step):
        return Result(step, file, _not_started(expected, source, step), source, source.digest, None, gaps_of_stub)
    run = run_checks(start(step, sources), _names(sources), limit_s, keep_going, meanwhile)
    verdict = judge(expected, run.events, _ending(run, sources))
    if verdict.kind is Kind.BROKEN and not verdict.broken.strip():
        verdict = replace(verdict, broken="pytest ended without a word")
    return Result(step, file, verdict, source, digest_of(file), run.output, gaps_of_stub)


def _ending(run: Run, sources: Sources) -> Ending:
    crash = run.dump.partition("\n")[0] if run.dump.startswith(("Fatal", "Windows fatal")) else ""
    return Ending(run.status, tuple(solution_frames(run.dump, _names(sources))), crash, run.limit_s)


def _gaps_of_stub(step: Step) -> int:
    try:
        return len(gaps_in(ast.parse(stub_of(step)), step.number))
    except (OSError, ValueError, SyntaxError):  # no reference to make a stub from
        return 1


def _names(sources: Sources) -> frozenset[str]:
    return frozenset(str(file) for file in sources.values())


def _cannot_load(expected: list[Check], file: Path, error: CannotLoad) -> Verdict:
    frame = {"file": str(file), "line": error.line, "function": "", "text": error.text}
    failure = Failure("error", error.what, frames=(frame,), loading=True)
    return Verdict(Kind.CANNOT_LOAD, _first_fails(expected, failure))


def _not_started(expected: list[Check], source: Source, step: Step) -> Verdict:
    gap = source.gaps(step.number)[0]
    frame = {"file": str(source.file), "line": gap.line, "function": gap.inside, "text": ""}
    failure = Failure("todo", f"TODO {step.number}: {gap.task}", "NotImplementedError", (frame,))
    return Verdict(Kind.NOT_STARTED, _first_fails(expected, failure))


def _first_fails(expected: list[Check], failure: Failure) -> tuple[Outcome, ...]:
    first, *others = expected
    return (Outcome(first, "failed", failure), *(Outcome(check, "not run") for check in others))
