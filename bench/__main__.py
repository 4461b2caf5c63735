"""`python -m bench [PART …]`: measures every part, or those named; prints, and writes results.json."""

import argparse
import sys
from pathlib import Path

from bench.cold import measure_cold
from bench.concurrency import measure_concurrency
from bench.decode import measure_decoding
from bench.load import measure_loading
from bench.measure import Unexpected
from bench.memory import measure_memory
from bench.overhead import measure_overhead
from bench.report import Results
from bench.streaming import measure_streaming
from bench.watch import measure_watch
from shared.runtime import RuntimeUnavailable

PARTS = ("cold", "watch", "load", "decode", "streaming", "overhead", "concurrency", "memory")
MODELS = {"tiny": 128, "smollm2": 48}  # model to new tokens


def main() -> int:
    options = _options()
    parts = options.parts or PARTS
    results = Results()
    try:
        for part in parts:
            _measure(part, results, options)
    except (Unexpected, RuntimeUnavailable) as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    print("\n".join(results.lines()))
    results.write_json(options.to)
    print(f"written to {options.to}")
    return 0


def _measure(part: str, results: Results, options: argparse.Namespace) -> None:
    if part not in ("cold", "watch", "decode"):
        _tell(part)
    match part:
        case "cold":
            results.cold = measure_cold(options.steps, options.rounds, _tell)
        case "watch":
            results.watch = measure_watch(options.steps, options.watch_rounds, _tell)
        case "load":
            results.loading = measure_loading(options.rounds)
        case "decode":
            for model, tokens in MODELS.items():
                _decoding(results, model, tokens, options.decode_rounds)
        case "streaming":
            results.streaming = measure_streaming("tiny", options.decode_rounds)
        case "overhead":
            results.overhead = measure_overhead("tiny", options.decode_rounds)
        case "concurrency":
            results.concurrency = measure_concurrency("tiny", options.rounds)
        case "memory":
            results.memory = measure_memory(options.requests)


def _decoding(results: Results, model: str, tokens: int, rounds: int) -> None:
    _tell(f"decoding on {model}")
    try:
        results.decoding.append(measure_decoding(model, tokens, rounds))
    except RuntimeUnavailable as reason:
        _tell(f"left out: {reason}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all when none is named")
    parser.add_argument(
        "--steps", nargs="+", type=int, default=list(range(1, 10)), metavar="N", help="for cold and watch"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of what takes long: cold, load, concurrency (3)")
    parser.add_argument("--watch-rounds", type=int, default=7, help="saves of each kind for each step (7)")
    parser.add_argument("--decode-rounds", type=int, default=7, help="rounds of decode, streaming, overhead (7)")
    parser.add_argument("--requests", type=int, default=200, help="requests for memory (200)")
    parser.add_argument("--to", type=Path, default=Path("bench", "results.json"), metavar="FILE", help="for the JSON")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return options


def _tell(line: str) -> None:
    print(f"… {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
