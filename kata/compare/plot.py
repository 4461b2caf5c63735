"""The comparison as a picture: time per token over position in the sequence. Needs matplotlib, and no display."""

import io
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kata.compare.comparison import Comparison
from kata.compare.table import many, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE, DPI = (9, 5), 200  # inches; laid out for 900 x 500, and drawn twice as fine
# Okabe and Ito's colours, which every kind of sight tells apart; without colour the lines and the markers do.
STYLES = (("#D55E00", "-", "o"), ("#0072B2", (0, (5, 2)), "s"), ("#009E73", (0, (1, 1.2)), "^"))
INK, FAINT = "#222222", "#666666"
SMOOTHED = 5  # positions


def picture(comparison: Comparison, kind: str) -> bytes:
    """The file's content; kind: `png` or `svg`. `ImportError` where there is no matplotlib."""
    import matplotlib

    look = {"font.size": 11, "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK}
    with matplotlib.rc_context({**look, "axes.edgecolor": FAINT, "svg.hashsalt": "kata"}):
        file = io.BytesIO()
        draw(comparison).savefig(file, format=kind, dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()


def draw(comparison: Comparison) -> "Figure":
    """Drawn without `pyplot`, so that no window system is ever asked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    tops = [
        _draw_engine(axes, comparison, engine, style) for engine, style in zip(comparison.engines, STYLES, strict=False)
    ]
    axes.set_ylim(0, 1.2 * max(tops))  # the shading of a single spike may be cut off
    _mark_prefill(axes, max(comparison.prompt_tokens))
    _name_everything(axes, comparison)
    return figure


def smoothed(values: Sequence[float]) -> list[float]:
    """The running median over `SMOOTHED` positions, over fewer at the ends: a single spike goes, a climb stays."""
    reach = SMOOTHED // 2
    return [statistics.median(values[max(0, at - reach) : at + reach + 1]) for at in range(len(values))]


def _draw_engine(axes: "Axes", comparison: Comparison, engine: str, style: tuple) -> float:
    """A line that begins at the token of the prefill, which has a marker; the highest point of it."""
    colour, line, marker = style
    curve = comparison.curves[engine].where_all_are()
    median, lower, upper = (smoothed(values) for values in (curve.median_ms, curve.lower_ms, curve.upper_ms))
    first, last = (statistics.median(some) for some in (median[:SMOOTHED], median[-SMOOTHED:]))
    positions = [max(comparison.prompt_tokens) + 1, *curve.position]
    times = [comparison.figures[engine]["ttft_ms"].median, *median]
    axes.fill_between(curve.position, lower, upper, color=colour, alpha=0.15, linewidth=0)
    axes.plot(
        positions, times, color=colour, linestyle=line, linewidth=2, marker=marker, markevery=[0], markersize=8,
        markerfacecolor="white", markeredgewidth=1.8, label=f"{comparison.label(engine)}: "
        f"from {shown(first)} to {shown(last)} ms",
    )  # fmt: skip
    return max(times)


def _mark_prefill(axes: "Axes", end: int) -> None:
    """The prompt's positions are shaded: they go through in one forward, which makes the first token."""
    axes.axvspan(0, end, color="black", alpha=0.06, linewidth=0)
    axes.set_xlim(left=0)
    right = axes.get_xlim()[1]
    told = "prefill:\nthe prompt in\none forward" if end / right > 0.15 else "prefill"
    axes.text(0.008 * right, 0.97, told, transform=axes.get_xaxis_transform(), va="top", color=FAINT)


def _name_everything(axes: "Axes", comparison: Comparison) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="black", alpha=0.08)
    axes.set_axisbelow(True)
    axes.set_xlabel("position in the sequence (tokens)")
    axes.set_ylabel("time per token (ms)")
    axes.set_title(
        f"Time per token, by engine: {comparison.model.title}", loc="left", fontweight="bold", pad=22, parse_math=False
    )
    told = [
        f"{many(len(comparison.prompts), 'prompt')}, {many(comparison.rounds, 'round')}",
        f"medians over {SMOOTHED} positions, shaded: the middle half",
        "marker: first token (TTFT)",
    ]
    axes.text(0, 1.025, "; ".join(told), transform=axes.transAxes, fontsize=9, color=FAINT, parse_math=False)
    axes.figure.legend(loc="outside lower left", frameon=False, handlelength=3.2)
    axes.figure.text(0.995, 0.012, _machine(comparison), ha="right", fontsize=9, color=FAINT, parse_math=False)


def _machine(comparison: Comparison) -> str:
    """Whose code ran, and on what."""
    made, model = comparison.made_with, comparison.model
    place = f"{made['cpu']}, {many(made['threads'], 'thread')}" if model.device == "cpu" else model.device
    return f"code: {Path(comparison.impl).name}\n{place}\n{model.dtype}, torch {made['torch']}"
