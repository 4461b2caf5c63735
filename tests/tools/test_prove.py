"""`make prove`: its counts, its page and its exit status, on a zoo that says what a test wants."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kata.look import Look
from kata.steps import ROOT, get_step
from tests.tools import likeness, matrix, prove
from tests.tools.proof import Proof, as_json
from tests.tools.specimens import Specimen, Verdict, read_specimen, required_checks, specimen_paths

STEP = get_step(5)
SPECIMENS = [one for one in map(read_specimen, specimen_paths()) if one.step is STEP]
FAULTS = [one for one in SPECIMENS if one.is_fault]
FAULT, VARIANT = FAULTS[0], next(one for one in SPECIMENS if not one.is_fault)


def as_promised(specimen: Specimen) -> Verdict:
    """A fault fails every check of the step: none is left that catches nothing. Its failure tells its mistake."""
    checks = required_checks(specimen.step)
    if not specimen.is_fault:
        return Verdict(specimen.name, checks)
    said = dict.fromkeys(specimen.caught_by, " ".join(specimen.says))
    failed = said | {check: "" for check in checks if check not in said}
    return Verdict(specimen.name, [], failed, {specimen.caught_by[0]: f"the failure of {specimen.mistake}"})


def proof_of(*changed: Verdict, specimens: Sequence[Specimen] = SPECIMENS) -> Proof:
    proof, verdicts = Proof(specimens), {verdict.name: verdict for verdict in changed}
    for specimen in specimens:
        proof.take(specimen, verdicts.get(specimen.name) or as_promised(specimen))
    return proof


SURVIVES = Verdict(FAULT.name, required_checks(STEP))
FAILS_ELSEWHERE = Verdict(FAULT.name, [], {"test_elsewhere": "why"})
LACKS_ITS_PHRASE = Verdict(FAULT.name, [], {FAULT.caught_by[0]: "no such words"})
IS_REFUSED = Verdict(VARIANT.name, required_checks(STEP)[1:], {required_checks(STEP)[0]: "why"})


def test_a_zoo_that_keeps_its_promises_is_proved() -> None:
    proof = proof_of()
    assert proof.holds and not proof.idle_checks(STEP)
    assert proof.counts()["caught"] == proof.counts(STEP)["faults"] == len(FAULTS)
    assert proof.accepted == proof.counts()["variants"] == len(SPECIMENS) - len(FAULTS)


@pytest.mark.parametrize(
    ("verdict", "column"),
    [(SURVIVES, "survived"), (FAILS_ELSEWHERE, "other"), (LACKS_ITS_PHRASE, "unsaid"), (IS_REFUSED, "refused")],
    ids=["survived", "other", "unsaid", "refused"],
)
def test_a_promise_that_is_not_kept_is_counted_and_told(verdict: Verdict, column: str) -> None:
    proof = proof_of(verdict)
    assert not proof.holds and proof.counts(STEP)[column] == 1
    told = "\n".join(prove.report(proof, Look()))
    assert f"{verdict.name}: " in told and "\nnot proved: " in told


def test_a_required_check_that_catches_nothing_is_told() -> None:
    proof = proof_of(specimens=[FAULT, VARIANT])
    first = required_checks(STEP)[0]
    proof.verdicts[FAULT.name].failed.pop(first)
    assert proof.idle_checks(STEP) == [first] and not proof.holds
    assert f"step 5: {first} is required and catches no fault" in prove.report(proof, Look())


def test_a_zoo_that_ends_early_proves_nothing() -> None:
    proof = Proof(SPECIMENS)
    assert not proof.holds
    assert f"the zoo ended before its verdict on {len(SPECIMENS)} files" in prove.report(proof, Look())


def test_the_report_fits_into_sixty_columns() -> None:
    proof = proof_of()
    proof.matrix = "current"
    assert max(map(len, prove.report(proof, Look(width=60)))) <= 60


def test_the_json_has_a_version_and_each_specimen() -> None:
    told = json.loads(json.dumps(as_json(proof_of(SURVIVES))))
    assert (told["schema"], told["passed"], told["matrix"]) == (1, False, None)
    assert told["steps"][0]["survived"] == told["all"]["survived"] == 1
    survivor = next(one for one in told["specimens"] if one["name"] == FAULT.name)
    assert survivor["outcome"] == "survived" and survivor["problems"] and len(survivor["sha256"]) == 64
    assert {"python", "torch", "transformers", "pytest"} <= told["versions"].keys()


def test_the_matrix_is_the_same_text_whatever_the_order() -> None:
    text = matrix.matrix_text(SPECIMENS)
    assert matrix.matrix_text(SPECIMENS[::-1]) == text
    assert f"| {FAULT.path.stem} | {FAULT.sentence} | {FAULT.caught_by[0]} | required |" in text


def test_a_matrix_that_lacks_a_fault_is_not_current(tmp_path: Path) -> None:
    page = tmp_path / "MATRIX.md"
    assert not matrix.is_current(SPECIMENS, page)
    page.write_text(matrix.matrix_text(SPECIMENS[1:]), encoding="utf-8")
    assert not matrix.is_current(SPECIMENS, page)
    page.write_text(matrix.matrix_text(SPECIMENS), encoding="utf-8")
    assert matrix.is_current(SPECIMENS, page)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page lies elsewhere for once, and says something old; the whole zoo is step 5."""
    page = tmp_path / "MATRIX.md"
    page.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(prove, "MATRIX", page)
    monkeypatch.setattr(prove, "specimen_paths", lambda: [one.path for one in SPECIMENS])
    monkeypatch.setattr(prove, "is_current", lambda specimens: matrix.is_current(specimens, page))
    table_beside(page).write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(prove, "TABLE", table_beside(page))
    return page


