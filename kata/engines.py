"""The three engines that `serve`, `chat` and `compare` run, made of a solution's own steps, and what each needs.

It knows nothing of HTTP, terminals or tables. torch and the solution are imported last, after everything that can be
said sooner; whatever stands in the way is a `CannotRun` of one line.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from kata import progress
from kata.look import Look, name_of, say
from kata.path import State, survey
from kata.solution import Solution
from kata.source import CannotLoad, read
from kata.steps import EXERCISES, REFERENCE, STEPS, get_step

if TYPE_CHECKING:
    from shared.engine import Engine
    from shared.result import GenerateResult
    from shared.runtime import Runtime
    from shared.sampling_params import SamplingParams

ENGINES = ("cached", "uncached", "huggingface")
NEEDS = {"cached": (1, 2, 4, 5, 6), "uncached": (1, 2, 3, 5), "huggingface": (1,)}  # engine to steps
STREAMING = {
    "cached": "text comes token by token",
    "uncached": "no streaming: step 3 gives its text at the end",
    "huggingface": "no streaming: the library gives its text at the end",
}
NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3


class CannotRun(Exception):
    """Why it cannot be done, in one line, and the exit status."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True)
class Sources:
    """The file of each step, and why the reference's stands for some of those that are needed."""

    files: dict[int, Path]
    lent: dict[int, str]


class CachedEngine:
    """The `Engine` that steps 1 to 6 make. (What `serve` serves is step 8's own, which the checks hold to the same.)"""

    def __init__(
        self, runtime: "Runtime", generate_cached: Callable, summarize: Callable, generate_stream: Callable
    ) -> None:
        self.runtime = runtime
        self.generate_cached, self.summarize, self.generate_stream = generate_cached, summarize, generate_stream

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> "GenerateResult":
        model, tokenizer = self.runtime.model, self.runtime.tokenizer
        return self.summarize(self.generate_cached(model, tokenizer, prompt, max_new_tokens, params))

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> Iterator[str]:
        return self.generate_stream(self.runtime.model, self.runtime.tokenizer, prompt, max_new_tokens, params)


class UncachedEngine:
    """The `Engine` that steps 1 to 3 and 5 make, for comparison: no cache, so nothing to stream before the end."""

    def __init__(self, runtime: "Runtime", generate_uncached: Callable, summarize: Callable) -> None:
        self.runtime, self.generate_uncached, self.summarize = runtime, generate_uncached, summarize

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> "GenerateResult":
        model, tokenizer = self.runtime.model, self.runtime.tokenizer
        return self.summarize(self.generate_uncached(model, tokenizer, prompt, max_new_tokens, params))

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> Iterator[str]:
        if text := self.generate(prompt, max_new_tokens, params).text:
            yield text


def steps_for(engines: Iterable[str]) -> list[int]:
    """The steps that these engines are made of, in order; `CannotRun` where there is no such engine."""
    engines = list(engines)
    for engine in engines:
        if engine not in NEEDS:
            raise CannotRun(f"there is no engine {engine!r}: choose {', '.join(ENGINES)}", WRONG_USE)
    return sorted({number for engine in engines for number in NEEDS[engine]})


def chosen_sources(
    engines: Iterable[str], impl: str, look: Look, lend: bool = False, also: Iterable[int] = ()
) -> Sources:
    """The file of each step. What is needed and cannot be read is said before anything is loaded.

    impl: exercises, reference, or a folder. lend: the reference stands in for steps that are not written yet, instead
    of a `CannotRun`; `Sources.lent` tells which. also: steps that are needed besides those of the engines.
    """
    engines = list(engines)
    needed = sorted({*steps_for(engines), *also})
    files, lent = _files_of(impl, needed)
    if lent and not lend:
        say(look.paragraph(f"the reference stands in for what you jumped over: {', '.join(map(str, lent))}"))
    for number in needed:
        gap = _gap_in(number, files[number], may_be_missing=lend)
        if gap and lend:
            files[number], lent[number] = get_step(number).file_in(REFERENCE), gap
        elif gap:
            user = next((engine for engine in engines if number in NEEDS[engine]), engines[0])
            raise CannotRun(
                f"the engine {user} needs step {number}, which is {gap}. "
                f"{look.verb('check', number)} says what is missing; IMPL=reference runs the reference.",
                NOT_SOLVED,
            )
    return Sources(files, dict(sorted(lent.items())))


