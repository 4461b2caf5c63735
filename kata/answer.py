"""One answer in the terminal: its text as it comes, then what it cost, measured from outside alike for every engine.

A stream gives text and no ids, so tokens are counted by the calls of the model: each call makes one. A token is there
when the model is asked for the next one, the last when the stream ends.
"""

import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kata.forwards import Forwards, counted
from kata.look import harmless, say

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from shared.engine import Engine
    from shared.sampling_params import SamplingParams

_JOINERS = "\u200c\u200d"  # not printable, but parts of words and of emoji


class EngineFailed(Exception):
    """The engine, not the display, raised what is this error's cause."""


@dataclass(frozen=True)
class Reading:
    """What an answer cost. Times are in seconds, None where there was too little to have one.

    text_s: when the first text was shown, where that was later than the first token.
    """

    tokens_in: int
    tokens_out: int
    ttft_s: float | None
    text_s: float | None
    tpot_s: float | None
    latency_s: float
    was_stopped: bool


def show_answer(
    engine: "Engine", model: "PreTrainedModel", prompt: str, max_new_tokens: int, params: "SamplingParams"
) -> Reading:
    """Print the answer as it comes. Ctrl-C closes the stream, and with it stops the model; `EngineFailed` tells why."""
    from shared import clock

    was_stopped, text_at, whole, end = False, None, 0, "\n"
    with counted(model) as forwards:
        asked_at = clock.now()
        try:
            with closing(_pieces(engine, prompt, max_new_tokens, params)) as pieces:
                for piece in pieces:
                    whole = len(forwards.began)
                    say(_shown(piece), end="")
                    text_at, end = text_at or clock.now(), piece[-1:] or end
        except KeyboardInterrupt:
            was_stopped = True
        finally:
            ended_at = clock.now()
            if was_stopped or end != "\n":
                say("")
    lost = int(was_stopped and whole < len(forwards.began))
    return read_off(forwards, asked_at, text_at, ended_at, was_stopped, lost)


def read_off(
    forwards: Forwards,
    asked_at: float,
    text_at: float | None,
    ended_at: float,
    was_stopped: bool = False,
    lost: int = 0,
) -> Reading:
    """The figures, by the definitions of the metrics contract. lost: calls at the end that were stopped half-way."""
    there_at = [*forwards.began[1:], ended_at][: len(forwards.began) - lost]
    is_late = text_at is not None and text_at > there_at[0] if there_at else False
    return Reading(
        tokens_in=sum(forwards.tokens[:1]),
        tokens_out=len(there_at),
        ttft_s=there_at[0] - asked_at if there_at else None,
        text_s=text_at - asked_at if is_late else None,
        tpot_s=(there_at[-1] - there_at[0]) / (len(there_at) - 1) if len(there_at) > 1 else None,
        latency_s=ended_at - asked_at,
        was_stopped=was_stopped,
    )


def line_of(reading: Reading, engine: str, max_new_tokens: int) -> str:
    """The figures in a line. An EOS as the very last permitted token is told as "length": a stream does not show it."""
    parts = [f"{reading.tokens_in} in, {reading.tokens_out} out"]
    if reading.ttft_s is not None:
        late = f" (text after {_time(reading.text_s)})" if reading.text_s is not None else ""
        parts.append(f"TTFT {_time(reading.ttft_s)}{late}")
    if reading.tpot_s is not None:
        parts.append(f"TPOT {_time(reading.tpot_s)}")
    if reading.tokens_out and reading.latency_s > 0:
        parts.append(f"{reading.tokens_out / reading.latency_s:.0f} tokens/s")
    finish = "length" if reading.tokens_out >= max_new_tokens else "stop"
    parts.append("stopped" if reading.was_stopped else finish)
    return f"{engine}: {', '.join(parts)}"


def _pieces(engine: "Engine", prompt: str, max_new_tokens: int, params: "SamplingParams") -> Iterator[str]:
    """The engine's pieces; what it raises, at its end too, is an `EngineFailed`."""
    pieces = None
    try:
        try:
            pieces = engine.stream(prompt, max_new_tokens, params)
            for piece in pieces:
                if not isinstance(piece, str):
                    raise TypeError(f"the stream gave {piece!r}, which is no text")
                yield piece
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
    except (Exception, SystemExit) as error:
        raise EngineFailed from error


def _shown(piece: str) -> str:
    """The text, harmless to a terminal: spaces and joiners of any script stay, control characters are written out."""
    kept = (c if c in _JOINERS or unicodedata.category(c) == "Zs" else harmless(c) for c in piece.replace("\r\n", "\n"))
    return "".join(kept)


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{1000 * seconds:.{1 if seconds < 0.1 else 0}f} ms"
