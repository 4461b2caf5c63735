"""The verb `compare`: what stands in the way is told in one line, and the table comes even where nothing can be drawn.

torch and the solution are imported last, after everything that can be said sooner.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kata.compare.comparison import Comparison, Model
from kata.compare.plot import picture
from kata.compare.readings import Reading
from kata.compare.record import as_json
from kata.compare.table import table
from kata.compare.ticker import Ticker
from kata.engines import (
    NEEDS,
    NOT_SOLVED,
    WRONG_USE,
    CannotRun,
    Sources,
    chosen_sources,
    load_model,
    make_engine,
    steps_for,
    told,
)
from kata.files import write_atomically
from kata.look import Look, harmless, name_of, say
from kata.machine import made_with
from kata.solution import Solution
from kata.steps import ROOT

if TYPE_CHECKING:
    from torch import nn

    from shared.runtime import Runtime

FOLDER = ROOT / "compare"
PROMPTS = ("What is a KV cache?", "Tell me a story about a red kite.")
SMALL, LARGE = 20_000_000, 1_000_000_000  # parameters
NAME = "compare"


@dataclass(frozen=True)
class Wish:
    """What was asked for. new_tokens: None leaves it to the model's size."""

    engines: Sequence[str]
    model: str
    impl: str
    new_tokens: int | None
    rounds: int
    out: Path


def compare(wish: Wish, look: Look) -> int:
    """Measure, print the table, write JSON and plot; the exit status."""
    try:
        with Ticker(sys.stderr, look.width) as ticker:
            comparison = _measured(wish, look, ticker)
            ticker.clear()
            say(["", *table(comparison, look), ""])
            _write(comparison, wish.out, look, ticker)
    except CannotRun as error:
        say(look.paragraph(harmless(" ".join(str(error).split()))))
        return error.status
    return 0


def _measured(wish: Wish, look: Look, ticker: Ticker) -> Comparison:
    _look_at(wish)
    sources = chosen_sources(wish.engines, wish.impl, look, lend=True)
    _try_to_write(wish.out)
    runtime = load_model(wish.model)
    solution = Solution(sources.files)
    new_tokens, readings = _readings(wish, solution, runtime, ticker)
    return Comparison(
        model=_model(runtime),
        impl=wish.impl,
        lent={engine: _lent_to(engine, sources) for engine in wish.engines},
        prompts=list(PROMPTS),
        new_tokens=new_tokens,
        rounds=wish.rounds,
        readings=readings,
        made_with=made_with(),
    )


def _readings(wish: Wish, solution: Solution, runtime: "Runtime", ticker: Ticker) -> tuple[int, list[Reading]]:
    """How many new tokens were asked for, and what was read. Whatever the solution raises is a `CannotRun`."""
    from kata.compare.measure import WARM_UP_TOKENS, Failed, measure, warm_up
    from shared.limits import RequestRefused, check_fits

    model = runtime.model
    engines = {name: make_engine(name, solution, runtime) for name in wish.engines}
    try:
        warm = warm_up(engines, model, PROMPTS, wish.new_tokens or WARM_UP_TOKENS, ticker)
        longest = max(reading.prompt_tokens for reading in warm)
        new_tokens = wish.new_tokens or _fitting(model, longest)
        check_fits(model, longest, new_tokens)
        return new_tokens, measure(engines, model, PROMPTS, new_tokens, wish.rounds, ticker)
    except RequestRefused as error:
        raise CannotRun(f"{error}: choose fewer, TOKENS=64", WRONG_USE) from error
    except Failed as error:
        raise CannotRun(told(str(error), error.__cause__, solution), NOT_SOLVED) from error


def _look_at(wish: Wish) -> None:
    """What can be refused before anything is loaded."""
    if not steps_for(wish.engines):
        raise CannotRun(f"no engine is named: choose from {', '.join(NEEDS)}", WRONG_USE)
    if wish.new_tokens is not None and wish.new_tokens < 2:
        raise CannotRun(f"{wish.new_tokens} new tokens are too few to compare: 2 or more, TOKENS=64", WRONG_USE)
    if wish.rounds < 1:
        raise CannotRun(f"{wish.rounds} repeats are too few: 1 or more, REPEATS=3", WRONG_USE)


def _fitting(model: "nn.Module", prompt_tokens: int) -> int:
    """As many new tokens as show the climb in bearable time: every one of them costs a forward over all before it."""
    from shared.limits import context_length

    size = sum(parameter.numel() for parameter in model.parameters())
    on_cpu = next(model.parameters()).device.type == "cpu"
    wanted = 256 if size < SMALL or not on_cpu else 64 if size < LARGE else 32
    return min(wanted, (context_length(model) or wanted + prompt_tokens) - prompt_tokens)


def _model(runtime: "Runtime") -> Model:
    from shared.limits import context_length

    parameters = list(runtime.model.parameters())
    return Model(
        name=runtime.name,
        parameters=sum(parameter.numel() for parameter in parameters),
        context=context_length(runtime.model),
        device=str(parameters[0].device),
        dtype=str(parameters[0].dtype).removeprefix("torch."),
    )


def _lent_to(engine: str, sources: Sources) -> dict[int, str]:
    return {step: why for step, why in sources.lent.items() if step in NEEDS[engine]}


def _try_to_write(folder: Path) -> None:
    """Better now than after the measuring."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> CannotRun:
    return CannotRun(
        f"{name_of(folder)} cannot be written to ({error.strerror or error}): choose another folder, OUT=…", WRONG_USE
    )


def _write(comparison: Comparison, folder: Path, look: Look, ticker: Ticker) -> None:
    """JSON first; the plot is of the same run or is not there."""
    files = {kind: folder / f"{NAME}.{kind}" for kind in ("json", "png", "svg")}
    try:
        write_atomically(files["json"], as_json(comparison).encode())
        ticker("drawing the plot")
        for kind in ("png", "svg"):
            files[kind].unlink(missing_ok=True)
            write_atomically(files[kind], picture(comparison, kind))
        without = ""
    except ImportError as error:
        without = f"no plot: {error}. `python -m pip install matplotlib` in this environment gets what it needs."
        files = {"json": files["json"]}
    except OSError as error:
        raise _unwritable(folder, error) from error
    ticker.clear()
    say(look.labelled("written", ", ".join(name_of(file) for file in files.values())))
    say(look.paragraph(without)) if without else None
