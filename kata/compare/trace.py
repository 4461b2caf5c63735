"""Sees the forwards of a model from outside, by PyTorch's hooks, whatever calls it. It knows nothing of engines.

The hooks sit on the decoder inside the model (`base_model`), since `model.forward(...)` goes past the hooks of `model`
itself, and since there the library has already given every argument its name. Where the model has an output head, a
forward ends with it: that is where the logits are made.
"""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from torch import Tensor, nn

from kata.compare.readings import Forward
from shared import clock


class DoesNotEnd(RuntimeError):
    """A loop that calls the model far more often than it makes tokens."""


class Trace:
    """The forwards of one request so far."""

    def __init__(self, parameters: list[str], most: int) -> None:
        """parameters: the names of the decoder's arguments, in order. most: forwards after which it gives up."""
        self.forwards: list[Forward] = []
        self._parameters, self._most = parameters, most
        self._tokens, self._handed_in, self._carried = 0, None, False
        self.started = clock.now()

    def seconds(self) -> float:
        """Since the request's start; on CUDA once the device is done."""
        return clock.now() - self.started

    def before(self, decoder: nn.Module, places: tuple, names: dict) -> None:
        if len(self.forwards) == self._most:
            raise DoesNotEnd(f"{self._most} calls of the model, and no end")
        given = dict(zip(self._parameters, places, strict=False)) | names
        self._tokens = _tokens_in(given)
        self._handed_in = next(
            (given[name] for name in ("past_key_values", "cache") if given.get(name) is not None), None
        )
        self._carried = bytes_in(self._handed_in) > 0

    def after(self, decoder: nn.Module, places: tuple, names: dict, output: object) -> None:
        ended_s = self.seconds()
        held = getattr(output, "past_key_values", None)  # most caches grow in place, and are the one handed in
        cache = self._handed_in if held is None else held
        self.forwards.append(Forward(self._tokens, ended_s, bytes_in(cache) if self._carried else 0))

    def after_head(self, head: nn.Module, places: tuple, output: object) -> None:
        if self.forwards:
            self.forwards[-1].ended_s = self.seconds()


@contextmanager
def watching(model: nn.Module, most: int) -> Iterator[Trace]:
    """While open, the forwards of the model are written down; the request starts as it opens."""
    decoder = getattr(model, "base_model", model)
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    trace = Trace(list(inspect.signature(decoder.forward).parameters), most)
    hooks = [
        decoder.register_forward_pre_hook(trace.before, with_kwargs=True),
        decoder.register_forward_hook(trace.after, with_kwargs=True),
        *([head.register_forward_hook(trace.after_head)] if head is not None else []),
    ]
    try:
        trace.started = clock.now()
        yield trace
    finally:
        for hook in hooks:
            hook.remove()


def bytes_in(cache: object) -> int:
    """The bytes of the tensors in a cache: the library's, which has layers, or any nest of lists of tensors."""
    if isinstance(cache, Tensor):
        return cache.nbytes
    if isinstance(cache, list | tuple):
        return sum(map(bytes_in, cache))
    return sum(bytes_in(list(vars(layer).values())) for layer in getattr(cache, "layers", ()))


def _tokens_in(given: Mapping[str, object]) -> int:
    ids, embeddings = given.get("input_ids"), given.get("inputs_embeds")
    if isinstance(ids, Tensor):
        return ids.numel()
    return embeddings.shape[:2].numel() if isinstance(embeddings, Tensor) else 0
