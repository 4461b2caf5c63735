"""The verb `watch`: at every save the current step is checked, in a process that was warm before; keys do the rest.

It goes on to another step only when it is told to, so that a pass is seen.
"""

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from kata import checking, hints, keeping, pages, progress, verbs
from kata.check import Result, Sources, check_step
from kata.checking import Way, Wish
from kata.child import Child
from kata.files import newest
from kata.keys import ENTER, NoKeys, keys_of
from kata.look import Look, name_of, say
from kata.path import next_step, survey
from kata.saves import LOOKS_EVERY_S, Saves
from kata.screen import Screen
from kata.standby import Standby
from kata.steps import EXERCISES, ROOT, STEPS, Step, get_step
from kata.verdict import Kind
from kata.watch_lines import help_lines, last_lines

_ANNOUNCED_AFTER_S = 0.5
_LOOKED_AT_EVERY_S = 1.0  # the kata's own files
_KATA = [ROOT / name for name in ("kata", "shared", "reference", "tests", "tests/doubles", "tests/duel")]
_AT_ONCE = (" ", ENTER, "a", "n")  # keys that make a run needless


class Dropped(Exception):
    """This run is needless: the file was saved again, or something else is asked for."""


class NotWarm(Exception):
    """A process is needed, and none is warm yet."""


class Quit(Exception):
    """By key."""


class Newer(Exception):
    """The kata itself has changed since: it has to begin again."""


def watch(number: int | None, wish: Wish, look: Callable[[], Look]) -> int:
    """Until somebody quits; the exit status. look: what the terminal can do at present. May raise `Newer`."""
    remembered, trouble = progress.load()
    step = get_step(number) if number else checking.first_to_check(survey(remembered))
    if step is None:
        say([*pages.whats_next(survey(progress.load()[0]), look()), "", f"{look().verb('watch', 1)} watches a step"])
        return 0
    standby = Standby(step)
    try:
        with keys_of(sys.stdin) as keys:
            watched = _Watch(step, wish, look, keys, standby)
            watched.note = look().paragraph(trouble) if trouble else []
            watched.is_found = not (remembered.find_again and number is None)
            return watched.run()
    except Quit:
        return 0
    finally:
        standby.close()


