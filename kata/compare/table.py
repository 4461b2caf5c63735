"""The comparison as lines for a terminal: a column for each engine, what the rows mean, what looks odd. Plain ASCII."""

import math
from dataclasses import dataclass

from kata.compare.comparison import Comparison
from kata.compare.figures import SPEEDUP
from kata.look import Look
from kata.spread import Spread

LABEL, COLUMN = 13, 15  # characters


@dataclass(frozen=True)
class Row:
    """A figure's heading and what it means; `whole` shows no decimals, of the readings divided by `divisor`."""

    key: str
    label: str
    means: str
    whole: bool = False
    divisor: int = 1

    def cell(self, spread: Spread) -> str:
        return self._shown(spread.median)

    def range(self, spread: Spread) -> str:
        """Lowest and highest; empty where there is but one."""
        return "" if spread.low == spread.high else f"{self._shown(spread.low)}-{self._shown(spread.high)}"

    def _shown(self, number: float) -> str:
        return f"{number / self.divisor:,.0f}" if self.whole else shown(number)


ROWS = (
    Row("ttft_ms", "TTFT (ms)", "time to first token: from the request to the end of the first forward (prefill)"),
    Row("tpot_ms", "TPOT (ms)", "time per output token after the first: (latency - TTFT) / (new tokens - 1)"),
    Row("latency_s", "latency (s)", "the whole request"),
    Row("throughput", "tokens/s", "new tokens / latency"),
    Row("model_tokens", "model tokens", "tokens that went through the model, over all forwards of a request", True),
    Row("cache_bytes", "cache (KiB)", "keys and values carried from one forward to the next, at the end", True, 1024),
    Row(SPEEDUP, "speedup", "throughput against that of uncached, in the same round"),
)


def table(comparison: Comparison, look: Look) -> list[str]:
    """What was run, what is odd about it, the figures, and what they mean."""
    lines = [*_heading(comparison, look), ""]
    lines += [line for note in comparison.notes for line in look.paragraph(f"note: {note}")]
    lines += [""] if comparison.notes else []
    marked = [f"{engine}{'*' if comparison.lent[engine] else ''}" for engine in comparison.engines]
    lines.append(look.strong(_line("", marked)))
    for row in _rows(comparison):
        spreads = [comparison.figures[engine][row.key] for engine in comparison.engines]
        lines.append(_line(row.label, [row.cell(spread) for spread in spreads]))
        if any(map(row.range, spreads)):
            lines.append(_line("", [row.range(spread) for spread in spreads]))
    return [*lines, *_lent(comparison, look), "", *_legend(comparison, look)]


def shown(number: float) -> str:
    """Three digits, or all before the point.

    Example: 0.4519 is "0.452", 12.34 is "12.3", 33024.0 is "33,024".
    """
    if number == 0:
        return "0"
    return f"{number:,.{min(max(0, 2 - math.floor(math.log10(abs(number)))), 6)}f}"


def many(count: int, noun: str) -> str:
    """`1 thread`, `2 threads`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _heading(comparison: Comparison, look: Look) -> list[str]:
    model, tokens = comparison.model, comparison.prompt_tokens
    low, high = min(tokens), max(tokens)
    lengths = f"{low}" if low == high else f"{low} to {high}"
    threads = comparison.made_with.get("threads")
    told = f"{model.name}, {model.device}, {model.dtype}" + (f", {many(threads, 'thread')}" if threads else "")
    return [
        *look.paragraph(f"{told}; code: {comparison.impl}"),
        *look.paragraph(
            f"{many(len(tokens), 'prompt')} of {lengths} tokens, {comparison.new_tokens} new tokens each, "
            f"{many(comparison.rounds, 'round')}"
        ),
        *look.paragraph("greedy, EOS ignored; medians, with lowest-highest below"),
    ]


def _rows(comparison: Comparison) -> list[Row]:
    return [row for row in ROWS if all(row.key in figures for figures in comparison.figures.values())]


def _line(label: str, cells: list[str]) -> str:
    return f"{label:<{LABEL}}" + "".join(f"{cell:>{COLUMN}}" for cell in cells)


def _lent(comparison: Comparison, look: Look) -> list[str]:
    """Whose steps are not the learner's, and why, in short; the JSON has each one's place."""
    reasons = {step: why for steps in comparison.lent.values() for step, why in steps.items()}
    groups: dict[str, list[int]] = {}
    for step in sorted(reasons):
        groups.setdefault(reasons[step].partition(":")[0], []).append(step)
    return [
        line
        for why, steps in groups.items()
        for line in look.paragraph(
            f"* with the reference's step{'s' if len(steps) > 1 else ''} "
            f"{', '.join(map(str, steps))}, since yours {'are' if len(steps) > 1 else 'is'} {why}"
        )
    ]


def _legend(comparison: Comparison, look: Look) -> list[str]:
    lines = []
    for row in _rows(comparison):
        first, *more = look.paragraph(row.means, " " * LABEL)
        lines += [f"{row.label.partition(' (')[0]:<{LABEL}}{first.strip()}", *more]
    return lines
