"""`compare`, from readings on: the figures, the table, the notes, the JSON and the plot, all from fixed readings."""

import dataclasses
import io
import json
import os
import re
import sys

import pytest

from kata.compare.comparison import Comparison, Model
from kata.compare.figures import oddities
from kata.compare.readings import Forward, Reading
from kata.compare.record import as_json
from kata.compare.run import _write
from kata.compare.table import ROWS, shown, table
from kata.compare.ticker import Ticker
from kata.look import Look
from kata.machine import made_with

MACHINE = {"cpu": "a CPU", "cores": 2, "threads": 1, "torch": "2.13.0", "transformers": "5.23.0"}
IDS = [11, 12, 13, 14]


def reading(engine: str, prompt: int = 0, round_: int = 0, step_s: float = 0.25, ids: list[int] = IDS) -> Reading:
    """A prompt of 3 or 4 tokens, the prefill takes twice a step; without a cache each step a step more."""
    length, cached = 3 + prompt, engine != "uncached"
    forwards = [Forward(length, 2 * step_s)]
    for at in range(1, len(ids)):
        ended = forwards[-1].ended_s + step_s * (1 if cached else at + 1)
        forwards.append(Forward(1 if cached else length + at, ended, 1024 * (length + at) if cached else 0))
    return Reading(engine, prompt, round_, list(ids), forwards[-1].ended_s, forwards)


def compared(*engines: str, lent: dict[int, str] | None = None, **other: object) -> Comparison:
    """Two prompts, three rounds; each engine a little slower in every round."""
    places = [(prompt, round_) for round_ in range(3) for prompt in range(2)]
    readings = [reading(engine, *place, 0.25 + place[1] / 64) for place in places for engine in engines]
    given = {"lent": {engine: lent or {} for engine in engines}, "readings": readings} | other
    model = Model("tiny", 1000, 2048, "cpu", "float32")
    texts = ["a prompt", "one more"]
    return Comparison(model, "exercises", prompts=texts, new_tokens=4, rounds=3, made_with=MACHINE, **given)


def test_the_figures_of_one_request_are_those_of_the_contract():
    one = reading("cached")
    assert (one.ttft_s, one.latency_s, one.tpot_s) == (0.5, 1.25, 0.25)
    assert one.throughput == 4 / 1.25
    assert one.model_tokens == 3 + 4 - 1 and one.cache_bytes == 1024 * 6
    assert one.seconds_by_position() == {5: 0.25, 6: 0.25, 7: 0.25}


def test_figures_are_medians_with_the_lowest_and_the_highest():
    latency = compared("cached").figures["cached"]["latency_s"]
    assert (latency.low, latency.median, latency.high, latency.count) == (1.25, 5 * (0.25 + 1 / 64), 1.40625, 6)


def test_a_speedup_is_taken_within_a_round_and_only_where_the_baseline_ran():
    assert compared("uncached", "cached").figures["cached"]["speedup"].low == pytest.approx(11 / 5)
    assert "speedup" not in compared("cached").figures["cached"]
    assert not any(line.startswith("speedup") for line in table(compared("cached"), Look()))


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (0.4519, "0.452"), (12.34, "12.3"), (33024.0, "33,024")])
def test_numbers_have_three_digits(number, text):
    assert shown(number) == text


def test_the_table_has_a_column_for_each_engine_and_says_what_its_rows_mean():
    lines = table(compared("uncached", "cached"), Look(60))
    assert "                    uncached         cached" in lines
    assert "TTFT (ms)                531            531" in lines
    assert "model tokens              20              6" in lines
    assert "cache (KiB)                0              6" in lines
    assert all(any(line.startswith(row.label.split(" (")[0]) for line in lines) for row in ROWS)
    assert max(map(len, lines)) <= 60 and "\n".join(lines).isascii()


def test_a_step_of_the_references_is_named_in_table_plot_and_json():
    comparison = compared("cached", lent={2: "not written yet: exercises/step_02_sampling.py, line 23"})
    assert any(line.endswith("cached*") for line in table(comparison, Look(60)))
    assert "* with the reference's step 2, since yours is not written yet" in table(comparison, Look(80))
    assert comparison.label("cached") == "cached (reference: step 2)"
    assert json.loads(as_json(comparison))["engines"]["cached"]["lent"][0]["why"].endswith("line 23")


def test_other_answers_fewer_tokens_and_more_calls_are_said_first():
    odd = reading("cached", ids=[11, 12, 99, 14])
    again = reading("cached", round_=1, ids=[11, 12])
    wasted = reading("huggingface")
    wasted.forwards.append(Forward(1, 9.0))
    told = oddities([reading("uncached"), odd, again, wasted], 4)
    assert "prompt 1: cached and uncached differ from token 3 on" in told
    assert "prompt 1: cached answers otherwise in another round" in told
    assert "cached made 2 tokens where 4 were asked for" in told
    assert "huggingface ran the model 5 times for 4 tokens" in told
    lines = table(compared("uncached", "cached", readings=[reading("uncached"), odd]), Look(60))
    note = lines.index("note: prompt 1: cached and uncached differ from token 3 on")
    assert note < next(at for at, line in enumerate(lines) if line.startswith("TTFT"))


