"""A causal language model whose logits a check dictates, and which records every call.

Its answer depends on the whole sequence that it has truly seen, through its own opaque cache where it is handed one:
a token fed twice, left out or fed without its past changes the answer, as in a real model. It needs no transformers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from inspect import signature
from typing import Any

import torch
from torch import Tensor

from kata.failure import CheckFailure
from tests.doubles.asides import GenerationSettings, OfAConfig, OfAModel
from tests.doubles.calls import Call, trace
from tests.doubles.elsewhere import MixedDevices
from tests.doubles.scripts import Script, expected_reply, hashed, replying

__all__ = ["Call", "Script", "ScriptedModel", "expected_reply", "hashed", "replying", "trace"]

KNOWS_CACHE = tuple(map(int, version("transformers").split(".")[:2])) >= (5, 24)  # by that name
OLDER = "in this transformers it is called `past_key_values`; `cache` comes with 5.24."
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
    """What a real model returns: read by attribute, by name, or by place. The cache also goes by its newer name."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            told = f": {OLDER}" if name == "cache" else ""
            raise AttributeError(f"the model's output has no {name!r}{told}") from None

    def __getitem__(self, key: str | int | slice) -> Any:
        if key == "cache" and not KNOWS_CACHE:
            raise KeyError(key)
        if not isinstance(key, str):
            return self.to_tuple()[key]
        return super().__getitem__("past_key_values" if key == "cache" else key)

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(value for value in self.values() if value is not None)


@dataclass(kw_only=True)
class _Config(OfAConfig):
    vocab_size: int
    max_position_embeddings: int | None
    eos_token_id: int | None = None  # as in many a config: the list is in the generation config
    bos_token_id: int | None = None
    pad_token_id: int | None = None
    use_cache: bool = True
    is_encoder_decoder: bool = False
    model_type: str = "scripted"

    def get_text_config(self, decoder: bool | None = None, encoder: bool | None = None) -> Any:
        """Itself, or a real config where the library's caches ask for one, which then is imported already."""
        if not decoder:
            return self
        from transformers import LlamaConfig

        context = getattr(self, "max_position_embeddings", 4096)
        return LlamaConfig(num_hidden_layers=1, max_position_embeddings=context)


def _names_of_the_installed(forward: Callable[..., Any]) -> Callable[..., Any]:
    """To whoever asks for its signature it names the cache as a model of the installed transformers does, once."""
    own = signature(forward)
    named = [each for name, each in own.parameters.items() if name != "cache"]
    if KNOWS_CACHE:
        named = [each.replace(name="cache") if each.name == "past_key_values" else each for each in named]
    forward.__signature__ = own.replace(parameters=named)
    return forward