def load_model(name: str) -> "Runtime":
    """The model by its name, once it is said that it is being loaded."""
    say(f"loading the model {name} …")
    from shared.runtime import RuntimeUnavailable, load_runtime

    try:
        return load_runtime(name)
    except RuntimeUnavailable as error:
        raise CannotRun(str(error), WRONG_USE) from error


def make_engine(name: str, solution: Solution, runtime: "Runtime") -> "Engine":
    """The engine, of the solution's own steps."""
    steps_for([name])
    if name == "cached":
        names = {4: "generate_cached", 5: "summarize", 6: "generate_stream"}
        return CachedEngine(runtime, *_functions(solution, names))
    if name == "uncached":
        return UncachedEngine(runtime, *_functions(solution, {3: "generate_uncached", 5: "summarize"}))
    from shared.engine import HuggingFaceEngine

    return HuggingFaceEngine(runtime.model, runtime.tokenizer, *_functions(solution, {1: "prepare_inputs"}))


def _functions(solution: Solution, names: dict[int, str]) -> list[Callable]:
    """The named function of each step."""
    found = [getattr(load_step(solution, number), name, None) for number, name in names.items()]
    for (number, name), function in zip(names.items(), found, strict=True):
        if function is None:
            file = name_of(solution.sources[number])
            raise CannotRun(f"step {number} has no {name}: {file} is to define it", CANNOT_LOAD)
    return found


def load_step(solution: Solution, number: int) -> ModuleType:
    """The step's module; whatever its file raises is a `CannotRun`."""
    try:
        return solution.load(number)
    except (Exception, SystemExit) as error:
        raise CannotRun(told(f"step {number} cannot be loaded", error, solution), CANNOT_LOAD) from error


def told(what: str, error: BaseException, solution: Solution) -> str:
    """What failed, the first line of the error, and where in the solution's files it came from."""
    files = {str(file) for file in solution.sources.values()}
    places = [
        f" ({name_of(frame.f_code.co_filename)}, line {line})"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename in files
    ]
    first_line = str(error).strip().partition("\n")[0]
    return f"{what}: {type(error).__name__}: {first_line}{places[-1] if places else ''}"


def _files_of(impl: str, needed: list[int]) -> tuple[dict[int, Path], dict[int, str]]:
    """Step to file, and those of the needed that the learner jumped over."""
    if impl != "exercises":
        folder = REFERENCE if impl == "reference" else Path(impl).resolve()
        if not folder.is_dir():
            raise CannotRun(f"IMPL={impl}: there is no such folder (nor is it exercises or reference)", WRONG_USE)
        return {step.number: step.file_in(folder) for step in STEPS}, {}
    jumped = {place.step.number for place in survey(progress.load()[0]) if place.state is State.REFERENCE}
    files = {step.number: step.file_in(REFERENCE if step.number in jumped else EXERCISES) for step in STEPS}
    return files, {number: "jumped over" for number in needed if number in jumped}


def _gap_in(number: int, file: Path, may_be_missing: bool) -> str:
    """How the step is not written yet, "" where it is; `CannotRun` where the file is no Python."""
    if may_be_missing and not file.exists():
        return f"not there: {name_of(file)}"
    try:
        gaps = read(file).gaps(number)
    except CannotLoad as error:
        at = f", line {error.line}" if error.line else ""
        raise CannotRun(f"step {number} cannot be loaded: {name_of(file)}{at}: {error.what}", CANNOT_LOAD) from error
    return f"not written yet: {name_of(file)}, line {gaps[0].line}" if gaps else ""
