"""Keys as they are pressed, one by one, without Enter. Where there is no keyboard there are none.

The terminal is as it was before on every way out: an error, Ctrl-C, Ctrl-Z, an end from outside.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator
from typing import TextIO

ENTER = "\n"
_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")  # an end from outside


class Ends:
    """The end from outside, if it has come. It is raised where it comes, and again at every look: what a signal raises
    may fall into a `__del__` or a callback, where Python drops it.
    """

    def __init__(self) -> None:
        self._end: BaseException | None = None

    def come(self, number: int, _: object = None) -> None:
        self._end = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
        raise self._end

    def look(self) -> None:
        if self._end:
            raise self._end


class NoKeys:
    """Nobody is there to press one."""

    is_there = False

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    def read(self) -> str:
        """The keys that were pressed since, as they came."""
        self._ends.look()
        return ""

    def wait(self, seconds: float) -> None:
        """Until a key is pressed, so long at the most."""
        time.sleep(seconds)


class TerminalKeys(NoKeys):
    """A terminal as Linux and macOS have it."""

    is_there = True

    def __init__(self, ends: Ends, number: int) -> None:
        super().__init__(ends)
        self._number = number

    def read(self) -> str:
        self._ends.look()
        if not select.select([self._number], [], [], 0)[0] or not _is_in_front(self._number):
            return ""
        with contextlib.suppress(OSError):  # the terminal has gone
            if data := os.read(self._number, 1024):
                return "" if data.startswith(b"\x1b") else data.decode(errors="ignore").replace("\r", ENTER)
        raise KeyboardInterrupt

    def wait(self, seconds: float) -> None:
        if _is_in_front(self._number):
            select.select([self._number], [], [], seconds)
        else:
            time.sleep(seconds)


class ConsoleKeys(NoKeys):
    """A console as Windows has it."""

    is_there = True

    def read(self) -> str:
        import msvcrt

        self._ends.look()
        keys = ""
        while msvcrt.kbhit():
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            if key in "\x00\xe0":  # an arrow or the like: a second one follows
                msvcrt.getwch()
            else:
                keys += key.replace("\r", ENTER)
        return keys


@contextlib.contextmanager
def keys_of(stream: TextIO) -> Iterator[NoKeys]:
    """The keys of this stream's terminal, if it is one and is ours."""
    with _ending_in_order() as ends:
        if not _is_ours(stream):
            yield NoKeys(ends)
        elif os.name == "nt":
            yield ConsoleKeys(ends)
        else:
            with _each_key_at_once(stream.fileno()):
                yield TerminalKeys(ends, stream.fileno())


def _is_ours(stream: TextIO) -> bool:
    try:
        return stream.isatty() and (os.name == "nt" or _is_in_front(stream.fileno()))
    except (OSError, ValueError):
        return False


def _is_in_front(number: int) -> bool:
    """Whether the terminal listens to us: who touches it from the background is stopped."""
    try:
        return os.tcgetpgrp(number) == os.getpgrp()
    except OSError:
        return True  # it has gone, which reading will tell


@contextlib.contextmanager
def _each_key_at_once(number: int) -> Iterator[None]:
    import termios
    import tty

    before = termios.tcgetattr(number)

    def back() -> None:
        with contextlib.suppress(termios.error):
            if _is_in_front(number):
                termios.tcsetattr(number, termios.TCSADRAIN, before)

    def stop(*_: object) -> None:
        back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)

    def go_on(*_: object) -> None:
        signal.signal(signal.SIGTSTP, stop)
        if _is_in_front(number):
            tty.setcbreak(number)

    former = {name: signal.getsignal(name) for name in (signal.SIGTSTP, signal.SIGCONT)}
    signal.signal(signal.SIGCONT, go_on)
    go_on()
    try:
        yield
    finally:
        for name, handler in former.items():
            signal.signal(name, handler)
        back()


@contextlib.contextmanager
def _ending_in_order() -> Iterator[Ends]:
    """What ends us from outside is an exception, so that everything is put back."""
    ends = Ends()
    names = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)]
    former = {name: signal.getsignal(name) for name in names}
    for name in names:
        if former[name] != signal.SIG_IGN:  # nohup
            signal.signal(name, ends.come)
    try:
        yield ends
    finally:
        for name, handler in former.items():
            signal.signal(name, handler)