class _Watch:
    """What is watched, and what is due."""

    def __init__(self, step: Step, wish: Wish, look: Callable[[], Look], keys: NoKeys, standby: Standby) -> None:
        self.step, self.wish, self.look, self.keys, self.standby = step, wish, look, keys, standby
        self.saves = Saves(each.file_in(EXERCISES) for each in STEPS)
        self.screen = Screen(sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
        self.is_due, self.waits, self.tells_all = True, False, False
        self.began = 0.0  # the run that goes on
        self.is_announced = self.is_excused = self.asks_for_yes = False
        self.pressed = ""
        self.note: list[str] = []  # for below the next verdict
        self.is_found = True  # else the step is the one that the first check comes to
        self.result: Result | None = None  # of the step that is watched
        self.kata, self.looked_at = newest(_KATA), time.monotonic()

    def run(self) -> int:
        self.standby.is_ready()  # it begins to get warm
        if self._check() == checking.LOCKED and self.result is None:
            return checking.LOCKED
        while True:
            self._take_saves()
            self.pressed += self.keys.read()
            while self.pressed:
                key, self.pressed = self.pressed[0], self.pressed[1:]
                self._press(key)
            is_ready = self.standby.is_ready()
            if self.is_due and (is_ready or not self.waits):
                self._check()
            self._look_at_kata()
            self.keys.wait(LOOKS_EVERY_S)

    def _check(self) -> int | None:
        """Check and show; the exit status, None where nothing came of it."""
        self.is_due, self.result, self.began, self.is_announced = False, None, time.monotonic(), False
        self.screen.begin()
        wish = replace(self.wish, verbose=self.wish.verbose or self.tells_all)
        try:
            way = Way(self.screen.tell, self._check_step, self._hear)
            status = checking.check_own(self.step.number if self.is_found else None, wish, self.look(), way)
        except Dropped:
            self.is_due = True
            return None
        except NotWarm:
            if not self.is_excused:
                self.screen.show(self.look().paragraph("getting ready: everything is imported once, for some seconds"))
            self.is_due = self.waits = self.is_excused = True
            return None
        self.waits, self.is_excused, self.tells_all, self.is_found = False, False, False, True
        self.screen.show([*self.note, "", *self._last_lines()])
        self.note = []
        return status

    def _check_step(self, step: Step, sources: Sources, limit_s: float, keep_going: bool) -> Result:
        return check_step(step, sources, limit_s, keep_going, self._start, self._meanwhile)

    def _start(self, step: Step, sources: Sources) -> Sequence[Child]:
        if not self.standby.is_ready():
            raise NotWarm
        return self.standby.start(step, sources)

    def _meanwhile(self) -> None:
        """Many times a second while checks run."""
        self._take_saves()
        self.pressed += self.keys.read()
        if "q" in self.pressed:
            raise Quit
        if self.is_due or any(key in self.pressed for key in _AT_ONCE):
            raise Dropped
        if not self.is_announced and time.monotonic() - self.began > _ANNOUNCED_AFTER_S:
            self.screen.show(["checking …"])
            self.is_announced = True

    def _hear(self, result: Result) -> None:
        if not self.is_found:
            self.step = result.step
        if result.step == self.step:
            self.result = result

    def _take_saves(self) -> None:
        for file in self.saves.look():
            saved = next(step for step in STEPS if step.file_in(EXERCISES) == file)
            if saved.number <= self.step.number:
                self.is_due, self.waits, self.asks_for_yes = True, False, False
            elif self._has_passed() and not self.keys.is_there and saved == next_step(survey(progress.load()[0])):
                self._go_to(saved)  # where there are no keys, this is the sign
            elif self._has_passed():
                self.screen.add(self.look().paragraph(f"{name_of(file)} was saved: n goes on to step {saved.number}"))

    def _has_passed(self) -> bool:
        return self.result is not None and self.result.verdict.kind is Kind.PASSED

    def _go_to(self, step: Step) -> None:
        self.step, self.is_due, self.waits = step, True, False
        self.standby.prefer(step)

    def _press(self, key: str) -> None:
        number, look = self.step.number, self.look()
        if self.asks_for_yes:
            self.asks_for_yes = False
            if key in "yY":
                self.note = _said_by(lambda: keeping.reset(number, look))
                self.saves.look()  # that save is our own
                self.is_due = True
            else:
                self.screen.add([*look.paragraph("your file is as it was"), *self._last_lines()])
            return
        match key:
            case "q":
                raise Quit
            case " " | "\n" | "a":
                self.is_due, self.tells_all = True, key == "a"
            case "n":
                self._next()
            case "h":
                self.screen.add([*_said_by(lambda: hints.hint(number, look)), "", *self._last_lines()])
            case "l":
                self.screen.add([*_said_by(lambda: verbs.show_progress(look)), "", *self._last_lines()])
            case "r":
                self.asks_for_yes = True
                told = f"{name_of(self.step.file_in(EXERCISES))} becomes the stub again, and yours is kept as a backup"
                self.screen.add(look.paragraph(f"{told}: y or n?"))
            case "?":
                self.screen.add([*help_lines(look), "", *self._last_lines()])

    def _next(self) -> None:
        places = survey(progress.load()[0])
        step = next_step(places)
        if step is None:
            self.screen.add([*pages.whats_next(places, self.look()), "", *self._last_lines()])
        elif step.number <= self.step.number:
            told = f"step {step.number} has not passed yet; {self.look().verb('jump', self.step.number + 1)} leaves it"
            self.screen.add([*self.look().paragraph(told), "", *self._last_lines()])
        else:
            self._go_to(step)

    def _last_lines(self) -> list[str]:
        step = next_step(survey(progress.load()[0])) if self._has_passed() else None
        return last_lines(self.step, step, self.keys.is_there, self.look())

    def _look_at_kata(self) -> None:
        if time.monotonic() - self.looked_at > _LOOKED_AT_EVERY_S:
            self.looked_at, now = time.monotonic(), newest(_KATA)
            if now != self.kata:
                raise Newer


def _said_by(verb: Callable[[], int]) -> list[str]:
    """What a verb prints."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        verb()
    return told.getvalue().strip("\n").split("\n")
