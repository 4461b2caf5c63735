"""The figures of a request, and what of them is told as JSON."""

import json

import pytest

from shared.metrics import RequestMetrics, ServingMetrics, SpecDecodeMetrics


def test_a_request_has_its_figures_by_place_or_by_name() -> None:
    metrics = RequestMetrics(12.5, 20, 40)
    assert metrics == RequestMetrics(throughput=12.5, input_tokens=20, output_tokens=40, ttft_ms=0.0, tpot_ms=0.0)
    assert (metrics.ttft_ms, metrics.tpot_ms) == (0.0, 0.0)


def test_what_was_not_measured_is_left_out() -> None:
    wanted = {"throughput": 12.5, "input_tokens": 20, "output_tokens": 40}
    assert RequestMetrics(12.5, 20, 40).as_dict() == wanted
    assert RequestMetrics(12.5, 20, 40, ttft_ms=3.0).as_dict() == wanted | {"ttft_ms": 3.0}
    assert RequestMetrics(12.5, 20, 40, tpot_ms=2.0).as_dict() == wanted | {"tpot_ms": 2.0}


def test_throughput_is_told_to_one_place_and_times_to_two() -> None:
    told = ServingMetrics(12.3456, 1, 2, ttft_ms=3.4567, tpot_ms=2.3456, latency_ms=5.6789).as_dict()
    assert (told["throughput"], told["ttft_ms"], told["tpot_ms"], told["latency_ms"]) == (12.3, 3.46, 2.35, 5.68)
    assert SpecDecodeMetrics(1.0, 1, 2, tokens_proposed=3, tokens_accepted=2).as_dict()["acceptance_rate"] == 0.667


def test_a_served_request_tells_latency_and_cache_always_and_its_end_where_it_is_known() -> None:
    plain = ServingMetrics(12.5, 20, 40)
    assert (plain.latency_ms, plain.used_cache, plain.finish_reason) == (0.0, False, None)
    wanted = RequestMetrics(12.5, 20, 40).as_dict() | {"latency_ms": 0.0, "used_cache": False}
    assert plain.as_dict() == wanted
    assert ServingMetrics(12.5, 20, 40, used_cache=True).as_dict() == wanted | {"used_cache": True}
    for reason in ("stop", "length", ""):
        assert ServingMetrics(12.5, 20, 40, finish_reason=reason).as_dict() == wanted | {"finish_reason": reason}


@pytest.mark.parametrize(("proposed", "accepted", "rate"), [(0, 0, 0.0), (1, 1, 1.0), (4, 3, 0.75), (2, 1, 0.5)])
def test_speculation_tells_all_three_of_its_figures(proposed: int, accepted: int, rate: float) -> None:
    metrics = SpecDecodeMetrics(12.5, 20, 40, tokens_proposed=proposed, tokens_accepted=accepted)
    assert metrics.acceptance_rate == rate
    told = {"tokens_proposed": proposed, "tokens_accepted": accepted, "acceptance_rate": rate}
    assert metrics.as_dict() == ServingMetrics(12.5, 20, 40).as_dict() | told
    assert SpecDecodeMetrics(12.5, 20, 40) == SpecDecodeMetrics(12.5, 20, 40, tokens_proposed=0, tokens_accepted=0)


@pytest.mark.parametrize("kind", [RequestMetrics, ServingMetrics, SpecDecodeMetrics])
def test_the_figures_are_json_and_a_dict_of_their_own(kind: type[RequestMetrics]) -> None:
    metrics = kind(12.5, 20, 40)
    told = metrics.as_dict()
    assert json.loads(json.dumps(told)) == told
    told.clear()
    assert metrics.as_dict()
