"""`chat` on an engine double: what it shows, counts and forgives. For real: `test_chat_runs.py`."""

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from kata import answer
from kata.answer import line_of, read_off
from kata.chat import Chat, Running
from kata.engines import CannotRun
from kata.forwards import Forwards
from kata.look import Look
from kata.solution import Solution
from shared.limits import RequestRefused

NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3


class Model:
    """Its embeddings keep the hooks; a call runs them, as one of a true model does."""

    def __init__(self) -> None:
        self.hooks: list[Callable] = []

    def get_input_embeddings(self) -> "Model":
        return self

    def register_forward_pre_hook(self, hook: Callable, with_kwargs: bool) -> SimpleNamespace:
        assert with_kwargs
        self.hooks.append(hook)
        return SimpleNamespace(remove=lambda: self.hooks.remove(hook))

    def __call__(self, tokens: int) -> None:
        for hook in self.hooks:
            hook(self, (SimpleNamespace(numel=lambda: tokens),), {})


class Engine:
    """Streams what it was given, a call of the model before each piece; an error among the pieces is raised."""

    def __init__(self, model: Model, *pieces: str | BaseException) -> None:
        self.model, self.pieces = model, pieces
        self.asked: list[tuple] = []
        self.closed = 0

    def stream(self, prompt: str, max_new_tokens: int, params: object) -> Iterator[str]:
        self.asked.append((prompt, max_new_tokens, params))
        try:
            for index, piece in enumerate(self.pieces):
                self.model(1 if index else 7)
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
        finally:
            self.closed += 1


def talk(engine: Engine, *lines: str | BaseException, width: int = 80, start: Callable | None = None) -> int:
    """The chat's exit status, after these lines were typed to it."""
    running = _running("cached", engine)
    typed = iter(lines)

    def read_line() -> str | None:
        line = next(typed, None)
        if isinstance(line, BaseException):
            raise line
        return line

    chat = Chat(running, start or (lambda name: running), Look(width))
    chat.welcome()
    return chat.run(read_line)


def _running(name: str, engine: Engine) -> Running:
    return Running(name, engine, Solution({6: Path(__file__)}), SimpleNamespace(name="double", model=engine.model))


def _engine(*pieces: str | BaseException) -> Engine:
    return Engine(Model(), *pieces)


def test_a_piece_is_shown_before_the_next_token_is_made(capsys):
    shown = []
    engine = _engine("one ", "two ", "three")
    engine.model.hooks.append(lambda *_: shown.append(capsys.readouterr().out.splitlines()[-1:]))
    assert talk(engine, "Hello") == 0
    assert shown[1:] == [["one "], ["two "]] and capsys.readouterr().out.startswith("three\n")


def test_a_prompt_and_what_it_cost(capsys):
    engine = _engine("A", "B", "")
    talk(engine, " Hello, you ")
    prompt, limit, params = engine.asked[0]
    assert (prompt, limit, params.max_tokens, params.is_greedy) == (" Hello, you ", 256, 256, True)
    assert re.search(r"\nAB\n  cached: 7 in, 3 out, TTFT .* ms, TPOT .* tokens/s, stop\n", capsys.readouterr().out)
    assert engine.model.hooks == []


def test_a_token_is_there_when_the_next_one_is_asked_for():
    forwards = Forwards(began=[1.0, 3.0, 4.0, 5.0], tokens=[20, 1, 1, 1])
    reading = read_off(forwards, asked_at=0.5, text_at=2.9, ended_at=6.0)
    assert (reading.tokens_in, reading.tokens_out, reading.ttft_s, reading.text_s) == (20, 4, 2.5, None)
    assert (reading.tpot_s, reading.latency_s) == (1.0, 5.5)
    stopped = read_off(forwards, asked_at=0.5, text_at=2.9, ended_at=5.5, was_stopped=True, lost=1)
    assert (stopped.tokens_out, stopped.tpot_s) == (3, 1.0)


def test_text_that_comes_later_than_its_token_is_told_with_its_time():
    reading = read_off(Forwards([1.0, 2.0], [9, 10]), asked_at=0.0, text_at=14.0, ended_at=14.5)
    assert "9 in, 2 out, TTFT 2000 ms (text after 14.0 s), TPOT 12.5 s, " in line_of(reading, "uncached", 8)


def test_an_answer_without_a_call_of_the_model_and_one_of_a_single_token():
    none = read_off(Forwards(), 0.0, 0.5, 1.0)
    assert line_of(none, "odd", 8) == "odd: 0 in, 0 out, stop"
    one = read_off(Forwards([0.1], [5]), 0.0, 0.25, 0.5)
    assert line_of(one, "cached", 1) == "cached: 5 in, 1 out, TTFT 500 ms, 2 tokens/s, length"
    stopped = read_off(Forwards([0.1], [5]), 0.0, None, 0.5, was_stopped=True, lost=1)
    assert line_of(stopped, "uncached", 8) == "uncached: 5 in, 0 out, stopped"


def test_ctrl_c_stops_the_answer_and_not_the_program(capsys):
    engine = _engine("one ", "two ", KeyboardInterrupt())
    assert talk(engine, "first", "second") == 0
    assert [prompt for prompt, *_ in engine.asked] == ["first", "second"] and engine.closed == 2
    assert capsys.readouterr().out.count("one two \n  cached: 7 in, 2 out, ") == 2


def test_ctrl_c_while_text_is_shown_closes_the_stream(monkeypatch, capsys):
    def interrupted(text: str, end: str = "\n") -> None:
        if text == "two":
            raise KeyboardInterrupt

    engine = _engine("one", "two", "three")
    monkeypatch.setattr(answer, "say", interrupted)
    assert talk(engine, "Hello") == 0
    assert engine.closed == 1 and "cached: 7 in, 2 out" in capsys.readouterr().out


