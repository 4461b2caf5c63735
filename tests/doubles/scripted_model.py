"""A causal language model whose logits a check dictates, and which records every call.

Its answer depends on the whole sequence that it has truly seen, through its own opaque cache where it is handed one:
a token fed twice, left out or fed without its past changes the answer, as in a real model. It needs no transformers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

Script = Callable[[tuple[int, ...]], int | Tensor]
PEAK = 60.0  # the scripted token's logit over the others' 0: certain at any temperature up to 2 (e^-30)


class ScriptedCache:
    """An opaque past, and a falsy one, as an empty `DynamicCache` is: `if cache:` is the wrong question."""

    def __init__(self, seen: tuple[int, ...]) -> None:
        self.seen = seen

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return len(self.seen)

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False


class Output(dict):
    """What a real model returns: read by attribute, by name, or by place."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the model's output has no {name!r}") from None

    def __getitem__(self, key: str | int | slice) -> Any:
        return super().__getitem__(key) if isinstance(key, str) else self.to_tuple()[key]

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(value for value in self.values() if value is not None)


@dataclass
class Call:
    """One forward, copied as it was made: tensors that change later do not change the record."""

    ids: list[int]
    mask: list[int] | None
    positions: list[int] | None
    cached: int  # tokens in the cache that was handed in
    cache_given: object | None
    seen: tuple[int, ...]  # the whole sequence behind the answer
    grad: bool  # whether a graph was being recorded
    training: bool
    use_cache: bool | None
    logits_kept: int  # rows of logits returned
    arguments: frozenset[str]  # names of all arguments that were not None
    cache_returned: object | None = None

    def __str__(self) -> str:
        cache = f", cache {self.cached}" if self.cache_given is not None else ""
        mask = f", mask {len(self.mask)}" if self.mask is not None else ", no mask"
        return f"{len(self.ids)} token{'s' if len(self.ids) != 1 else ''}{cache}{mask}"


def trace(calls: Sequence[Call], wrong: int | None = None) -> list[str]:
    """The calls, one short line each, up to the first wrong one: `call 3: 9 tokens, mask 9 <- here`."""
    shown = calls if wrong is None else calls[: wrong + 1]
    lines = [f"call {number}: {call}" for number, call in enumerate(shown, start=1)]
    if wrong is not None and lines:
        lines[-1] += " <- here"
    return lines if len(lines) <= 8 else [*lines[:3], "...", *lines[-4:]]


@dataclass
class _Config:
    vocab_size: int
    max_position_embeddings: int
    eos_token_id: int | list[int] | None
    pad_token_id: int | None = None
    use_cache: bool = True
    is_encoder_decoder: bool = False
    num_hidden_layers: int = 1
    num_attention_heads: int = 1
    num_key_value_heads: int = 1
    hidden_size: int = 1
    head_dim: int = 1
    model_type: str = "scripted"
    _attn_implementation: str = "eager"
    layer_types: list[str] = field(default_factory=lambda: ["full_attention"])

    def get_text_config(self, decoder: bool | None = None, encoder: bool | None = None) -> "_Config":
        return self


