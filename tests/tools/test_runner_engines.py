"""The engines of a solution: which steps each one needs, what stands in the way, and whose step is run instead."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kata import engines
from kata.engines import ENGINES, NEEDS, CannotRun, chosen_sources, make_engine, steps_for, told
from kata.look import Look
from kata.path import Place, State
from kata.solution import Solution
from kata.steps import REFERENCE, STEPS, get_step

NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3
FUNCTIONS = {1: "prepare_inputs", 3: "generate_uncached", 4: "generate_cached", 5: "summarize", 6: "generate_stream"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A solution whose functions tell how they were called; steps 7 to 9 are not there."""
    for number in range(1, 7):
        name = FUNCTIONS.get(number, "other")
        _write(tmp_path, number, f"def {name}(*arguments):\n    return [{number}, *arguments]\n")
    return tmp_path


def _write(folder: Path, number: int, source: str) -> None:
    get_step(number).file_in(folder).write_text(source, encoding="utf-8")


def _gap(number: int) -> str:
    return f'def other():\n    raise NotImplementedError("TODO {number}: write it")\n'


def test_neither_engine_needs_the_server(folder):
    sources = chosen_sources(ENGINES, str(folder), Look())
    assert sources.lent == {} and sources.files[4] == get_step(4).file_in(folder)
    assert steps_for(ENGINES) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_needs_its_own_steps_and_no_others(engine, folder):
    for step in STEPS:
        if step.number not in NEEDS[engine]:
            _write(folder, step.number, _gap(step.number))
    chosen_sources([engine], str(folder), Look())
    _write(folder, NEEDS[engine][-1], _gap(NEEDS[engine][-1]))
    with pytest.raises(CannotRun, match=f"the engine {engine} needs step {NEEDS[engine][-1]}, which is not written"):
        chosen_sources([engine], str(folder), Look())


def test_the_message_names_the_engine_that_needs_the_step(folder):
    _write(folder, 3, _gap(3))
    with pytest.raises(CannotRun, match=r"the engine uncached needs step 3, .*, line 2. make check-3 says") as refused:
        chosen_sources(["cached", "uncached"], str(folder), Look())
    assert refused.value.status == NOT_SOLVED


def test_the_reference_is_lent_for_what_is_not_written_or_not_there(folder, capsys):
    _write(folder, 3, _gap(3))
    get_step(6).file_in(folder).unlink()
    sources = chosen_sources(["cached", "uncached"], str(folder), Look(), lend=True)
    assert list(sources.lent) == [3, 6] and capsys.readouterr().out == ""
    assert sources.lent[3].startswith("not written yet: ") and sources.lent[6].startswith("not there: ")
    assert sources.files[3] == get_step(3).file_in(REFERENCE) and sources.files[4] == get_step(4).file_in(folder)


def test_what_the_learner_jumped_over_is_lent_and_said(monkeypatch, capsys):
    jumped = [Place(step, State.REFERENCE if step.number < 7 else State.OPEN) for step in STEPS]
    monkeypatch.setattr(engines, "survey", lambda standing: jumped)
    assert chosen_sources(["huggingface"], "exercises", Look()).lent == {1: "jumped over"}
    assert capsys.readouterr().out == "the reference stands in for what you jumped over: 1\n"
    assert list(chosen_sources(["uncached"], "exercises", Look(), lend=True).lent) == [1, 2, 3, 5]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("lend", [False, True])
def test_a_file_that_is_no_python_is_never_replaced(folder, lend):
    _write(folder, 4, "def generate_cached(:\n")
    with pytest.raises(CannotRun, match=r"step 4 cannot be loaded: .*step_04_generate_cached.py, line 1: ") as refused:
        chosen_sources(["cached"], str(folder), Look(), lend=lend)
    assert refused.value.status == CANNOT_LOAD


def test_an_engine_that_there_is_not():
    for ask in (
        lambda: chosen_sources(["cached", "turbo"], "nowhere", Look()),
        lambda: make_engine("turbo", None, None),
    ):
        with pytest.raises(CannotRun, match="no engine 'turbo': choose cached, uncached, huggingface") as refused:
            ask()
        assert refused.value.status == WRONG_USE


def test_engines_are_made_of_the_solutions_own_functions(folder):
    solution, runtime = Solution.in_folder(folder), SimpleNamespace(model="M", tokenizer="T")
    cached, uncached = make_engine("cached", solution, runtime), make_engine("uncached", solution, runtime)
    assert cached.generate("hi", 3) == [5, [4, "M", "T", "hi", 3, None]]
    assert cached.stream("hi", 3, "P") == [6, "M", "T", "hi", 3, "P"]
    assert make_engine("huggingface", solution, runtime).prepare_inputs("hi") == [1, "hi"]
    assert uncached.generate("hi", params="P") == [5, [3, "M", "T", "hi", None, "P"]]


def test_the_uncached_engine_streams_its_text_in_one_piece_and_an_empty_one_not_at_all():
    for text, pieces in (("the text", ["the text"]), ("", [])):
        engine = engines.UncachedEngine(
            SimpleNamespace(model=0, tokenizer=0), lambda *_, text=text: text, lambda text: SimpleNamespace(text=text)
        )
        assert list(engine.stream("hi")) == pieces


def test_a_step_that_lacks_its_function_or_breaks_as_it_is_loaded(folder):
    _write(folder, 6, "")
    with pytest.raises(CannotRun, match=r"step 6 has no generate_stream: .*step_06_streaming.py is to define it"):
        make_engine("cached", Solution.in_folder(folder), None)
    _write(folder, 6, "1 / 0\n")
    with pytest.raises(CannotRun, match=r"step 6 cannot be loaded: ZeroDivisionError: .*_06_streaming.py, line 1\)"):
        make_engine("cached", Solution.in_folder(folder), None)


def test_an_error_of_many_lines_is_told_in_one():
    assert told("it failed", ValueError("one\ntwo"), Solution({})) == "it failed: ValueError: one"
