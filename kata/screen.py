"""What `watch` shows: on a terminal always the last verdict, drawn anew; elsewhere plain lines, one after the other."""

from collections.abc import Iterable

from kata.look import say

_CLEAR = "\x1b[2J\x1b[H"


class Screen:
    """Lines are gathered until they are shown together: nothing flickers, and what is dropped was never there."""

    def __init__(self, can_clear: bool) -> None:
        self._can_clear = can_clear
        self._lines: list[str] = []
        self._shown = 0  # how many of them stand there already
        self._is_first = True

    def begin(self) -> None:
        """Another verdict is on its way. The old one stays until there is something to show."""
        self._lines, self._shown = [], 0

    def tell(self, lines: Iterable[str] | str) -> None:
        """To be shown later."""
        self._lines += [lines] if isinstance(lines, str) else lines

    def show(self, last: Iterable[str] = ()) -> None:
        """Everything that was told since `begin`, and below it what stands there only now."""
        if self._can_clear:
            say([_CLEAR + (self._lines[0] if self._lines else ""), *self._lines[1:], *last])
        else:
            blank = [""] if self._shown == 0 and not self._is_first else []
            say([*blank, *self._lines[self._shown :], *last])
        self._shown, self._is_first = len(self._lines), False

    def add(self, lines: Iterable[str]) -> None:
        """Below what stands there, which stays."""
        say(["", *lines])
