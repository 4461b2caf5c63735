"""The comparison as JSON: everything that the table and the plot show, every reading behind it, and the machine."""

import json
import re
from dataclasses import asdict

from kata.compare.comparison import Comparison
from kata.compare.readings import Reading
from kata.compare.table import table
from kata.look import Look

SCHEMA = 1
_NUMBERS = re.compile(r"\[\s+[-+\d.e,\s]+?\s*\]")


def as_json(comparison: Comparison) -> str:
    """Times in the units that the names say; a list of numbers stays on one line."""
    text = json.dumps(as_dict(comparison), indent=2, ensure_ascii=False)
    return _NUMBERS.sub(lambda found: re.sub(r"\s+", " ", found[0]).replace("[ ", "[").replace(" ]", "]"), text) + "\n"


def as_dict(comparison: Comparison) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "made_with": comparison.made_with,
        "model": asdict(comparison.model),
        "impl": comparison.impl,
        "new_tokens": comparison.new_tokens,
        "rounds": comparison.rounds,
        "decoding": "greedy, EOS ignored, warm-up left out",
        "prompts": [
            {"text": text, "tokens": tokens}
            for text, tokens in zip(comparison.prompts, comparison.prompt_tokens, strict=True)
        ],
        "notes": comparison.notes,
        "summary": table(comparison, Look()),
        "engines": {engine: _engine(comparison, engine) for engine in comparison.engines},
    }


def _engine(comparison: Comparison, engine: str) -> dict[str, object]:
    return {
        "label": comparison.label(engine),
        "lent": [{"step": step, "why": why} for step, why in sorted(comparison.lent[engine].items())],
        "figures": {key: asdict(spread) for key, spread in comparison.figures[engine].items()},
        "per_position": _rounded(asdict(comparison.curves[engine])),
        "readings": [_reading(reading) for reading in comparison.readings if reading.engine == engine],
    }


def _reading(reading: Reading) -> dict[str, object]:
    """Prompt and round count from 1, as in the notes."""
    forwards = reading.forwards
    return {
        "prompt": reading.prompt + 1,
        "round": reading.round + 1,
        "latency_s": reading.latency_s,
        "output_ids": reading.output_ids,
        "forwards": {
            "tokens": [forward.tokens for forward in forwards],
            "ended_ms": [round(forward.ended_s * 1000, 4) for forward in forwards],
            "cache_bytes": [forward.cache_bytes for forward in forwards],
        },
    }


def _rounded(columns: dict[str, list]) -> dict[str, list]:
    return {name: [round(value, 4) for value in values] for name, values in columns.items()}
