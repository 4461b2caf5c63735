"""Checks one step of a solution: reads its file, runs its checks in a process of their own, gives the verdict."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kata.child import Run, run_checks
from kata.expected import Check, checks_in
from kata.output import Output
from kata.source import CannotLoad, Source, digest_of, gaps_in, read
from kata.stacks import solution_frames
from kata.steps import EXERCISES, ROOT, Step
from kata.stubs import is_stub, stub_of
from kata.verdict import Ending, Failure, Kind, Outcome, Verdict, judge

_OPTIONS = ("--evidence", "-s", "-q", "--tb=no", "--no-header", "--import-mode=importlib")
_WITHOUT = ("-p", "no:cacheprovider", "-p", "no:faulthandler")  # the recorder has the interpreter's stacks dumped


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

    @property
    def changed_meanwhile(self) -> bool:
        """Whether the file is no longer what was checked: then nobody knows what was."""
        return self.source is not None and self.digest_after != self.source.digest

    @property
    def exit_status(self) -> int:
        status = self.verdict.kind.exit_status
        return 1 if status == 0 and self.changed_meanwhile else status


def check_step(step: Step, sources: Mapping[int, Path], limit_s: float, keep_going: bool = False) -> Result:
    """Check a step; `sources` has the file of each step. `keep_going`: beyond the first failure."""
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
    run = _run(step, sources, limit_s, keep_going)
    verdict = judge(expected, run.events, _ending(run, sources))
    if verdict.kind is Kind.BROKEN and not verdict.broken.strip():
        verdict = replace(verdict, broken="pytest ended without a word")
    return Result(step, file, verdict, source, digest_of(file), run.output, gaps_of_stub)


def _run(step: Step, sources: Mapping[int, Path], limit_s: float, keep_going: bool) -> Run:
    arguments = [str(step.test_file), "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml")]
    arguments += [*_OPTIONS, *_WITHOUT, "-m", "not gpu and not real", "--impl", str(EXERCISES)]
    for number, file in sources.items():
        arguments += ["--step-file", f"{number}={file}"]
    return run_checks(arguments, ROOT, _names(sources), limit_s, keep_going)


def _ending(run: Run, sources: Mapping[int, Path]) -> Ending:
    crash = run.dump.partition("\n")[0] if run.dump.startswith(("Fatal", "Windows fatal")) else ""
    return Ending(run.status, tuple(solution_frames(run.dump, _names(sources))), crash, run.limit_s)


def _gaps_of_stub(step: Step) -> int:
    try:
        return len(gaps_in(ast.parse(stub_of(step)), step.number))
    except (OSError, ValueError, SyntaxError):  # no reference to make a stub from
        return 1


def _names(sources: Mapping[int, Path]) -> frozenset[str]:
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
