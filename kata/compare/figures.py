"""What follows from the readings: medians with their spread, the time per token at each position, what looks odd."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kata.compare.readings import Reading
from kata.spread import Spread

BASELINE = "uncached"


@dataclass(frozen=True)
class Curve:
    """Milliseconds per token over the position in the sequence, one entry a position in every list.

    lower_ms, upper_ms: the quartiles. count: how many requests have a token there.
    """

    position: list[int]
    median_ms: list[float]
    lower_ms: list[float]
    upper_ms: list[float]
    count: list[int]

    def where_all_are(self) -> "Curve":
        """Only the positions at which every request has a token: near the ends of longer prompts only some have."""
        kept = [at for at, count in enumerate(self.count) if count == max(self.count)]
        return Curve(*([column[at] for at in kept] for column in vars(self).values()))


FIGURES: dict[str, Callable[[Reading], float]] = {
    "ttft_ms": lambda reading: reading.ttft_s * 1000,
    "tpot_ms": lambda reading: reading.tpot_s * 1000,
    "latency_s": lambda reading: reading.latency_s,
    "throughput": lambda reading: reading.throughput,
    "model_tokens": lambda reading: reading.model_tokens,
    "cache_bytes": lambda reading: reading.cache_bytes,
}
SPEEDUP = "speedup"


def figures_of(engine: str, readings: Sequence[Reading]) -> dict[str, Spread]:
    """Each figure of an engine over all its requests; the speedup only where the baseline ran beside it."""
    own = [reading for reading in readings if reading.engine == engine]
    figures = {key: Spread.of([figure(reading) for reading in own]) for key, figure in FIGURES.items()}
    beside = {(one.prompt, one.round): one for one in readings if one.engine == BASELINE}
    if beside:
        pairs = [(one.throughput, beside[one.prompt, one.round].throughput) for one in own]
        figures[SPEEDUP] = Spread.of([fast / slow if slow else 0.0 for fast, slow in pairs])
    return figures


def curve_of(engine: str, readings: Sequence[Reading]) -> Curve:
    """The medians over all requests that have a token at that position."""
    seen: dict[int, list[float]] = {}
    for reading in readings:
        for position, seconds in reading.seconds_by_position().items() if reading.engine == engine else ():
            seen.setdefault(position, []).append(seconds * 1000)
    positions = sorted(seen)
    quartiles = [_quartiles(seen[position]) for position in positions]
    lower, median, upper = (list(column) for column in zip(*quartiles, strict=True)) if quartiles else ([], [], [])
    return Curve(positions, median, lower, upper, [len(seen[position]) for position in positions])


def _quartiles(values: list[float]) -> tuple[float, ...]:
    return tuple(statistics.quantiles(values, n=4, method="inclusive")) if len(values) > 1 else (values[0],) * 3


def prompt_tokens(readings: Sequence[Reading]) -> list[int]:
    """The length of each prompt, as the model saw it."""
    lengths = {reading.prompt: reading.prompt_tokens for reading in readings}
    return [lengths[prompt] for prompt in sorted(lengths)]


def oddities(readings: Sequence[Reading], new_tokens: int) -> list[str]:
    """What makes a comparison crooked, each in a line: other answers, fewer tokens, more calls than tokens."""
    lines = []
    for engine in dict.fromkeys(reading.engine for reading in readings):
        own = [reading for reading in readings if reading.engine == engine]
        short = [reading for reading in own if len(reading.output_ids) != new_tokens]
        calls = [reading for reading in own if len(reading.forwards) != len(reading.output_ids)]
        if short:
            lines.append(f"{engine} made {len(short[0].output_ids)} tokens where {new_tokens} were asked for")
        if calls:
            made, ran = len(calls[0].output_ids), len(calls[0].forwards)
            lines.append(f"{engine} ran the model {ran} times for {made} tokens")
    return lines + _other_answers(readings)


def _other_answers(readings: Sequence[Reading]) -> list[str]:
    """Where answers to one prompt part: between rounds of one engine, or between engines."""
    lines = []
    for prompt in sorted({reading.prompt for reading in readings}):
        first: dict[str, list[int]] = {}
        for reading in (one for one in readings if one.prompt == prompt):
            ids = first.setdefault(reading.engine, reading.output_ids)
            if ids != reading.output_ids:
                lines.append(f"prompt {prompt + 1}: {reading.engine} answers otherwise in another round")
        (basis, wanted), *others = sorted(first.items(), key=lambda item: item[0] != BASELINE)
        for engine, ids in others:
            if ids != wanted:
                at = next((i for i, pair in enumerate(zip(ids, wanted, strict=False)) if pair[0] != pair[1]), None)
                where = f"from token {at + 1} on" if at is not None else "in length"
                lines.append(f"prompt {prompt + 1}: {engine} and {basis} differ {where}")
    return list(dict.fromkeys(lines))