def table_beside(page: Path) -> Path:
    return page.with_name("looks_like.json")


def zoo_that_says(*changed: Verdict):
    class Zoo:
        def __init__(self, specimens: Sequence[Specimen], jobs: int) -> None:
            self.proof = proof_of(*changed, specimens=specimens)

        def verdicts(self) -> Iterator[Verdict]:
            yield from self.proof.verdicts.values()

        def close(self) -> None: ...

    return Zoo


def status_of(monkeypatch: pytest.MonkeyPatch, zoo: type, *words: str) -> int:
    monkeypatch.setattr(prove, "Zoo", zoo)
    monkeypatch.setattr("sys.argv", ["prove", *words])
    return prove.main()


def test_a_proof_writes_the_page(page: Path, monkeypatch, capsys) -> None:
    assert status_of(monkeypatch, zoo_that_says()) == 0
    assert page.read_text(encoding="utf-8") == matrix.matrix_text(SPECIMENS)
    told = " ".join(capsys.readouterr().out.split())
    assert re.search(r"written anew, to be committed: \S+MATRIX.md, \S+looks_like.json", told)
    assert table_beside(page).read_text(encoding="utf-8") == likeness.table_text(SPECIMENS, proof_of().verdicts)
    assert status_of(monkeypatch, zoo_that_says(), "--check") == 0


def test_an_old_page_fails_a_check_and_stays(page: Path, monkeypatch, capsys) -> None:
    assert status_of(monkeypatch, zoo_that_says(), "--check", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["matrix"] == told["table"] == "stale"
    assert page.read_text(encoding="utf-8") == table_beside(page).read_text(encoding="utf-8") == "old\n"


def test_what_is_not_proved_is_not_written(page: Path, monkeypatch, capsys) -> None:
    assert status_of(monkeypatch, zoo_that_says(SURVIVES)) == 1
    assert page.read_text(encoding="utf-8") == "old\n"
    assert "this wrong solution passes" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["12"], ["x"], ["--jobs", "0"], ["--jobs", "-1"]])
def test_wrong_use_is_told_before_anything_runs(words: list[str], monkeypatch, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        status_of(monkeypatch, zoo_that_says(), *words)
    assert left.value.code == 2 and "usage:" in capsys.readouterr().err


def test_the_page_lies_in_the_project() -> None:
    assert matrix.MATRIX == ROOT / "tests" / "MATRIX.md"
