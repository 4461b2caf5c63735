"""Step 5: turn the raw readings of a generation into the figures that a server reports."""

from collections.abc import Sequence
from math import ceil

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    """The generation's text and ids, with `ServingMetrics` made of its readings: seconds in, milliseconds out.

    Formula: throughput = output tokens / latency, in tokens per second; 0.0 where no time passed.
    Formula: TPOT = (latency - TTFT) / (output tokens - 1), 0.0 below two tokens (vLLM's definition).
    A `ttft_s` of None was not measured: TTFT and TPOT are 0.0. A `ttft_s` of 0.0 is a reading.
    Nothing is rounded here: `as_dict()` does that.
    """
    # TODO 5: `output_tokens`, `throughput`, `ttft_ms` and `tpot_ms` from the readings (about 7 lines)
    raise NotImplementedError("TODO 5: `output_tokens`, `throughput`, `ttft_ms` and `tpot_ms` from the readings")
    metrics = ServingMetrics(
        throughput=throughput,
        input_tokens=generation.input_tokens,
        output_tokens=output_tokens,
        ttft_ms=ttft_ms,
        tpot_ms=tpot_ms,
        latency_ms=1000 * generation.latency_s,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(text=generation.text, output_ids=list(generation.output_ids), metrics=metrics)


def percentile(values: Sequence[float], q: float) -> float:
    """Stretch: the value that q percent of the values do not exceed; q from 0 (smallest) to 100 (largest).

    Any common definition is right; this one is the nearest rank, so it is always one of the values.
    The values may come unsorted and are left as they were. `ValueError` where there are none.

    Example: `percentile([40, 10, 30, 20, 50], 90)` is 50; its median, `percentile(…, 50)`, is 30.
    """
    if not values or not 0 <= q <= 100:
        raise ValueError(f"percentile needs at least one value and q from 0 to 100, not {len(values)} values and q={q}")
    # TODO 5: rank the values, find the place of q among them (about 3 lines)
    raise NotImplementedError("TODO 5: rank the values, find the place of q among them")
