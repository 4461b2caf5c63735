"""What was measured, as lines for people and as JSON for machines. Ratios first: seconds are this machine's alone."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.cold import ColdChecks
from bench.concurrency import Concurrency
from bench.decode import Decoding
from bench.load import Loading
from bench.memory import ServerMemory
from bench.overhead import Overhead
from bench.streaming import LONG, SHORT, Streaming
from bench.watch import KINDS, WatchTimes
from kata.machine import made_with
from kata.spread import Spread

PACKAGES = ("torch", "transformers", "tokenizers", "fastapi", "starlette", "uvicorn", "pydantic", "pytest")
FIRST_FAILURE_LIMIT = 1.5  # times `import torch`, steps 2 to 6
SCHEMAS_LIMIT_S = 1.0  # step 7 needs no torch
SPEEDUP_WANTED = {"tiny": 1.25, "smollm2": 1.05}  # step 4 against the library's `generate`
WATCH_LIMIT_S = 0.3  # the median of a save's verdict, steps 1 to 7
LOADING_LIMIT_S = 0.3  # of `tiny`, after imports
STREAM_RATIO_LIMIT = 1.2  # a token of a long answer by one of a short one
HTTP_LIMIT_MS = 5  # on top of the engine's TTFT


@dataclass
class Results:
    """One run. What was not measured is empty or None."""

    cold: list[ColdChecks] = field(default_factory=list)
    watch: list[WatchTimes] = field(default_factory=list)
    loading: Loading | None = None
    decoding: list[Decoding] = field(default_factory=list)
    streaming: Streaming | None = None
    overhead: Overhead | None = None
    concurrency: Concurrency | None = None
    memory: ServerMemory | None = None

    def lines(self) -> list[str]:
        lines = [*self._cold_lines(), *_watch_lines(self.watch)]
        if self.loading:
            lines += _loading_lines(self.loading)
        lines += self._decoding_lines()
        if self.streaming:
            lines += _streaming_lines(self.streaming)
        if self.overhead:
            lines += _overhead_lines(self.overhead)
        if self.concurrency:
            lines += _concurrency_lines(self.concurrency)
        return [*lines, *self._memory_lines()]

    def _cold_lines(self) -> list[str]:
        if not self.cold:
            return []
        lines = [
            f"import torch: {Spread.of([reading for checks in self.cold for reading in checks.torch_s])}",
            "cold `python -m kata check N`, in multiples of it, measured in the same rounds:",
            "        first failure   stub   pass",
        ]
        for checks in self.cold:
            wrong, stub, passing = (
                _in_multiples(checks, kind) for kind in (checks.wrong_s, checks.stub_s, checks.pass_s)
            )
            lines.append(f"  step {checks.step}{wrong:>14}{stub:>7}{passing:>7}  {_limit_of(checks)}".rstrip())
            lines += [f"    not measured: {trouble}" for trouble in checks.trouble]
        return lines

    def _decoding_lines(self) -> list[str]:
        lines = []
        for one in self.decoding:
            wanted = SPEEDUP_WANTED.get(one.model)
            goal = f"  (wanted: at least {wanted} x)" if wanted else ""
            lines += [
                f"greedy decoding on {one.model}, {one.tokens} tokens, against the library's generate:",
                f"  generate         {one.library}",
                f"  step 4, cached   {one.cached}",
                f"  step 3, no cache {one.uncached}",
                f"  step 4 is {one.cached_speedup.told('x')} as fast{goal}, step 3 {one.uncached_speedup.told('x')}",
            ]
        return lines

    def _memory_lines(self) -> list[str]:
        if self.memory is None:
            return []
        seen = self.memory
        return [
            f"the server's memory over {seen.requests} requests: {seen.before_mb:.1f} MB, half-way "
            f"{seen.half_way_mb:.1f} MB, then {seen.after_mb:.1f} MB ({seen.growth_mb:+.1f} MB)"
        ]

    def write_json(self, file: Path) -> None:
        """Every reading, what was printed of them, and the versions that they hold for."""
        everything = {"made_with": made_with(PACKAGES), "summary": self.lines(), **asdict(self)}
        file.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")


def _watch_lines(seen: list[WatchTimes]) -> list[str]:
    if not seen:
        return []
    lines = [
        f"`watch`, from save to the verdict's last line; import torch: {Spread.of([one.torch_s for one in seen])}",
        "          failing    stub    passing    of all: median    p95    in multiples of import torch",
    ]
    for one in seen:
        if one.trouble:
            lines.append(f"  step {one.step}  not measured: {one.trouble}")
            continue
        kinds = "".join(f"{one.median(kind):>8.2f} s" for kind in KINDS)
        told = f"  step {one.step}{kinds}{one.median():>13.2f} s{one.p95():>9.2f} s{one.median() / one.torch_s:>10.2f}"
        lines.append(told + (f"  (wanted: a median of {WATCH_LIMIT_S} s)" if one.step <= 7 else ""))
    return lines


def _loading_lines(seen: Loading) -> list[str]:
    return [
        f"load_runtime('tiny') after imports: {seen.first}  (wanted: at most {LOADING_LIMIT_S} s)",
        f"  the second one in a process: {seen.second}",
    ]


def _streaming_lines(seen: Streaming) -> list[str]:
    stream, loop = seen.stream_ratio.told("x"), seen.loop_ratio.told("x")
    return [
        f"streaming on {seen.model}, a token of {LONG} against one of {SHORT}, prefill left out:",
        f"  step 6's stream  {_in_ms(seen.stream_short)}, then {_in_ms(seen.stream_long)}",
        f"  decode_tokens    {_in_ms(seen.loop_short)}, then {_in_ms(seen.loop_long)}",
        f"  the stream {stream}  (wanted: at most {STREAM_RATIO_LIMIT} x), of which the loop alone {loop}",
    ]


def _overhead_lines(seen: Overhead) -> list[str]:
    return [
        f"TTFT on {seen.model}, medians of rounds of {seen.pairs} pairs: engine {_in_ms(seen.engine)}, "
        f"over HTTP {_in_ms(seen.http)}",
        f"  HTTP adds {_in_ms(seen.added)}  (wanted: at most {HTTP_LIMIT_MS} ms)",
    ]


def _concurrency_lines(seen: Concurrency) -> list[str]:
    lines = [f"clients at once on {seen.model}, {seen.places} places (wanted: all answered, none out of order):"]
    for crowd in seen.crowds:
        told, ratio = f"{crowd.answered} of {crowd.requests} answered", crowd.by_one_client.told("x")
        lines += [
            f"  {crowd.clients:>2}: {told}, out of order by {crowd.out_of_order}; a request took {crowd.latency}",
            f"      {crowd.throughput.told('requests/s')}, {ratio} of one client's",
        ]
    return lines


def _in_ms(seconds: Spread) -> str:
    return seconds.told("ms", 1000)


def _in_multiples(checks: ColdChecks, readings: list[float]) -> str:
    multiple = checks.multiple(readings)
    return "-" if multiple is None else f"{multiple:.2f}"


def _limit_of(checks: ColdChecks) -> str:
    if 2 <= checks.step <= 6:
        return f"wanted: first failure within {FIRST_FAILURE_LIMIT}"
    if checks.step == 7 and checks.wrong_s:
        return f"wanted: first failure within {SCHEMAS_LIMIT_S:g} s; took {Spread.of(checks.wrong_s).median:.2f} s"
    return ""
