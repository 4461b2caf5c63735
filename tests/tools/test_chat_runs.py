"""`chat` as a process: what stands in its way, three engines through a pipe, and Ctrl-C in a terminal."""

import os
import re
import subprocess
import sys

import pytest

from kata.steps import ROOT
from tests.tools.throwaway import Project

NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3
ENDLESS = {  # steps of a solution whose answer never ends
    "01_chat_template": "def prepare_inputs(tokenizer, model, user_prompt):\n    return {}\n",
    "02_sampling": "",
    "04_generate_cached": "def generate_cached(*_):\n    pass\n",
    "05_metrics": "def summarize(generation):\n    return generation\n",
    "06_streaming": """import torch
def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    try:
        while True:
            model(input_ids=torch.tensor([[1]]))
            yield "la "
    finally:
        print("(closed)")
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("chat") / "kata")
    project.solve(1, 2, 4, 5)
    return project


def test_what_stands_in_the_way_is_told_before_a_model_is_loaded(project):
    told = project.kata("chat", "--engine", "turbo")
    assert told.status == WRONG_USE and "no engine 'turbo': choose cached, uncached, huggingface" in told
    told = project.kata("chat")
    assert told.status == NOT_SOLVED
    assert "cached needs step 6, which is not written yet: exercises/step_06_streaming.py, line" in told
    project.write(6, "def step_6(:\n")
    told = project.kata("chat")
    assert told.status == CANNOT_LOAD and "exercises/step_06_streaming.py, line 1" in told


def test_a_model_that_there_is_not():
    words = [sys.executable, "-m", "kata", "chat", "--impl", "reference", "--model", "nonsense"]
    told = subprocess.run(words, cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=100)
    assert told.returncode == WRONG_USE and "no model called 'nonsense'" in told.stdout
    assert "Traceback" not in told.stdout + told.stderr


@pytest.mark.timeout(120)
def test_three_engines_through_a_pipe_say_the_same_and_are_counted_alike():
    lines = ["/set max_new_tokens 6", "Hello", "/engine uncached", "Hello", "/engine huggingface", "Hello"]
    words = [sys.executable, "-m", "kata", "chat", "--impl", "reference"]
    run = subprocess.run(words, cwd=ROOT, env=_environment(), input="\n".join(lines), capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == ""
    said = re.findall(r"\n([^\n]*)\n  (\w+): (\d+ in, \d+ out)[^\n]*, (stop|length)\n", run.stdout)
    assert [engine for _, engine, *_ in said] == ["cached", "uncached", "huggingface"]
    assert len({(text, *figures) for text, _, *figures in said}) == 1 and "> " not in run.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.timeout(120)
def test_ctrl_c_in_a_terminal_stops_an_endless_answer_as_often_as_it_is_typed(tmp_path):
    for name, source in ENDLESS.items():
        (tmp_path / f"step_{name}.py").write_text(source, encoding="utf-8")
    from tests.tools.terminal import Terminal

    terminal = Terminal("-m", "kata", "chat", "--impl", str(tmp_path), cwd=ROOT, environment=_environment())
    try:
        for prompt in ("first", "second"):
            terminal.type_after("> ", f"{prompt}\n")
            terminal.type_after("la la la", "\x03")
            terminal.type_after("(closed)")
            assert re.search(r"  cached: 1 in, \d+ out, TTFT .*, stopped$", terminal.type_after(", stopped"))
        terminal.type_after("> ", "\x04")
        assert terminal.wait() == 0
    finally:
        terminal.close()


def _environment() -> dict[str, str]:
    return {**os.environ, "KATA_PYTHON": sys.executable, "COLUMNS": "100", "TERM": "dumb"}
