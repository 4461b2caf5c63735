"""What a scripted model says: functions from the ids that it has truly seen to the next id, or to a row of logits."""

from collections.abc import Callable, Collection, Iterator, Sequence

import torch
from torch import Tensor

LETTERS = range(97, 123)
TRICKY_IDS = (0, 257, 258, 97, 98)  # 0, the tokenizer's EOS and its pad, which a mask made of ids takes for nothing
Script = Callable[[tuple[int, ...]], int | Tensor]


def hashed(seed: int = 1, among: Sequence[int] = LETTERS) -> Script:
    """A script whose next id depends on every id before it: one id more, fewer or other gives another answer."""

    def script(seen: tuple[int, ...]) -> int:
        state = seed
        for token in seen:
            state = (state * 31 + token + 7) % 1_000_003
        return among[state % len(among)]

    return script


def tricky(seen: tuple[int, ...]) -> int:
    """A script that says each of `TRICKY_IDS` in turn."""
    return TRICKY_IDS[len(seen) % len(TRICKY_IDS)]


def rows(seen: tuple[int, ...]) -> Tensor:
    """A script of rows: other logits for each length, of all sizes, none of them a clear winner, one forbidden."""
    row = torch.randn(300, generator=torch.Generator().manual_seed(len(seen)), device="cpu")
    row[7] = -torch.inf
    return row


def close_rows(seen: tuple[int, ...]) -> Tensor:
    """As `rows`, and the second best is only a thousandth below the best."""
    row = rows(seen)
    best, second = row.topk(2).indices.tolist()
    row[second] = row[best] - 1e-3
    return row


def flat(seen: tuple[int, ...]) -> Tensor:
    """A script in which all letters are equally likely."""
    row = torch.full((300,), -60.0, device="cpu")
    row[list(LETTERS)] = 0.0
    return row


def replying(reply: Sequence[int], header: Sequence[int], lost: int = ord("?")) -> Script:
    """A script that says `reply` after the last `header` (the ids that open the assistant's turn).

    What it says next is right only while what follows the header is the reply so far; else, and after it, `lost`.
    """
    opening, reply = _as_text(header), tuple(reply)

    def script(seen: tuple[int, ...]) -> int:
        begin = _as_text(seen).rfind(opening)
        said = seen[begin + len(opening) :] if begin >= 0 else None
        if said is None or said != reply[: len(said)] or len(said) >= len(reply):
            return lost
        return reply[len(said)]

    return script


def _as_text(ids: Sequence[int]) -> str:
    """Each id as a character, so that a search in thousands of them is quick."""
    return "".join(map(chr, ids))


def expected_reply(
    script: Script, prompt_ids: Sequence[int], new_tokens: int, stop_ids: Collection[int] = ()
) -> list[int]:
    """What a right loop makes of a script of ids: the oracle of the checks."""
    return list(_reply(script, tuple(prompt_ids), new_tokens, stop_ids))


def _reply(script: Script, seen: tuple[int, ...], new_tokens: int, stop_ids: Collection[int]) -> Iterator[int]:
    for _ in range(new_tokens):
        token = int(script(seen))
        yield token
        if token in stop_ids:
            return
        seen += (token,)