class ScriptedModel(OfAModel, torch.nn.Module):
    """`ScriptedModel(script)`: the script gets the ids truly seen and gives the next id, or a row of logits (vocab,).

    `on_call` runs before each answer, with the `Call`: it may move a clock or raise. `eos_token_id` goes into the
    generation config, beside sampling defaults that no solution may honour. An unknown argument is a failure
    (a real model swallows it silently). `device` may be the pretended one of `elsewhere.py`, inside its block.
    After `most_calls` it gives up on a loop that does not end.
    """

    own_loop = False  # whether its `generate` was called

    def __init__(
        self,
        script: Script,
        *,
        vocab_size: int = 300,
        eos_token_id: int | list[int] | None = None,
        context: int | None = 4096,
        on_call: Callable[[Call], None] | None = None,
        device: torch.device | str = "cpu",
        most_calls: int = 1000,
    ) -> None:
        super().__init__()
        self.script, self.on_call, self.most_calls = script, on_call, most_calls
        self.calls: list[Call] = []
        self.weight = torch.nn.Parameter(torch.zeros(1, device=device))
        self.config = _Config(vocab_size=vocab_size, max_position_embeddings=context)
        if context is None:  # as where positions have no end
            del self.config.max_position_embeddings
        self.generation_config = GenerationSettings(
            eos_token_id=eos_token_id, pad_token_id=None, bos_token_id=None, do_sample=True, temperature=0.6, top_k=20,
            top_p=0.95, max_new_tokens=13, min_new_tokens=7, max_length=20, use_cache=True, repetition_penalty=1.3,
            suppress_tokens=None, bad_words_ids=None,
        )  # fmt: skip
        self._pasts: dict[int, tuple[object, tuple[int, ...]]] = {}  # caches that a solution made itself, by identity
        self.eval()

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            told = f"this model has no {name!r}: call `model(...)` itself, whose parts have other names in other models"
            raise AttributeError(told) from None

    @property
    def device(self) -> torch.device:
        return self.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.weight.dtype

    @_names_of_the_installed
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
        **unknown: Any,
    ) -> Output | tuple[Any, ...]:
        arguments = {
            name
            for name, value in locals().items()
            if name not in ("self", "__class__", "unknown") and value is not None
        }
        if cache is not None and not KNOWS_CACHE:
            call, wanted = "model(..., cache=...)", "model(..., past_key_values=...)"
            why = f"{OLDER} A real model swallows an unknown argument without a word."
            raise CheckFailure(call=call, got="an argument that it has not", wanted=wanted, why=why)
        if unknown:
            raise CheckFailure(
                call=f"model(..., {', '.join(f'{name}=...' for name in unknown)})", got="an argument that it has not",
                wanted="arguments of the model's forward", why="a real model swallows an unknown argument without a "
                "word, and does as if it were not there: look the name up, some have changed.",
            )  # fmt: skip
        given = past_key_values if past_key_values is not None else cache
        ids = _row(input_ids, "input_ids")
        own = self.device
        for tensor in (input_ids, attention_mask, position_ids):
            if tensor is not None and tensor.device != own:
                raise MixedDevices(f"Expected all tensors to be on {own}, but found one on {tensor.device}")
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
            autocast=torch.is_autocast_enabled("cpu"),
            use_cache=use_cache,
            logits_kept=0,
            arguments=frozenset(arguments),
        )
        self.calls.append(call)
        self._give_up_on_an_endless_loop()
        if self.on_call:
            self.on_call(call)
        logits = self._logits(seen, len(ids), logits_to_keep, input_ids.device)
        call.logits_kept = logits.shape[1]
        if use_cache or (use_cache is None and self.config.use_cache):
            call.cache_returned = self._keep(given, seen, len(ids))
        output = Output(logits=logits, past_key_values=call.cache_returned)
        return output.to_tuple() if return_dict is False else output

    def forget(self) -> None:
        """Let go of the record, and of all caches with it."""
        self.calls.clear()
        self._pasts.clear()

    def generate(self, *_: Any, streamer: Any = None, **__: Any) -> None:
        self.own_loop = True
        if streamer is not None:  # its reader, in another thread, would wait for ever
            streamer.end()
            return
        raise CheckFailure(
            call="model.generate(...)", got="the library's own loop", wanted="a loop of your own over model(...)",
            why="this step is about writing the loop that the library's generate() hides.",
        )  # fmt: skip

    def _give_up_on_an_endless_loop(self) -> None:
        if len(self.calls) > self.most_calls:
            why = "this loop does not end: nothing counts its tokens, or not up to `max_new_tokens`, if given."
            if (times := sum(call.seen == self.calls[0].seen for call in self.calls)) > 2:
                why = f"the prompt itself went in {times} times: each piece begins the answer anew, and the work "
                why += "grows with the square of its length. Go on from where the loop stands."
            raise CheckFailure(
                call="the loop of the solution", got=f"more than {self.most_calls} calls of the model", wanted="an end",
                why=why, trace=trace(self.calls[:3]),
            )  # fmt: skip

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
        if new > 1:
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
            raise CheckFailure(
                call="model(..., past_key_values=cache)",
                got=f"a cache in which an earlier request left {length()} tokens",
                wanted="no cache, or an empty one, at the first call of a request",
                why="a cache belongs to one request: a default argument or a module's variable is made only once.",
            )
        return ()

    def _keep(self, given: object | None, seen: tuple[int, ...], new: int) -> object:
        """The cache to return, opaque and new. The solution's own one is filled, as a real model does it."""
        if given is not None and not isinstance(given, ScriptedCache):
            filler = torch.zeros(1, 1, new, 1, device=self.device)
            given.update(filler, filler, 0)
            self._pasts[id(given)] = (given, seen)
        return ScriptedCache(seen)


def _row(tensor: Tensor | None, name: str) -> list[int]:
    """A copy of the single row of a (1, length) tensor of integers."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a tensor of shape (1, length), not {type(tensor).__name__}")
    if tensor.dim() != 2 or tensor.shape[0] != 1:
        raise ValueError(f"{name} must have the shape (1, length), not {tuple(tensor.shape)}")
    if tensor.is_floating_point() and name != "attention_mask":  # real models take a mask of any type
        raise TypeError(f"{name} must hold integers, not {tensor.dtype}")
    row = tensor.tolist()[0]
    return row if tensor.dtype is torch.int64 else list(map(int, row))
