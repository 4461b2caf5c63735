"""`compare`, up to the readings: what is seen of a model from outside, and what stands in the way of a comparison."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from kata.compare.measure import Failed, measure, run, warm_up
from kata.compare.run import Wish, compare
from kata.compare.trace import bytes_in, watching
from kata.engines import make_engine
from kata.look import Look
from kata.solution import Solution
from kata.steps import REFERENCE, ROOT, get_step
from kata.stubs import make_stub
from shared.metrics import RequestMetrics
from shared.result import GenerateResult
from shared.runtime import Runtime
from tests.doubles.tiny_models import tiny_gpt2, tiny_qwen3
from tests.doubles.tokenizers import byte_level
from tests.tools.throwaway import Project

NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3
NEW = 8
CACHED_BYTES = 2 * 2 * 2 * 16 * 4  # of one position: keys and values, layers, heads, numbers, float32
TOKENIZER = byte_level()


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime("small", tiny_qwen3(3, vocab_size=len(TOKENIZER)), TOKENIZER)


def hooks_of(model: torch.nn.Module) -> int:
    return sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules())


def variants(step: int) -> list[Path]:
    return sorted((ROOT / "tests" / "variants" / f"step_{step:02d}").glob("*.py"))


@pytest.mark.parametrize("engine", ["cached", "huggingface"])
def test_with_a_cache_each_token_goes_through_once_and_the_cache_is_counted(runtime, engine):
    seen = run(engine, make_engine(engine, Solution.in_folder(REFERENCE), runtime), runtime.model, "Hello", NEW)
    length = seen.prompt_tokens
    assert [forward.tokens for forward in seen.forwards] == [length] + [1] * (NEW - 1)
    assert seen.cache_bytes == (length + NEW - 1) * CACHED_BYTES
    assert len(seen.output_ids) == NEW and hooks_of(runtime.model) == 0


def test_without_one_the_whole_sequence_goes_through_each_time_and_nothing_is_carried(runtime):
    engine = make_engine("uncached", Solution.in_folder(REFERENCE), runtime)
    seen = run("uncached", engine, runtime.model, "Hello", NEW)
    assert [forward.tokens for forward in seen.forwards] == [seen.prompt_tokens + at for at in range(NEW)]
    assert {forward.cache_bytes for forward in seen.forwards} == {0}
    assert 0 < seen.ttft_s < seen.forwards[-1].ended_s < seen.latency_s


@pytest.mark.parametrize(
    ("step", "file"),
    [(step, file) for step in (3, 4) for file in variants(step)],
    ids=lambda value: getattr(value, "stem", value),
)
def test_a_right_loop_is_counted_however_it_is_written(runtime, step, file):
    """By position, by name, `model.forward`, tuples, another thread, a cache of its own."""
    engine = "uncached" if step == 3 else "cached"
    seen = run(
        engine,
        make_engine(engine, Solution.in_folder(REFERENCE).with_step(step, file), runtime),
        runtime.model,
        "Hi",
        NEW,
    )
    length = seen.prompt_tokens
    wanted = [length] + [1] * (NEW - 1) if step == 4 else [length + at for at in range(NEW)]
    assert [forward.tokens for forward in seen.forwards] == wanted
    assert (seen.cache_bytes >= (length + NEW - 1) * CACHED_BYTES) == (step == 4)


def test_a_cache_that_the_model_makes_and_nobody_hands_on_is_none(runtime):
    ids = torch.tensor([[1, 2, 3]])
    with watching(runtime.model, most=9) as trace, torch.no_grad():
        for _ in range(2):
            runtime.model(input_ids=ids, use_cache=True)
        runtime.model.forward(ids, return_dict=False)
    assert [(forward.tokens, forward.cache_bytes) for forward in trace.forwards] == [(3, 0)] * 3


def test_a_model_of_another_kind_is_seen_alike():
    model = tiny_gpt2()
    with watching(model, most=9) as trace, torch.no_grad():
        cache = model(torch.tensor([[1, 2, 3]])).past_key_values
        model(torch.tensor([[4]]), past_key_values=cache)
    assert [forward.tokens for forward in trace.forwards] == [3, 1]
    assert trace.forwards[1].cache_bytes == bytes_in(cache) == 4 * 2 * 2 * 64 * 4


def test_bytes_are_counted_through_lists_too():
    assert bytes_in([(torch.zeros(3), torch.zeros(1, dtype=torch.int8)), None]) == 13


class Double:
    """An engine that does what it is told."""

    def __init__(self, model: torch.nn.Module, answer: object) -> None:
        self.model, self.answer, self.asked = model, answer, []

    @torch.no_grad()
    def generate(self, prompt, max_new_tokens=None, params=None):
        self.asked.append((prompt, max_new_tokens, params.ignore_eos, params.is_greedy))
        self.model(torch.tensor([[1, 2]]))
        if isinstance(self.answer, BaseException):
            raise self.answer
        while self.answer == "no end":
            self.model(torch.tensor([[1]]))
        return self.answer


def answer(*ids: int) -> GenerateResult:
    return GenerateResult("", list(ids), RequestMetrics(0.0, 2, len(ids)))


def test_no_engine_is_always_first_and_all_are_asked_alike(runtime):
    engines = {name: Double(runtime.model, answer(5, 6)) for name in "abc"}
    told = []
    readings = measure(engines, runtime.model, ["one", "two"], 2, 3, lambda *where: told.append(where))
    assert [reading.engine for reading in readings[::3]] == ["a", "b", "c", "a", "b", "c"]
    assert {tuple(engine.asked) for engine in engines.values()} == {
        (("one", 2, True, True), ("two", 2, True, True)) * 3
    }
    assert told[0] == ("round 1 of 3", "a, prompt 1", 0, 18) and len(told) == len(readings) == 18


def test_the_warm_up_asks_for_few_tokens(runtime):
    engine = Double(runtime.model, answer(5, 6))
    warm_up({"a": engine}, runtime.model, ["one"], 500, lambda *where: None)
    assert engine.asked == [("one", 16, True, True)]


@pytest.mark.parametrize("wrong", [ValueError("no"), SystemExit(0), None, answer(), "no end"], ids=str)
def test_whatever_an_engine_does_wrong_is_one_failure_and_no_hook_stays(runtime, wrong):
    with pytest.raises(Failed, match="the engine a failed on 'one'"):
        run("a", Double(runtime.model, wrong), runtime.model, "one", 2)
    assert hooks_of(runtime.model) == 0


def test_ctrl_c_goes_through_and_leaves_no_hook(runtime):
    with pytest.raises(KeyboardInterrupt):
        run("a", Double(runtime.model, KeyboardInterrupt()), runtime.model, "one", 2)
    assert hooks_of(runtime.model) == 0


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    """The reference's steps, to be changed."""
    return Path(shutil.copytree(REFERENCE, tmp_path / "mine", ignore=shutil.ignore_patterns("__pycache__")))


