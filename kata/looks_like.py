"""Tells a failure that is known: a wrong solution of `tests/faults/` failed first in the very same words.

`looks_like.json` holds, for each step, a short digest of such a failure and the sentence that names the mistake behind
it; `make prove` writes it and proves that it never names a wrong one. Only what a check has judged can be recognised:
an exception, a time limit or a crash may have any cause.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kata.steps import Step
from kata.verdict import Outcome, Verdict

TABLE = Path(__file__).with_suffix(".json")
_PARTS = ("call", "got", "wanted", "why", "trace")
_VOLATILE = (  # the same mistake, in another process or file, or written a little otherwise
    (re.compile(r"0x[0-9a-fA-F]{4,}"), "0x"),
    (re.compile(r"\bThread-\d+"), "Thread"),
    (re.compile(r"[^\s'\"]*\b\w+\.py\b"), "a file"),
    (re.compile(r"^(\s*)line \d+: .*", re.MULTILINE), r"\1line"),  # of the file, as step 9 shows it
    (re.compile(r"\b([Ll])ine \d+"), r"\1ine"),
)


def looks_like(outcome: Outcome, step: Step, verdict: Verdict) -> str:
    """The sentence of the mistake that this failure is known for, empty where it is not known.

    Only the verdict's first failure is, and only where every check before it has run: that is how the table was made.
    """
    before = verdict.outcomes[: verdict.outcomes.index(outcome)]
    if outcome.failure is None or any(other.result != "passed" for other in before):
        return ""
    signature = signature_of(outcome.check.name, {"kind": outcome.failure.kind, **outcome.failure.parts})
    return known(TABLE).get(str(step.number), {}).get(signature, "")


def signature_of(check: str, failure: Mapping[str, object]) -> str:
    """A digest of a check's failure, as `describe` tells it, without what changes from run to run; empty for others."""
    if failure["kind"] != "check":
        return ""
    parts = ("call", "why") if failure["varies"] else _PARTS
    texts = [check, *(f"{part}: " + "\n".join(_lines(failure[part])) for part in parts)]
    for pattern, instead in _VOLATILE:
        texts = [pattern.sub(instead, text) for text in texts]
    return hashlib.sha256("\0".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _lines(part: object) -> list[str]:
    return [part] if isinstance(part, str) else list(part)


@cache
def known(table: Path) -> dict[str, dict[str, str]]:
    """Step number to digest to sentence; nothing where the file is not there or is none."""
    try:
        return json.loads(table.read_text(encoding="utf-8"))["steps"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
