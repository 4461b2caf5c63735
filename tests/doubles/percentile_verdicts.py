"""Verdicts on the percentiles of step 5, of values whose places are known.

Each function is handed a solution's step 5 and raises a `CheckFailure` where it breaks the promise.
"""

from collections.abc import Sequence
from math import ceil, floor, isclose
from random import Random
from types import ModuleType

from kata.failure import CheckFailure, expect
from tests.doubles.readings import plain_number


def lies_at_its_place(step: ModuleType, count: int, start: float) -> None:
    """Of so many values, 3 apart and shuffled, each percentile lies where one of the common definitions has it."""
    values = [start + 3.0 * rank for rank in range(count)]
    Random(count).shuffle(values)
    for q in (0.5, 1, 10, 25, 50, 75, 90, 99, 99.9):
        place = q * count / 100  # counted from 1; the common definitions lie from these three to one above
        lowest = min(place, ceil(place - 0.5), floor(q * (count - 1) / 100) + 1)
        low, high = start + 3.0 * (max(lowest, 1) - 1), start + 3.0 * (min(ceil(place + 1), count) - 1)
        got = _percentile_of(step, values, q)
        is_right = low - 1e-6 <= got <= high + 1e-6
        slip = "" if is_right else _slip(step)
        if not min(values) <= got <= max(values):
            slip = "this lies outside the values, as a formula that extrapolates or a fitted curve may: "
        expect(
            is_right,
            call=f"percentile({count} values from {start:g} to {max(values):g} in steps of 3, in any order, {q})",
            got=got,
            wanted=f"from {low:g} to {high:g}",
            why=f"{slip}sort the values first, take q from 0 to 100, and give "
            "the value that q percent of them do not exceed.",
        )


def counts_equal_values_one_by_one(step: ModuleType) -> None:
    """Nine of ten values are equal, and so are the percentiles that lie among them."""
    for q in (1, 50, 80):
        got = _percentile_of(step, [9.0, *[1.0] * 9], q)
        why = "a value that comes nine times is nine of the ten: keep them all."
        if got not in (1.0, 9.0):
            why = "this is no value's place, but a mean or a share of the way from the smallest to the largest: rank."
        expect(got == 1.0, call=f"percentile([9.0, and nine times 1.0], {q})", got=got, wanted=1.0, why=why)


def gives_the_only_value(step: ModuleType) -> None:
    """One value is every percentile of itself, to its last digit."""
    for q in (0, 1, 50, 99.9, 100):
        got = _percentile_of(step, [0.1], q)
        why = "mind the edges: with one value there is no neighbour to go to."
        if got != 0.1 and isclose(got, 0.1, rel_tol=1e-6):
            why = "this is 0.1 as a float32 holds it, in seven digits, which torch takes unasked: stay with Python's "
            why += "floats, or with float64."
        expect(got == 0.1, call=f"percentile([0.1], {q})", got=got, wanted=0.1, why=why)


def takes_zero_for_a_value(step: ModuleType) -> None:
    """Values of 0.0 are counted: the median of three with two of them, and of one."""
    for values in ([0.0, 0.0, 5.0], [0.0]):
        got = _percentile_of(step, values, 50)
        why = "0.0 is a value like any other: `filter(None, ...)` and `if value` leave it out."
        if got and _percentile_of(step, [value + 1 for value in values], 50) != 1.0:
            why = "the place is off: half of three values lie at or below the second, counted from 1."
        expect(got == 0.0, call=f"percentile({values}, 50)", got=got, wanted=0.0, why=why)


def stays_among_the_values(step: ModuleType) -> None:
    """Of 300 lists, some of nearly equal values: q = 0 is the smallest, 100 the largest, and nothing lies beyond."""
    random = Random(5)
    for _ in range(300):
        near, spread = random.random(), random.choice((0.0, 1e-15, 1.0))
        values = [near * (1 + random.random() * spread) for _ in range(random.randint(1, 9))]
        low, high = min(values), max(values)
        for q in (0, 50, random.random() * 100, 100 - random.random() * 1e-13, 100):
            got = _percentile_of(step, values, q)
            wanted = {0: repr(low), 100: repr(high)}.get(q, f"from {low!r} to {high!r}")
            expect(
                low <= got <= high and (q != 0 or got == low) and (q != 100 or got == high),
                call=f"percentile({values}, {q!r})",
                got=repr(got),
                wanted=wanted,
                why="0 is the smallest value, 100 the largest."
                + " The place of q = 0 is the first: one before it is index -1, the last." * (q == 0 and got == high)
                + " Mind rounding: (1 - t) * a + t * a need not give a." * (0 < q < 100 or got not in values),
            )


