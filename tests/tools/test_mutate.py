"""`make mutate`: its mutants, its list of equivalent ones, its counts and its exit status."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from kata.look import Look
from kata.steps import ROOT
from tests.tools import mutant_tests, mutate
from tests.tools.mutants import Mutant, mutants_of, why_missing
from tests.tools.mutation import PAGE, Account, Equivalent, Fate, page_text, read_equivalents, rows_of

needs_tools = pytest.mark.skipif(bool(why_missing()), reason=why_missing())
needs_page = pytest.mark.skipif(not PAGE.exists(), reason="the page is not written yet: `make mutate` writes it")
FILE = mutate.FILES[0]
SOURCE = '''"""A file."""


class Place:
    @property
    def is_free(self) -> bool | None:
        """Whether it is."""
        return self.taken < self.most('a')
'''
ENTRY = """
[[equivalent]]
file = "a.py"
where = "f"
before = "x = 1"
after = ["x = 2"]
reason = "nobody reads x"
"""


def mutant(after: str, file: str = FILE) -> Mutant:
    return Mutant(file, "a tool's", "", 3, "f", "x = 1", after)


def account(*fates: Fate, equivalent: tuple[str, ...] = (), is_whole: bool = True) -> Account:
    listed = [Equivalent(FILE, "f", "x = 1", equivalent, "why")] if equivalent else []
    return Account((FILE,), listed, list(fates), is_whole)


KILLED = Fate(mutant("x = 2"), "test_a")
SURVIVES = Fate(mutant("x = 3"))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page lies elsewhere for once, and is not there yet."""
    monkeypatch.setattr(mutate, "PAGE", tmp_path / "MUTANTS.md")
    monkeypatch.setattr(mutate, "version", lambda name: "1")
    return tmp_path / "MUTANTS.md"


def test_what_is_killed_or_explained_holds() -> None:
    held = account(KILLED, SURVIVES, equivalent=("x = 3",))
    assert held.holds
    counts = {"mutants": 2, "killed": 1, "timed out": 0, "equivalent": 1, "unexplained": 0}
    assert held.counts(held.fates) == counts


def test_a_mutant_that_never_ends_is_killed_and_counted() -> None:
    held = account(Fate(mutant("x = 2"), "test_a", timed_out=True))
    assert held.holds
    assert held.counts(held.fates)["killed"] == held.counts(held.fates)["timed out"] == 1


@pytest.mark.parametrize(
    ("fates", "equivalent", "told"),
    [
        ((KILLED, SURVIVES), (), "survived"),
        ((KILLED,), ("x = 2",), "and yet test_a fails on it"),
        ((KILLED,), ("x = 4",), "no mutant any more"),
    ],
    ids=["a survivor", "one that is listed and caught", "one that is listed and gone"],
)
def test_whatever_is_not_as_the_list_says_is_told(fates, equivalent, told: str) -> None:
    held = account(*fates, equivalent=equivalent)
    assert not held.holds
    assert told in " ".join(" ".join(mutate.report(held, Look())).split())


def test_what_is_gone_is_known_only_where_all_were_made() -> None:
    assert account(KILLED, equivalent=("x = 4",), is_whole=False).holds


def test_a_file_that_fails_as_it_is_proves_nothing() -> None:
    held = account(KILLED)
    held.broken.append("as it is: test_a fails")
    assert not held.holds and "as it is: test_a fails" in mutate.report(held, Look())


def test_the_list_is_read_and_held_to_its_form(tmp_path: Path) -> None:
    file = tmp_path / "equivalent.toml"
    file.write_text(ENTRY, encoding="utf-8")
    assert read_equivalents(file) == [Equivalent("a.py", "f", "x = 1", ("x = 2",), "nobody reads x")]
    for text in (ENTRY + ENTRY, ENTRY.replace("reason", "season"), ENTRY.replace("nobody reads x", "")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"listed twice|an entry needs"):
            read_equivalents(file)


@pytest.mark.parametrize("file", mutate.FILES)
def test_the_lines_that_are_listed_stand_in_their_file(file: str) -> None:
    text = "module " + " ".join((ROOT / file).read_text(encoding="utf-8").split())
    for entry in read_equivalents():
        if entry.file == file:
            assert entry.before in text and entry.where.rpartition(".")[2] in text, entry


