"""`python -m bench [cold] [decode] [memory]`: measures all three, or those named; prints, and writes results.json."""

import argparse
import sys

from bench.cold import measure_cold
from bench.decode import measure_decoding
from bench.measure import ROOT, Unexpected
from bench.memory import measure_memory
from bench.report import Results
from shared.runtime import RuntimeUnavailable

PARTS = ("cold", "decode", "memory")
MODELS = {"tiny": 128, "smollm2": 48}  # model to new tokens


def main() -> int:
    options = _options()
    parts = options.parts or PARTS
    results = Results()
    try:
        if "cold" in parts:
            results.cold = measure_cold(options.steps, options.rounds, _tell)
        if "decode" in parts:
            for model, tokens in MODELS.items():
                _decoding(results, model, tokens, options.decode_rounds)
        if "memory" in parts:
            _tell(f"server, {options.requests} requests")
            results.memory = measure_memory(options.requests)
    except Unexpected as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    print("\n".join(results.lines()))
    file = ROOT / "bench" / "results.json"
    results.write_json(file)
    print(f"written to {file.relative_to(ROOT)}")
    return 0


def _decoding(results: Results, model: str, tokens: int, rounds: int) -> None:
    _tell(f"decoding on {model}")
    try:
        results.decoding.append(measure_decoding(model, tokens, rounds))
    except RuntimeUnavailable as reason:
        _tell(f"left out: {reason}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="cold, decode, memory; all when none is named")
    parser.add_argument("--steps", nargs="+", type=int, default=list(range(1, 10)), metavar="N", help="for cold")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of cold checks (3)")
    parser.add_argument("--decode-rounds", type=int, default=7, help="rounds of decoding (7)")
    parser.add_argument("--requests", type=int, default=200, help="requests to the server (200)")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return options


def _tell(line: str) -> None:
    print(f"… {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
