"""`chat`: a solution's engine in the terminal. Text streams in, and a line of figures follows each answer.

Single-turn: step 1 writes exactly one user message, so no engine could be told of what was said before.
"""

import contextlib
import functools
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kata.answer import EngineFailed, line_of, show_answer
from kata.chat_settings import Settings
from kata.engines import ENGINES, STREAMING, CannotRun, chosen_sources, load_model, make_engine, told
from kata.look import Look, harmless, say
from kata.solution import Solution

if TYPE_CHECKING:
    from shared.engine import Engine
    from shared.runtime import Runtime

_COMMANDS = (
    ("/engine NAME", "another engine; its steps are read again"),
    ("/set NAME VALUE", "temperature, top_k, top_p, max_new_tokens or seed"),
    ("/set", "what they are now"),
    ("/quit", "leave, as Ctrl-D does"),
)


@dataclass(frozen=True)
class Running:
    """An engine that answers, its name, and the solution that it is made of."""

    name: str
    engine: "Engine"
    solution: Solution
    runtime: "Runtime"


def chat(engine: str, model: str, impl: str, look: Look) -> int:
    """Talk until the input ends; the exit status."""
    load = functools.cache(load_model)  # once, and only when nothing else stands in the way

    def start(name: str) -> Running:
        solution = Solution(chosen_sources([name], impl, look).files)
        runtime = load(model)
        return Running(name, make_engine(name, solution, runtime), solution, runtime)

    try:
        talk = Chat(start(engine), start, look)
    except CannotRun as error:
        say(look.paragraph(harmless(str(error))))
        return error.status
    if sys.stdin.isatty():
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # the line is edited, and earlier ones come back
    sys.stdin.reconfigure(errors="surrogateescape")
    talk.welcome()
    return talk.run(_read_line)


class Chat:
    """The conversation: which engine answers now, and how it samples."""

    def __init__(self, running: Running, start: Callable[[str], Running], look: Look) -> None:
        """start: makes the engine of a name, or raises `CannotRun`."""
        self.running, self.start, self.look = running, start, look
        self.settings = Settings()

    def welcome(self) -> None:
        self._say(f"{self._engine_in_words()}, model {self.running.runtime.name}")
        self._say("Each line is a prompt and stands alone: step 1 sends one user message, so there is no history.")
        self._say("/help tells the commands; Ctrl-C stops an answer, Ctrl-D leaves.")
        say("")

    def run(self, read_line: Callable[[], str | None]) -> int:
        """Answer line by line, up to `/quit`, Ctrl-C at the prompt, or the end of the input."""
        while True:
            try:
                line = read_line()
            except KeyboardInterrupt:
                line = None
                say("")
            if line is None or line.strip() == "/quit":
                return 0
            try:
                self.take(line)
            except KeyboardInterrupt:  # as an answer began or ended, or while a step was loaded
                self._say("stopped")

    def take(self, line: str) -> None:
        """Do what a line asks for."""
        if not line.strip():
            return
        match line.split() if line.startswith("/") else None:
            case None:
                self._answer(line)
            case ["/help"]:
                self._help()
            case ["/engine", name]:
                self._switch(name)
            case ["/set"]:
                self._say(str(self.settings))
            case ["/set", name, value]:
                self._set(name, value)
            case ["/engine", *_]:
                self._say(f"{self._engine_in_words()}; `/engine NAME` takes another: {', '.join(ENGINES)}")
            case ["/set", *_]:
                self._say(f"say it as `/set NAME VALUE`, with one of {', '.join(vars(self.settings))}")
            case [other, *_]:
                self._say(f"there is no command {other}: see /help (a space before it makes it a prompt)")

    def _answer(self, prompt: str) -> None:
        from shared.limits import RequestRefused

        if any("\ud800" <= character <= "\udfff" for character in prompt):
            self._say("this line is no UTF-8 text, so it is no prompt")
            return
        now, running = self.settings, self.running
        self._seed()
        try:
            reading = show_answer(running.engine, running.runtime.model, prompt, now.max_new_tokens, now.to_params())
        except EngineFailed as failure:
            error = failure.__cause__
            refused = isinstance(error, RequestRefused)
            self._say(f"refused: {error}" if refused else told(f"{running.name} failed", error, running.solution))
        else:
            self._say(line_of(reading, running.name, now.max_new_tokens))
        say("")

    def _seed(self) -> None:
        if self.settings.seed >= 0:
            import torch

            torch.manual_seed(self.settings.seed)

    def _switch(self, name: str) -> None:
        try:
            self.running = self.start(name)
        except CannotRun as error:
            self._say(f"{error} ({self.running.name} stays)")
        else:
            self._say(self._engine_in_words())

    def _set(self, name: str, text: str) -> None:
        try:
            self.settings = self.settings.with_value(name, text)
        except ValueError as error:
            self._say(str(error))
        else:
            self._say(f"{name} {getattr(self.settings, name)}")

    def _help(self) -> None:
        for command, does in _COMMANDS:
            self._say(f"{command:<17}{does}")

    def _engine_in_words(self) -> str:
        return f"engine {self.running.name} ({STREAMING[self.running.name]})"

    def _say(self, text: str) -> None:
        say(self.look.paragraph(harmless(text), "  "))


def _read_line() -> str | None:
    """The next line, None at the end; a prompt is only shown to somebody who types."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.removesuffix("\n") if line else None
    try:
        return input("> ")
    except EOFError:
        say("")
        return None