def test_equal_answers_need_no_note():
    assert compared("uncached", "cached").notes == []


def test_the_json_holds_what_the_table_shows_and_what_it_was_made_of():
    comparison = compared("uncached", "cached")
    read = json.loads(as_json(comparison))
    lines = table(comparison, Look())
    assert read["schema"] == 1 and read["made_with"] == MACHINE and read["model"]["device"] == "cpu"
    assert read["summary"] == lines
    for row in ROWS:
        figures = [read["engines"][engine]["figures"][row.key]["median"] / row.divisor for engine in read["engines"]]
        shown_in = next(line for line in lines if line.startswith(row.label)).removeprefix(row.label).split()
        cells = [float(cell.replace(",", "")) for cell in shown_in]
        assert cells == pytest.approx(figures, rel=0.006, abs=0.5 if row.whole else 0)
    one = read["engines"]["cached"]["readings"][0]
    assert one["output_ids"] == IDS and one["forwards"]["tokens"] == [3, 1, 1, 1]
    assert read["engines"]["uncached"]["per_position"]["position"] == [5, 6, 7, 8]
    assert read["engines"]["uncached"]["per_position"]["count"] == [3, 6, 6, 3]


def test_json_lists_of_numbers_stay_on_a_line():
    assert '"tokens": [3, 1, 1, 1],' in as_json(compared("cached"))


def test_table_json_and_plot_of_one_run_lie_side_by_side(tmp_path, capsys):
    _write(compared("uncached", "cached", "huggingface"), tmp_path, Look(), Ticker(io.StringIO(), 80))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["compare.json", "compare.png", "compare.svg"]
    assert (tmp_path / "compare.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "compare.svg").read_text(encoding="utf-8")
    assert "compare.svg" in capsys.readouterr().out


def test_the_plot_climbs_names_its_axes_and_marks_the_prefill():
    from kata.compare.plot import draw

    readings = [reading(engine, ids=list(range(40))) for engine in ("uncached", "cached")]
    axes = draw(compared("uncached", "cached", lent={2: "not written yet"}, readings=readings)).axes[0]
    uncached, cached = (list(line.get_ydata()) for line in axes.lines)
    assert uncached == sorted(uncached) and uncached[-1] > 10 * uncached[1]
    assert cached == [500.0] + [250.0] * 39
    assert [line.get_xdata()[0] for line in axes.lines] == [4, 4]
    assert axes.get_xlabel() == "position in the sequence (tokens)" and axes.get_ylabel() == "time per token (ms)"
    assert axes.lines[0].get_label().startswith("uncached (reference: step 2): from ")
    assert axes.texts[0].get_text().startswith("prefill")
    assert (
        len({line.get_linestyle() for line in axes.lines}) == 2 and len({one.get_marker() for one in axes.lines}) == 2
    )


def test_two_tokens_and_one_round_can_be_drawn(tmp_path):
    few = [reading("cached", prompt, ids=[1, 2]) for prompt in range(2)]
    comparison = dataclasses.replace(compared("cached", readings=few), new_tokens=2, rounds=1)
    _write(comparison, tmp_path, Look(), Ticker(io.StringIO(), 80))
    assert (tmp_path / "compare.png").exists()


def test_without_matplotlib_a_line_says_how_to_get_the_plot(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    (tmp_path / "compare.png").write_bytes(b"of an earlier run")
    _write(compared("cached"), tmp_path, Look(), Ticker(io.StringIO(), 80))
    assert [file.name for file in tmp_path.iterdir()] == ["compare.json"]
    told = " ".join(capsys.readouterr().out.split())
    assert "no plot: " in told and "`python -m pip install matplotlib`" in told


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_moves_on_a_terminal_and_is_a_line_a_phase_elsewhere(monkeypatch):
    monkeypatch.setitem(os.environ, "TERM", "xterm")
    seconds = iter(range(0, 100, 10))
    monkeypatch.setattr("kata.compare.ticker.time.monotonic", lambda: next(seconds))
    terminal, plain = Terminal(), io.StringIO()
    for stream in (terminal, plain):
        with Ticker(stream, 30) as tell:
            tell("round 1 of 2", "cached, prompt 1", 0, 4)
            tell("round 1 of 2", "uncached, prompt 1", 1, 4)
            tell("round 2 of 2", "cached, prompt 1", 2, 4)
    assert "\n" not in terminal.getvalue() and terminal.getvalue().endswith("\r" + " " * 29 + "\r")
    assert max(map(len, terminal.getvalue().split("\r"))) == 29
    assert re.fullmatch(r"round 1 of 2\nround 2 of 2, about 20 s left\n", plain.getvalue())


def test_the_machine_card_names_processor_versions_and_time():
    card = made_with(("torch", "no-such-package"))
    assert {"at", "commit", "python", "system", "cpu", "cores", "threads", "torch"} <= card.keys()
    assert card["no-such-package"] is None and json.loads(json.dumps(card)) == card
