"""What was measured, as lines for people and as JSON for machines. Ratios first: seconds are this machine's alone."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.cold import ColdChecks
from bench.decode import Decoding
from bench.measure import Spread
from bench.memory import ServerMemory
from kata.machine import made_with

PACKAGES = ("torch", "transformers", "tokenizers", "fastapi", "starlette", "uvicorn", "pydantic", "pytest")
FIRST_FAILURE_LIMIT = 1.5  # times `import torch`, steps 2 to 6
SCHEMAS_LIMIT_S = 1.0  # step 7 needs no torch
SPEEDUP_WANTED = {"tiny": 1.25, "smollm2": 1.05}  # step 4 against the library's `generate`


@dataclass
class Results:
    """One run. What was not measured is empty or None."""

    cold: list[ColdChecks] = field(default_factory=list)
    decoding: list[Decoding] = field(default_factory=list)
    memory: ServerMemory | None = None

    def lines(self) -> list[str]:
        return [*self._cold_lines(), *self._decoding_lines(), *self._memory_lines()]

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
                f"  step 4, cached   {one.cached}  {one.cached_speedup:.2f} x as fast{goal}",
                f"  step 3, no cache {one.uncached}  {one.uncached_speedup:.2f} x as fast",
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


def _in_multiples(checks: ColdChecks, readings: list[float]) -> str:
    multiple = checks.multiple(readings)
    return "-" if multiple is None else f"{multiple:.2f}"


def _limit_of(checks: ColdChecks) -> str:
    if 2 <= checks.step <= 6:
        return f"wanted: first failure within {FIRST_FAILURE_LIMIT}"
    if checks.step == 7 and checks.wrong_s:
        return f"wanted: first failure within {SCHEMAS_LIMIT_S:g} s; took {Spread.of(checks.wrong_s).median:.2f} s"
    return ""
