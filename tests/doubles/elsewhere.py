"""A pretended second device: tensors that say they lie on `meta` and yet hold numbers. No GPU, no fake arithmetic.

Under `elsewhere()` plain tensors and these may not meet in one operation, as CPU and CUDA tensors may not; only a
single number and an index may come from the other side. Arithmetic is done on the CPU, by the same kernels.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Number
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

DEVICE = torch.device("meta")
_aten = torch.ops.aten
_INDEX = {_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_}
_INTO_THE_FIRST = _INDEX | {_aten.copy_, _aten._to_copy}
_MAKE = {torch.tensor, torch.as_tensor, torch.asarray, torch.unravel_index, Tensor.new_tensor, Tensor.new}
_MOVES = {_aten.to, _aten.type_as}  # an inference block does not take them apart


class MixedDevices(RuntimeError):
    """What CUDA would say of a CPU tensor among its own."""


class _Away(Tensor):
    """Wraps the tensor that holds the numbers."""

    numbers: Tensor

    @staticmethod
    def __new__(cls, numbers: Tensor) -> "_Away":
        with torch.inference_mode(False):  # else views of it cannot be made inside an inference block
            away = Tensor._make_wrapper_subclass(
                cls, numbers.shape, strides=numbers.stride(), dtype=numbers.dtype, device=DEVICE
            )
        away.numbers = numbers
        return away

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})

    def tolist(self) -> Any:
        return self.numbers.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise TypeError("can't convert a tensor of this device to numpy. Use Tensor.cpu() to copy it first")
        return self.numbers.numpy(force=True)

    def __format__(self, spec: str) -> str:
        return format(self.numbers, spec)


class _Operations(TorchDispatchMode):
    """Sees the calls that have no tensor among their arguments, such as `torch.rand(2, device=logits.device)`."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False, or torch wraps what follows for its compiler, and imports that: two seconds."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


class _FromLists(TorchFunctionMode):
    """Sees what goes past the other mode: `torch.tensor([1], device=ids.device)`, `ids.new([1])`, `ids[:, [-1]]`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in (Tensor.__getitem__, Tensor.__setitem__):
            return func(args[0], _without_lists(args[1]), *args[2:], **kwargs)
        if func not in _MAKE:
            return func(*args, **kwargs)
        device = kwargs.get("device")
        given = (*args, *kwargs.values())
        to_away = str(device) == str(DEVICE) if device is not None else any(isinstance(each, _Away) for each in given)
        kwargs = kwargs if device is None else kwargs | {"device": "cpu"}
        plain_args, plain_kwargs = tree_map(bring_back, (args, kwargs))
        made = func(*plain_args, **plain_kwargs)
        return tree_map(send, made) if to_away else made


def _without_lists(index: Any) -> Any:
    """An index with tensors in place of its lists: torch itself would make those on `meta`, without numbers."""
    if isinstance(index, list) and not all(isinstance(each, Number) for each in index):
        index = tuple(index)  # so torch reads a list of lists
    if isinstance(index, tuple):
        return tuple(_without_list(each) for each in index)
    return _without_list(index)


def _without_list(index: Any) -> Any:
    if not isinstance(index, list | tuple | range):
        return index
    made = torch.tensor(tree_map(bring_back, list(index)), device="cpu")
    return made if made.numel() else made.long()


@contextmanager
def elsewhere() -> Iterator[None]:
    """The pretended device exists inside this block."""
    with _Operations(), _FromLists():
        yield


def send(tensor: Tensor) -> Tensor:
    """The tensor, on the pretended device."""
    return _Away(tensor)


def bring_back(tensor: Any) -> Any:
    """The numbers of a tensor of the pretended device, on the CPU."""
    return tensor.numbers if isinstance(tensor, _Away) else tensor


def _goal(args: Any, kwargs: dict[str, Any]) -> Tensor | torch.device | None:
    """Where `x.to(…)` is to go, if it says so: the tensor to lie beside, or the device."""
    leaves = tree_leaves((args[1:], kwargs))
    return next((leaf for leaf in leaves if isinstance(leaf, Tensor | torch.device)), None)


def _moved(tensor: Tensor, goal: Tensor | torch.device, args: Any, kwargs: dict[str, Any]) -> Tensor:
    dtypes = [goal.dtype] if isinstance(goal, Tensor) else tree_leaves((args[1:], kwargs))
    dtype = next((leaf for leaf in dtypes if isinstance(leaf, torch.dtype)), tensor.dtype)
    is_away = isinstance(goal, _Away) or (isinstance(goal, torch.device) and goal == DEVICE)
    if is_away == isinstance(tensor, _Away) and dtype == tensor.dtype:
        return tensor
    numbers = bring_back(tensor).to(dtype)
    return _Away(numbers) if is_away else numbers


def _is_mixed(operation: Any, tensors: list[Tensor], args: Any) -> bool:
    """Whether CUDA would refuse: it takes single numbers of the CPU, but not to stack, and indices of the CPU."""
    if operation in _INDEX:
        is_away = isinstance(args[0], _Away)
        indices, values = tree_leaves(args[1]), args[2:3]
        others = [*values, *(each for each in indices if isinstance(each, _Away))]
        return any(isinstance(each, _Away) is not is_away and each.dim() > 0 for each in others)
    if operation in _INTO_THE_FIRST or not any(isinstance(tensor, _Away) for tensor in tensors):
        return False
    least = 0 if operation is _aten.stack else 1
    return any(not isinstance(tensor, _Away) and tensor.dim() >= least for tensor in tensors)


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    if func.overloadpacket in _MOVES and (goal := _goal(args, kwargs)) is not None:
        return _moved(args[0], goal, args, kwargs)
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    away = [tensor for tensor in tensors if isinstance(tensor, _Away)]
    follows_first = func.overloadpacket in _INTO_THE_FIRST
    if _is_mixed(func.overloadpacket, tensors, args):
        raise MixedDevices("Expected all tensors to be on the same device, but found at least two devices")

    result_is_away = isinstance(tensors[0], _Away) if follows_first else bool(away)
    if kwargs.get("device") is not None:
        result_is_away = kwargs["device"] == DEVICE
        kwargs = kwargs | {"device": torch.device("cpu")}
    if result_is_away and kwargs.get("generator") is not None:
        raise MixedDevices("Expected a generator of the tensors' device, but found one of the CPU")
    plain_args, plain_kwargs = tree_map(bring_back, (args, kwargs))
    result = func(*plain_args, **plain_kwargs)
    known = {id(tensor.numbers): tensor for tensor in away}  # an operation in place returns what it was given

    def place(value: Any) -> Any:
        if not result_is_away or not isinstance(value, Tensor):
            return value
        return known[id(value)] if id(value) in known else _Away(value)

    return tree_map(place, result)