def leaves_the_values_alone(step: ModuleType) -> None:
    """A list is afterwards what it was, a long one too; once it has changed it is read again, also as a tuple."""
    values = [4.0, 1.0, 3.0, 2.0]
    step.percentile(values, 50)
    expect(
        values == [4.0, 1.0, 3.0, 2.0],
        call="percentile([4.0, 1.0, 3.0, 2.0], 50)",
        got=f"the caller's list is now {values}",
        wanted="the caller's list as it was",
        why="`values.sort()` sorts the caller's own list; `sorted(values)` makes a new one.",
    )
    many = [float(rank) for rank in range(5000, 0, -1)]
    kept = list(many)
    step.percentile(many, 50)
    why = "the caller needs them again, for the next percentile: nothing is taken out of the list."
    got = f"a list of {len(many)} values"
    expect(many == kept, call="percentile(5000 values, 50)", got=got, wanted="the caller's list as it was", why=why)
    values[1] = 0.5
    got = step.percentile(values, 0)
    why = "the list has changed since the call before: what was sorted then is not kept, under its `id` or otherwise."
    call = "percentile([4.0, 0.5, 3.0, 2.0], 0), the second was 1.0 before"
    expect(got == 0.5, call=call, got=got, wanted=0.5, why=why)
    got, why = _percentile_of(step, values, 0, tuple), "any sequence has percentiles, a tuple those of a list."
    expect(got == 0.5, call="percentile((4.0, 0.5, 3.0, 2.0), 0)", got=got, wanted=0.5, why=why)


def refuses_no_values(step: ModuleType) -> None:
    """Of an empty list a ValueError."""
    try:
        got: object = step.percentile([], 50)
    except ValueError:
        return
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    why = "without a value there is none to give: the docstring promises a ValueError."
    expect(False, call="percentile([], 50)", got=got, wanted="a ValueError", why=why)


def _percentile_of(step: ModuleType, values: Sequence[float], q: float, kind: type[Sequence] = list) -> float:
    """The solution's percentile of a copy of the values, a plain number."""
    left, right = "[]" if kind is list else "()"
    call = f"percentile({left}{len(values)} values{right}, {q})"
    try:
        return plain_number(step.percentile(kind(values), q), call)
    except (AttributeError, TypeError) as error:
        if kind is list:
            raise
        got, wanted = f"{type(error).__name__}: {error}", "a number, as of a list"
        why = "`values` is any sequence, and a copy of a tuple is a tuple, which has no `sort`: `sorted(values)` takes "
        why += "them all."
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error
    except IndexError as error:
        why = "the index is beyond the last value: q counts from 0 to 100, and Python's places from 0 to n - 1."
        raise CheckFailure(call=call, got=f"IndexError: {error}", wanted="a number", why=why) from error


def _slip(step: ModuleType) -> str:
    """What there is to say of a percentile that a well-known slip explains; else nothing."""
    values, told = [5.0 * rank for rank in range(11)], {}
    try:
        for q in (0.5, 9, 15, 33, 66, 88, 99.9):
            told[q] = float(step.percentile(list(values), q))
    except Exception:
        return ""
    if told[0.5] == 25.0 and told[33] == 50.0:
        return "q is taken from 0 to 1 here: "
    if told[0.5] == 25.0:
        return "a small q is taken for a share of 1 here: q runs from 0 to 100, 1 is one percent, 0.5 half of one: "
    if told[0.5] > told[66] or told[99.9] < told[66]:
        return "it is counted from the wrong end here: the smallest comes first, and index -1 is the last: "
    whole, part = (float(step.percentile([float(rank) for rank in range(1001)], q)) for q in (33, 33.9))
    if whole == part:
        return "q is cut to a whole number here, and 99.9 is another place than 99: "
    if all(got == values[max(int(q * 11 / 100) - 1, 0)] for q, got in told.items()):
        return "the place is cut off to a whole one here: "
    return ""