def told(capsys: pytest.CaptureFixture, **wish: object) -> tuple[int, str]:
    """The exit status of a short comparison, and what it said, on one line."""
    given = {"engines": ["uncached", "cached"], "model": "tiny", "impl": "reference", "new_tokens": 4, "rounds": 1}
    status = compare(Wish(**(given | wish)), Look(width=60, make=True))
    return status, " ".join(capsys.readouterr().out.split())


def test_a_step_that_is_not_written_comes_from_the_reference(solution, tmp_path, capsys):
    file = get_step(3).file_in(solution)
    file.write_text(make_stub(file.read_text(encoding="utf-8"), 3), encoding="utf-8")
    status, said = told(capsys, impl=str(solution), out=tmp_path / "out")
    assert status == 0 and "uncached* cached" in said and "* with the reference's step 3" in said
    read = json.loads((tmp_path / "out" / "compare.json").read_text(encoding="utf-8"))
    assert [lent["step"] for lent in read["engines"]["uncached"]["lent"]] == [3]
    assert read["engines"]["cached"]["lent"] == [] and read["notes"] == []
    assert (tmp_path / "out" / "compare.png").exists() and (tmp_path / "out" / "compare.svg").exists()


def test_code_that_fails_is_told_with_file_and_line(solution, tmp_path, capsys):
    file = get_step(4).file_in(solution)
    source = file.read_text(encoding="utf-8").replace("token = next_token.item()", "token = next_token.items()")
    file.write_text(source, encoding="utf-8")
    line = next(number for number, text in enumerate(source.splitlines(), start=1) if ".items()" in text)
    status, said = told(capsys, impl=str(solution), out=tmp_path / "out")
    assert status == NOT_SOLVED and "the engine cached failed on" in said and "AttributeError" in said
    assert f"step_04_generate_cached.py, line {line})" in said


def test_a_file_that_is_no_python_is_told_with_its_line(solution, tmp_path, capsys):
    get_step(2).file_in(solution).write_text("def sample(:\n", encoding="utf-8")
    status, said = told(capsys, impl=str(solution), out=tmp_path / "out")
    assert status == CANNOT_LOAD and "step_02_sampling.py, line 1" in said


def test_more_new_tokens_than_the_context_has(tmp_path, capsys):
    status, said = told(capsys, new_tokens=10**6, out=tmp_path)
    assert status == WRONG_USE and "more than the model's context" in said and "TOKENS=64" in said


@pytest.mark.parametrize(
    ("wish", "wanted"),
    [
        ({"engines": ["turbo"]}, "there is no engine 'turbo': choose cached, uncached, huggingface"),
        ({"engines": []}, "no engine is named"),
        ({"new_tokens": 1}, "1 new tokens are too few"),
        ({"rounds": 0}, "0 repeats are too few"),
        ({"impl": "nowhere"}, "IMPL=nowhere: there is no such folder"),
        ({"model": "nonsense"}, "there is no model called 'nonsense'"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(tmp_path, capsys, wish, wanted):
    status, said = told(capsys, out=tmp_path, **wish)
    assert status == WRONG_USE and wanted in said


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_runs(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    status, said = told(capsys, out=tmp_path / "file" / "out")
    assert status == WRONG_USE and "cannot be written to" in said and "OUT=" in said and "loading" not in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_folder_that_is_read_only(tmp_path, capsys):
    tmp_path.chmod(0o500)
    status, said = told(capsys, out=tmp_path / "out")
    assert status == WRONG_USE and "Permission denied" in said


def test_the_command_line_takes_engines_with_commas(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("compare") / "kata")
    said = project.kata("compare", "--engines", "cached, turbo,cached", "--new-tokens", "16", "--repeats", "2")
    assert said.status == WRONG_USE and "no engine 'turbo': choose cached, uncached, huggingface" in said
    assert project.kata("compare", "--repeats", "0").status == WRONG_USE
    assert project.kata("compare", "--new-tokens", "many").status == WRONG_USE
