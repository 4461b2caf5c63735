"""What a failed check says: the call, what it gave, what was wanted, and the misconception behind it."""

from collections.abc import Iterable


class CheckFailure(AssertionError):
    """A check's verdict against a solution, in the four parts that the report shows.

    `trace` gives one line for each recorded call of the model, up to the first wrong one, where a loop is judged.
    `varies`: what was got hangs on chance or on the clock, and may be another thing the next time.
    """

    def __init__(
        self, *, call: str, got: object, wanted: object, why: str, trace: Iterable[str] = (), varies: bool = False
    ) -> None:
        self.call, self.got, self.wanted, self.why = call, str(got), str(wanted), why
        self.trace, self.varies = tuple(trace), varies
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [f"call:   {self.call}", f"got:    {self.got}", f"wanted: {self.wanted}"]
        if self.trace:
            lines.append("trace:  " + " | ".join(self.trace))
        return "\n".join([*lines, f"why:    {self.why}"])


def expect(
    condition: bool,
    *,
    call: str,
    got: object,
    wanted: object,
    why: str,
    trace: Iterable[str] = (),
    varies: bool = False,
) -> None:
    """Raise a `CheckFailure` unless the condition is exactly True.

    Exactly: a solution's object whose comparisons always "succeed" must not pass, so compare plain values.
    """
    if condition is not True:
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why, trace=trace, varies=varies)
