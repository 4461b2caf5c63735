"""Work done in another thread while this one stands still half-way: a lock that lasts over a `yield` shows here."""

from collections.abc import Callable, Sequence
from threading import Thread
from typing import TypeVar

from kata.failure import expect
from tests.doubles.scripted_model import ScriptedModel

PATIENCE_S = 5.0  # waited only for what never comes
MOMENT_S = 1.0  # waited only where a lock lasts over a forward, as it may
T = TypeVar("T")


def ends(work: Callable[[], object], patience_s: float = PATIENCE_S) -> bool:
    """Whether the work, done in another thread, comes to an end; its error is raised here."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience_s)
    if errors:
        raise errors[0]
    return not thread.is_alive()


def in_another_thread(work: Callable[[], T], *, call: str) -> T:
    """What the work gives, or its error. It must come to an end, although an iterator is left half-way here."""
    results: list[T] = []
    expect(
        ends(lambda: results.append(work())),
        call=f"{call}, in another thread, while an earlier one stands half-way in this one",
        got="no end: it waits for the other",
        wanted="both at once",
        why="a lock, or another wait, lasts over a `yield`: whoever stops taking halts everybody else. What is asked "
        "of the model lies between two yields, and nothing is held there.",
    )
    return results[0]


def while_it_works(model: ScriptedModel, seen: Sequence[int], work: Callable[[], object]) -> None:
    """In the forward in which the model has seen just these ids, the work is done in another thread, if it can be."""
    model.on_call = lambda call: call.seen == tuple(seen) and ends(work, MOMENT_S)
