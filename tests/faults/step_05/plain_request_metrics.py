"""The metrics are `RequestMetrics`, which knows no latency and no cache use.

Caught by: test_the_result_is_the_envelope_of_the_contract
Says: only `ServingMetrics` has latency
"""

from shared.generation import Generation
from shared.metrics import RequestMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    n = len(generation.output_ids)
    throughput = n / generation.latency_s if generation.latency_s else 0.0
    metrics = RequestMetrics(throughput, generation.input_tokens, n)
    return GenerateResult(generation.text, generation.output_ids, metrics)
