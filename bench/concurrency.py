"""Several clients at once on the reference's server: one engine behind a line, so each waits for those before it.

Each client asks again as soon as it has its answer, so as many requests wait or run as there are clients. All are asked
the same questions, half of them as streams, and the answers must be those that one client alone gets. Fair is a line
in which requests finish in the order in which they were accepted.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Barrier

import httpx

from bench.measure import ratios, rotated
from bench.server import FINISHED
from bench.serving import Server, serving
from kata.spread import Spread

CLIENTS = (1, 4, 16)  # the last is also the number of places
REQUESTS = 32  # in a round, whatever the number of clients
NEW_TOKENS = 32


@dataclass
class Wave:
    """One round of `REQUESTS` requests. texts: what was answered, by the question's number; only where it was 200."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    finished: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Crowd:
    """So many clients at once, over all rounds.

    answered: requests that got the text which one client alone got. throughput: requests a second, and by that of one
    client in the same round. latency: seconds of a request, over all of them. out_of_order: the greatest difference
    between a request's place among the accepted and among the finished.
    """

    clients: int
    requests: int
    answered: int
    throughput: Spread
    by_one_client: Spread
    latency: Spread
    out_of_order: int


@dataclass(frozen=True)
class Concurrency:
    model: str
    places: int
    crowds: list[Crowd]


def measure_concurrency(name: str, rounds: int) -> Concurrency:
    """Interleaved: each round has every number of clients, each round begins with another one."""
    waves: dict[int, list[Wave]] = {clients: [] for clients in CLIENTS}
    with serving("-m", "bench.server", name, str(max(CLIENTS))) as server:
        wanted = _wave(server, 1).texts  # warms up as well
        for round_number in range(rounds):
            for clients in rotated(CLIENTS, round_number):
                waves[clients].append(_wave(server, clients))
    return Concurrency(name, max(CLIENTS), [crowd_of(clients, waves, wanted) for clients in CLIENTS])


def crowd_of(clients: int, waves: dict[int, list[Wave]], wanted: dict[int, str]) -> Crowd:
    """waves: by number of clients, round by round; 1 is among them. wanted: the right texts."""
    mine = waves[clients]
    throughput = {number: [len(wave.texts) / wave.seconds for wave in waves[number]] for number in (1, clients)}
    return Crowd(
        clients=clients,
        requests=len(wanted) * len(mine),
        answered=sum(text == wanted[number] for wave in mine for number, text in wave.texts.items()),
        throughput=Spread.of(throughput[clients]),
        by_one_client=ratios(throughput[clients], throughput[1]),
        latency=Spread.of([latency for wave in mine for latency in wave.latencies]),
        out_of_order=max(greatest_displacement(wave.finished) for wave in mine),
    )


def greatest_displacement(finished: Sequence[int]) -> int:
    """How many places a request finished before or after its turn, at most.

    finished: the numbers under which they were accepted, in the order in which they ended.
    Example: `greatest_displacement([3, 5, 4, 6])` is 1; in order it is 0, and where the first comes last, all but one.
    """
    turns = {number: turn for turn, number in enumerate(sorted(finished))}
    return max((abs(place - turns[number]) for place, number in enumerate(finished)), default=0)


def _wave(server: Server, clients: int) -> Wave:
    """All requests of a round, shared out among the clients, who begin together."""
    wave, begin = Wave(), Barrier(clients + 1)
    with ExitStack() as stack:
        asked = [stack.enter_context(server.client()) for _ in range(clients)]
        for client in asked:
            client.get("/health").raise_for_status()  # connects
        pool = stack.enter_context(ThreadPoolExecutor(clients))
        work = [pool.submit(_ask, client, range(at, REQUESTS, clients), begin, wave) for at, client in enumerate(asked)]
        begin.wait()
        started = time.perf_counter()
        for one in work:
            one.result()
        wave.seconds = time.perf_counter() - started
        wave.finished = asked[0].get(FINISHED).json()
    return wave


def _ask(client: httpx.Client, questions: Sequence[int], begin: Barrier, wave: Wave) -> None:
    begin.wait()
    for number in questions:
        started = time.perf_counter()
        body = {"prompt": f"Question {number}: what is a cache good for?", "max_new_tokens": NEW_TOKENS}
        streamed = number % 2
        answer = client.post("/stream" if streamed else "/generate", json=body)
        wave.latencies.append(time.perf_counter() - started)
        if answer.status_code == 200:
            wave.texts[number] = answer.text if streamed else answer.json()["text"]