class ScriptedModel(torch.nn.Module):
    """`ScriptedModel(script)`: the script gets the ids truly seen and gives the next id, or a row of logits (vocab,).

    `on_call` runs before each answer, with the `Call`: it may move a clock or raise. `eos_token_id` goes into the
    generation config, beside sampling defaults that no solution may honour. An unknown argument is a `TypeError`
    (a real model swallows it silently).
    """

    def __init__(
        self,
        script: Script,
        *,
        vocab_size: int = 300,
        eos_token_id: int | list[int] | None = None,
        context: int = 4096,
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        super().__init__()
        self.script, self.on_call = script, on_call
        self.calls: list[Call] = []
        self.weight = torch.nn.Parameter(torch.zeros(1, device="cpu"))
        self.config = _Config(vocab_size, context, eos_token_id)
        self.generation_config = SimpleNamespace(
            eos_token_id=eos_token_id, pad_token_id=None, bos_token_id=None, do_sample=True, temperature=0.6, top_k=20,
            top_p=0.95, max_new_tokens=None, max_length=20, use_cache=True, repetition_penalty=1.3,
        )  # fmt: skip
        self._pasts: dict[int, tuple[object, tuple[int, ...]]] = {}  # caches that a solution made itself, by identity
        self.eval()

    @property
    def device(self) -> torch.device:
        return self.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.weight.dtype

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: object | None = None,
        inputs_embeds: None = None,
        labels: None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | Tensor = 0,
        *,
        cache: object | None = None,
        cache_position: Tensor | None = None,
        return_dict: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
    ) -> Output | tuple[Any, ...]:
        arguments = {name for name, value in locals().items() if name not in ("self", "__class__") and value is not None}
        given = past_key_values if past_key_values is not None else cache
        ids = _row(input_ids, "input_ids")
        for name, tensor in (("attention_mask", attention_mask), ("position_ids", position_ids)):
            if tensor is not None and tensor.device != input_ids.device:
                raise RuntimeError(f"{name} is on {tensor.device}, input_ids on {input_ids.device}")
        past = self._past_of(given)
        seen = past + tuple(ids)
        call = Call(
            ids=ids,
            mask=None if attention_mask is None else _row(attention_mask, "attention_mask"),
            positions=None if position_ids is None else _row(position_ids, "position_ids"),
            cached=len(past),
            cache_given=given,
            seen=seen,
            grad=torch.is_grad_enabled(),
            training=self.training,
            use_cache=use_cache,
            logits_kept=0,
            arguments=frozenset(arguments),
        )
        self.calls.append(call)
        if self.on_call:
            self.on_call(call)
        logits = self._logits(seen, len(ids), logits_to_keep, input_ids.device)
        call.logits_kept = logits.shape[1]
        if use_cache or (use_cache is None and self.config.use_cache):
            call.cache_returned = self._keep(given, seen, len(ids))
        output = Output(logits=logits, past_key_values=call.cache_returned)
        return output.to_tuple() if return_dict is False else output

    def _logits(self, seen: tuple[int, ...], new: int, keep: int | Tensor, device: torch.device) -> Tensor:
        """(1, rows, vocab): the script's row last; every row before it favours another token."""
        answer = self.script(seen)
        rows = torch.zeros(1, new, self.config.vocab_size, device=device)
        if isinstance(answer, Tensor):
            rows[0, -1] = answer.to(device)
            decoy = int(answer.argmin())
        else:
            rows[0, -1, answer] = PEAK
            decoy = (answer + 1) % self.config.vocab_size
        rows[0, :-1, decoy] = PEAK
        if isinstance(keep, Tensor):
            return rows[:, keep, :]
        return rows[:, -keep:, :] if keep else rows

    def _past_of(self, cache: object | None) -> tuple[int, ...]:
        if cache is None:
            return ()
        if isinstance(cache, ScriptedCache):
            return cache.seen
        if id(cache) in self._pasts:
            return self._pasts[id(cache)][1]
        length = getattr(cache, "get_seq_length", None)
        if length is None:
            raise TypeError(f"past_key_values must be the cache that an earlier call returned, not {cache!r}")
        if length():
            raise ValueError("this cache was filled by another model")
        return ()

    def _keep(self, given: object | None, seen: tuple[int, ...], new: int) -> object:
        """The cache to return: opaque and new, or the solution's own one, filled, as a real model does it."""
        if given is None or isinstance(given, ScriptedCache):
            return ScriptedCache(seen)
        filler = torch.zeros(1, 1, new, 1, device=self.device)
        given.update(filler, filler, 0)
        self._pasts[id(given)] = (given, seen)
        return given


def _row(tensor: Tensor | None, name: str) -> list[int]:
    """A copy of the single row of a (1, length) tensor of integers."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a tensor of shape (1, length), not {type(tensor).__name__}")
    if tensor.dim() != 2 or tensor.shape[0] != 1:
        raise ValueError(f"{name} must have the shape (1, length), not {tuple(tensor.shape)}")
    if tensor.is_floating_point():
        raise TypeError(f"{name} must hold integers, not {tensor.dtype}")
    return [int(value) for value in tensor[0].tolist()]


def hashed(seed: int = 1, among: Sequence[int] = tuple(range(97, 123))) -> Script:
    """A script whose next id depends on every id before it: one id more, fewer or other gives another answer."""

    def script(seen: tuple[int, ...]) -> int:
        state = seed
        for token in seen:
            state = (state * 31 + token + 7) % 1_000_003
        return among[state % len(among)]

    return script


def replying(reply: Sequence[int], header: Sequence[int], lost: int = ord("?")) -> Script:
    """A script that says `reply` after the last `header` (the ids that open the assistant's turn).

    What it says next is right only while what follows the header is the reply so far; else, and after it, `lost`.
    """
    header, reply = tuple(header), tuple(reply)

    def script(seen: tuple[int, ...]) -> int:
        starts = [at for at in range(len(seen) - len(header) + 1) if seen[at : at + len(header)] == header]
        said = seen[starts[-1] + len(header) :] if starts else None
        if said is None or said != reply[: len(said)] or len(said) >= len(reply):
            return lost
        return reply[len(said)]

    return script


def expected_reply(script: Script, prompt_ids: Sequence[int], new_tokens: int, stop_ids: Sequence[int] = ()) -> list[int]:
    """What a right loop makes of a script of ids: the oracle of the checks."""
    return list(_reply(script, tuple(prompt_ids), new_tokens, stop_ids))


def _reply(script: Script, seen: tuple[int, ...], new_tokens: int, stop_ids: Sequence[int]) -> Iterator[int]:
    for _ in range(new_tokens):
        token = int(script(seen))
        yield token
        if token in stop_ids:
            return
        seen += (token,)
