"""The arithmetic of the bench: ratios, costs of a token, places in a line. No clock is read, nothing is measured."""

import asyncio
import json

from bench.concurrency import Wave, crowd_of, greatest_displacement
from bench.decode import Decoding
from bench.load import Loading
from bench.measure import ratios, rotated
from bench.overhead import Overhead
from bench.report import Results
from bench.server import Doorkeeper
from bench.streaming import Streaming, cost_of_a_token
from bench.watch import WatchTimes
from kata.spread import Spread

BODIES = {"a": [True, True, False], "b": [False]}  # in parts: whether there is more


def test_a_spread_is_the_median_with_the_lowest_and_the_highest():
    spread = Spread.of([4.0, 1.0, 2.0])
    assert spread == Spread(2.0, 1.0, 4.0, 3)
    assert str(spread) == "2 s (1 to 4, 3 runs)" and spread.told("ms", 1000) == "2e+03 ms (1e+03 to 4e+03, 3 runs)"


def test_ratios_are_taken_round_by_round():
    assert ratios([2.0, 30.0, 6.0], [1.0, 10.0, 3.0]) == Spread(2.0, 2.0, 3.0, 3)


def test_each_round_begins_with_another_one():
    assert [rotated("abc", by)[0] for by in range(4)] == ["a", "b", "c", "a"]
    assert rotated([1, 4, 16], 1) == [4, 16, 1]


def test_a_speedup_has_a_spread_of_its_own():
    decoding = Decoding.of("tiny", 8, {"library": [3.0, 8.0], "cached": [2.0, 4.0], "uncached": [6.0, 4.0]})
    assert decoding.cached_speedup == Spread(1.75, 1.5, 2.0, 2)
    assert decoding.uncached_speedup == Spread(1.25, 0.5, 2.0, 2)


def test_the_prefill_is_no_cost_of_a_token():
    assert cost_of_a_token(seconds=0.5 + 63 * 0.25, tokens=64, first_token=0.5) == 0.25
    rounds = [(1.0, 1.5), (2.0, 2.0)]
    assert Streaming.of("tiny", rounds, rounds[::-1]).stream_ratio == Spread(1.25, 1.0, 1.5, 2)


def test_what_http_adds_is_told_pair_by_pair():
    overhead = Overhead.of("tiny", [[(1.0, 3.0), (5.0, 6.0), (2.0, 9.0)], [(1.0, 1.5), (1.0, 1.5), (9.0, 9.0)]])
    assert overhead.pairs == 3
    assert overhead.added == Spread(1.25, 0.5, 2.0, 2) and overhead.engine == Spread(1.5, 1.0, 2.0, 2)


def test_places_in_a_line():
    assert greatest_displacement([]) == greatest_displacement([7]) == greatest_displacement([3, 4, 6, 9]) == 0
    assert greatest_displacement([3, 5, 4, 6]) == 1
    assert greatest_displacement([1, 2, 3, 0]) == greatest_displacement([3, 0, 1, 2]) == 3


def test_only_the_right_text_counts_as_answered():
    alone = Wave(2.0, [1.0, 1.0], {0: "a", 1: "b"}, [0, 1])
    waves = {1: [alone], 4: [Wave(1.0, [0.5, 1.0], {0: "a", 1: "a"}, [3, 2])]}
    crowd = crowd_of(4, waves, alone.texts)
    assert (crowd.requests, crowd.answered, crowd.out_of_order) == (2, 1, 1)
    assert crowd.by_one_client == Spread(2.0, 2.0, 2.0, 1) and crowd.latency == Spread(0.75, 0.5, 1.0, 2)


def test_a_request_is_accepted_when_its_body_is_there_and_finished_when_its_answer_is():
    door, go, sent = Doorkeeper(_answer_when_told), {name: asyncio.Event() for name in "ab"}, []

    async def drive():
        asked = {name: asyncio.create_task(_ask(door, go[name], parts, sent)) for name, parts in BODIES.items()}
        for name in "ab":  # a is done first
            go[name].set()
            await asked[name]
        await door({"type": "http", "method": "GET", "path": "/finished"}, None, _keep(sent))

    asyncio.run(drive())
    assert json.loads(sent[-1]["body"]) == [1, 0] and door.finished == []  # b was there first


def test_a_watched_step_is_told_by_kind_and_by_its_slowest_twentieth():
    seen = WatchTimes(3, 2.0, 9.0, {"failing": [0.2, 0.1, 0.3], "stub": [0.01] * 3, "passing": [0.4, 0.5, 0.9]})
    assert (seen.median("failing"), seen.median("stub"), seen.median(), seen.p95()) == (0.2, 0.01, 0.2, 0.9)
    assert WatchTimes(3, 2.0, seconds={"failing": list(range(1, 21))}).p95() == 19
    lines = Results(watch=[seen, WatchTimes(8, 2.0, trouble="no verdict")]).lines()
    assert "0.20 s    0.01 s    0.50 s" in lines[2] and "0.10  (wanted: a median of 0.3 s)" in lines[2]
    assert lines[3] == "  step 8  not measured: no verdict"


def test_what_was_not_measured_is_not_told():
    assert Results().lines() == []
    lines = Results(loading=Loading(Spread.of([0.2]), Spread.of([0.1]))).lines()
    assert len(lines) == 2 and "wanted: at most 0.3 s" in lines[0]


async def _answer_when_told(scope, receive, send):
    while (await receive())["more_body"]:
        pass
    await scope["go"].wait()
    await send({"type": "http.response.body"})


async def _ask(door, go, parts, sent):
    messages = [{"type": "http.request", "more_body": more} for more in parts]

    async def receive():
        await asyncio.sleep(0)
        return messages.pop(0)

    await door({"type": "http", "method": "POST", "path": "/generate", "go": go}, receive, _keep(sent))


def _keep(sent):
    async def send(message):
        sent.append(message)

    return send