@pytest.mark.parametrize("last", [None, KeyboardInterrupt(), "/quit", " /quit "], ids=str)
def test_ways_to_leave(last):
    engine = _engine("text")
    assert talk(engine, last, "never sent") == 0
    assert engine.asked == []


def test_a_refused_request_is_told_in_the_engines_words(capsys):
    talk(_engine(RequestRefused("max_new_tokens must be at least 1")), "Hello", "again")
    assert capsys.readouterr().out.count("  refused: max_new_tokens must be at least 1\n") == 2


@pytest.mark.parametrize("error", [RuntimeError("it broke\nin two lines"), SystemExit("it broke")], ids=repr)
def test_an_error_of_the_engine_is_told_with_its_line_and_the_chat_goes_on(error, capsys):
    engine = _engine("text", error)
    assert talk(engine, "Hello", "again", width=100) == 0
    told = rf"text\n  cached failed: {type(error).__name__}: it broke \(tests/tools/test_chat.py, line \d+\)\n"
    assert len(re.findall(told, capsys.readouterr().out)) == 2


def test_a_stream_that_is_none_or_gives_no_text(capsys):
    talk(SimpleNamespace(model=Model(), stream=lambda *_: None), "Hello")
    talk(SimpleNamespace(model=Model(), stream=lambda *_: iter([17])), "Hello")
    told = capsys.readouterr().out
    assert "cached failed: TypeError: 'NoneType'" in told and "the stream gave 17, which is no text" in told


def test_a_broken_pipe_is_no_error_of_the_engine(monkeypatch):
    def broken(text: str, end: str = "\n") -> None:
        raise BrokenPipeError

    monkeypatch.setattr(answer, "say", broken)
    with pytest.raises(BrokenPipeError):
        talk(_engine("text"), "Hello")


def test_settings_reach_the_engine(capsys):
    engine = _engine("text")
    lines = ["/set temperature 0.7", "/set top_k 5", "/set top_p 0.9", "/set max_new_tokens 3", "/set"]
    talk(engine, *lines, "Hello")
    _, limit, params = engine.asked[0]
    assert (limit, params.temperature, params.top_k, params.top_p, params.max_tokens) == (3, 0.7, 5, 0.9, 3)
    assert "temperature 0.7, top_k 5, top_p 0.9, max_new_tokens 3, seed -1" in capsys.readouterr().out


WRONG = ["temperature hot", "temperature -0.1", "temperature 2.1", "temperature nan", "temperature inf", "top_k -2"]
WRONG += ["top_k 1.5", "top_p 0", "top_p 1.01", "max_new_tokens 0", "max_new_tokens 1e3", "seed -2", "seed x"]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_value_that_is_none_is_told_in_a_line_and_changes_nothing(wrong, capsys):
    talk(_engine("text"), f"/set {wrong}", "/set")
    told = capsys.readouterr().out.split("\n\n", 1)[1]
    name, value = wrong.split()
    assert re.match(rf"  {name} must be a .*, not {re.escape(value)}\n", told)
    assert "temperature 0.0, top_k -1, top_p 1.0, max_new_tokens 256, seed -1" in told


def test_lines_that_are_no_prompts(capsys):
    engine = _engine("text")
    lines = ["", "   ", "/set heat 3", "/set top_k", "/engine", "/turbo on", "/help", "caf\udce9", " /help"]
    talk(engine, *lines, width=100)
    told = capsys.readouterr().out
    for words in ("no setting heat", "say it as `/set NAME VALUE`", "takes another: cached,", "no command /turbo"):
        assert words in told
    assert "/quit            leave" in told and "this line is no UTF-8 text" in told
    assert [prompt for prompt, *_ in engine.asked] == [" /help"]


def test_another_engine_in_mid_conversation(capsys):
    first, second = _engine("from the first"), _engine("from the second")

    def start(name: str) -> Running:
        if name == "turbo":
            raise CannotRun("there is no engine 'turbo'", WRONG_USE)
        return _running(name, second)

    talk(first, "one", "/engine turbo", "two", "/engine uncached", "three", start=start)
    told = capsys.readouterr().out
    assert "there is no engine 'turbo' (cached stays)" in told and told.count("from the first") == 2
    assert "engine uncached (no streaming: step 3 gives its text at the end)\nfrom the second\n  uncached: " in told


def test_ctrl_c_while_a_step_is_loaded_leaves_the_engine_as_it_was(capsys):
    def start(name: str) -> Running:
        raise KeyboardInterrupt

    talk(_engine("text"), "/engine uncached", "Hello", start=start)
    assert "  stopped\ntext\n  cached: " in capsys.readouterr().out


def test_control_characters_are_written_out_and_text_of_any_script_stays(capsys):
    pieces = ["\x1b[2J\a", "a\u00a0b\u3000c ", "\U0001f468\u200d\U0001f33e", "\r\nnew", " \ufffd"]
    talk(_engine(*pieces), "Hello")
    assert "\\x1b[2J\\x07a\u00a0b\u3000c \U0001f468\u200d\U0001f33e\nnew \ufffd\n" in capsys.readouterr().out


def test_a_terminal_that_shows_ascii_only():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(stream):
        talk(_engine("caf\u00e9 ", "\u2026"), "Hello")
    assert b"caf\\xe9 ...\n" in stream.buffer.getvalue()


def test_forty_columns_are_enough(capsys):
    talk(_engine("text", RuntimeError("words " * 30)), "/help", "/set top_k x", "/engine", "/?", "Hello", width=40)
    talk(_engine("text", "more"), "Hello", width=40)
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 40] == []