def test_the_list_is_of_files_that_are_judged() -> None:
    assert {entry.file for entry in read_equivalents()} <= set(mutate.FILES)


@needs_page
def test_the_page_says_what_the_list_says() -> None:
    page, listed = PAGE.read_text(encoding="utf-8"), read_equivalents()
    rows, tools = rows_of(page), re.search(r"in one place: (.+),\n", page)[1]
    assert page == page_text(rows, listed, tools)
    assert tuple(rows) == mutate.FILES
    for file, counts in rows.items():
        assert counts["equivalent"] == sum(len(entry.after) for entry in listed if entry.file == file)
        assert counts["killed"] + counts["equivalent"] == counts["mutants"] and counts["unexplained"] == 0


def test_the_page_depends_on_nothing_but_counts_and_list(page: Path) -> None:
    for fates in ((KILLED, SURVIVES), (SURVIVES, KILLED)):
        mutate.write_page(account(*fates, equivalent=("x = 3",)))
        text = page.read_text(encoding="utf-8")
        assert f"| `{FILE}` | 2 | 1 | 1 | 0 |" in text and "- f: `x = 1` why\n  - `x = 3`\n" in text


def test_a_run_of_one_file_leaves_the_counts_of_the_others(page: Path) -> None:
    first, second = mutate.FILES[:2]
    other = Account((second,), [], [Fate(mutant("x = 2", second), "test_a")])
    for one in (other, account(KILLED)):
        mutate.write_page(one)
    told = rows_of(page.read_text(encoding="utf-8"))
    assert list(told) == [first, second]
    assert told[second] == {"mutants": 1, "killed": 1, "equivalent": 0, "unexplained": 0}


def test_the_files_and_their_tests_are_there() -> None:
    for file, names in mutant_tests.TESTS_OF.items():
        assert (ROOT / file).is_file()
        assert all((ROOT / "tests" / "tools" / f"{name}.py").is_file() for name in names)


def test_the_tools_are_no_part_of_set_up() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not any("cosmic" in need or "mutmut" in need for need in project["dependencies"])
    assert {need.partition("==")[0] for need in project["optional-dependencies"]["mutate"]} == {"cosmic-ray", "mutmut"}


def test_without_its_tools_it_says_how_to_get_them(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["mutate"])
    monkeypatch.setattr(mutate, "why_missing", lambda: "how to get them")
    assert mutate.main() == 2
    assert capsys.readouterr().err == "how to get them\n"


@pytest.mark.parametrize("words", [["12"], ["0"], ["reference/none.py"], ["--jobs", "x"]])
def test_wrong_use_is_told_before_anything_runs(words: list[str], monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["mutate", *words])
    with pytest.raises(SystemExit) as left:
        mutate.main()
    assert left.value.code == 2 and "usage:" in capsys.readouterr().err


@needs_tools
def test_both_tools_make_mutants_that_know_where_they_are() -> None:
    made = mutants_of("a.py", SOURCE)
    assert {one.operator.partition(" ")[0] for one in made} == {"cosmic-ray", "mutmut"}
    changed = {(one.line, one.where, one.before, one.after) for one in made}
    less = ("return self.taken < self.most('a')", "return self.taken <= self.most('a')")
    assert {(8, "Place.is_free", *less), (5, "Place.is_free", "@property", "")} <= changed


@needs_tools
def test_no_mutant_changes_only_words_or_comes_twice() -> None:
    made = mutants_of("a.py", SOURCE)
    assert not any("bool" in one.after and one.line == 6 for one in made)
    assert len({one.text for one in made}) == len({one.key for one in made}) == len(made)
    assert SOURCE not in {one.text for one in made}


@needs_tools
def test_a_line_that_sends_a_signal_is_left_alone() -> None:
    made = mutants_of("a.py", "import os\n\nos.kill(os.getpid(), 9)\nos.killpg(0, 9)\nprint(9)\n")
    assert {one.line for one in made} == {5}


@needs_tools
@needs_page
def test_the_page_was_written_with_these_tools_and_these_files() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"cosmic-ray {version('cosmic-ray')} and mutmut {version('mutmut')}" in page
    made = len(mutants_of(FILE, (ROOT / FILE).read_text(encoding="utf-8")))
    assert f"| `{FILE}` | {made} |" in page
