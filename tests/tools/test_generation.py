"""Why a generation ended, and the raw readings that it hands over."""

import pytest

from shared.generation import Generation, finish_reason


@pytest.mark.parametrize(
    ("output_ids", "stop_ids", "reason"),
    [
        ([5, 2], {2}, "stop"),
        ([2], {2}, "stop"),
        ([5, 0], {0}, "stop"),
        ([5, 7], {2, 7}, "stop"),
        ([2, 5], {2}, "length"),
        ([5, 6], {2}, "length"),
        ([5], set(), "length"),
        ([], {2}, "length"),
    ],
)
def test_only_a_stop_id_at_the_end_is_a_stop(output_ids: list[int], stop_ids: set[int], reason: str) -> None:
    assert finish_reason(output_ids, stop_ids, ignore_eos=False) == reason


@pytest.mark.parametrize("output_ids", [[5, 2], [2], [5], []])
def test_with_ignore_eos_only_length_ends_it(output_ids: list[int]) -> None:
    assert finish_reason(output_ids, {2}, ignore_eos=True) == "length"


def test_readings_are_equal_where_their_values_are() -> None:
    first, second = (Generation("a", 3, [1, 2], "length", None, 0.5, False) for _ in range(2))
    assert first == second
    assert first != Generation("a", 3, [1, 2], "length", 0.0, 0.5, False)
    assert (first.ttft_s, first.latency_s, first.used_cache) == (None, 0.5, False)
