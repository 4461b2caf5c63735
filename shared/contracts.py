"""The contracts, shown: `python -m shared.contracts`."""

from shared.metrics import RequestMetrics, ServingMetrics, SpecDecodeMetrics
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams

DATA_FLOW = """\
prompt (str)
    |
    v
engine.generate(prompt, max_new_tokens, SamplingParams)
    |
    v
GenerateResult
    |-- text        the completion, for the caller or the HTTP body
    |-- output_ids  the generated ids, for later chapters
    `-- metrics     RequestMetrics.as_dict(), "metrics" in the JSON"""


def example_results() -> dict[str, GenerateResult]:
    """A result of each kind, as engines of growing skill would return it."""
    text, ids = "A KV cache keeps keys and values.", [32, 730, 8, 11, 5]
    kinds: dict[str, RequestMetrics] = {
        "one opaque call": RequestMetrics(throughput=12.5, input_tokens=20, output_tokens=5),
        "a loop of our own": RequestMetrics(12.5, 20, 5, ttft_ms=95.04, tpot_ms=76.24),
        "behind the server": ServingMetrics(
            31.25, 20, 5, ttft_ms=40.0, tpot_ms=30.0, latency_ms=160.0, used_cache=True, finish_reason="stop"
        ),
        "speculative decoding": SpecDecodeMetrics(
            50.0,
            20,
            5,
            ttft_ms=40.0,
            tpot_ms=15.0,
            latency_ms=100.0,
            used_cache=True,
            finish_reason="length",
            tokens_proposed=6,
            tokens_accepted=4,
        ),
    }
    return {kind: GenerateResult(text, list(ids), metrics) for kind, metrics in kinds.items()}


def main() -> None:
    print("SamplingParams: how are tokens chosen?")
    for params in (SamplingParams(), SamplingParams(temperature=0.8, top_p=0.95)):
        print(f"  {params}\n    is_greedy: {params.is_greedy}")
    print("\nGenerateResult: text, ids and metrics, whichever engine ran")
    for kind, result in example_results().items():
        print(f"  {kind}: {result.metrics.as_dict()}")
    print(f"\nThe data flow\n{DATA_FLOW}")


if __name__ == "__main__":
    main()
