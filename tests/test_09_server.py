"""Checks of step 9: a duel. The learner's tests pass on servers that are right and fail on servers that are broken."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from kata.failure import expect
from kata.solution import Solution
from tests.duel.diagnosis import class_left_out, makes_a_client
from tests.duel.duel import Duel, Match, Ran
from tests.duel.families import REQUIRED, STRETCH
from tests.duel.report import expect_caught, expect_no_false_alarm
from tests.duel.servers import (
    BROKEN_BODY,
    BROKEN_COUNT,
    BROKEN_HEALTH,
    BROKEN_SETTINGS,
    BROKEN_STATUS,
    BROKEN_STREAM,
    PLAIN_SERVER,
)

pytestmark = pytest.mark.timeout(60)
HEALTH, GENERATE = REQUIRED
STREAM, REJECTS = STRETCH
ON_PLAIN = f"on {PLAIN_SERVER.outside}"


@dataclass(frozen=True)
class Fought:
    """The learner's file after its duel, or after the part of it that is over."""

    match: Match
    module: ModuleType
    file: Path

    @property
    def duel(self) -> Duel:
        return self.match.duel


@pytest.fixture(scope="module")
def fought(solution_sources: Mapping[int, Path], pytestconfig: pytest.Config) -> Iterator[Fought]:
    """One duel for all checks. The file is loaded here first, so that what it raises then is told as in every step."""
    file = Path(solution_sources[9])
    for name in attributes_in(file):  # it may use marks that this run does not know, and pytest is strict about them
        pytestconfig.addinivalue_line("markers", f"{name}: perhaps a mark of the file under test")
    module = Solution(solution_sources).load(9)
    match = Match(solution_sources)
    yield Fought(match, module, file)
    match.close()


@pytest.fixture(scope="module")
def fought_on(fought: Fought) -> Fought:
    """The same after the duel of its stretch tests, which is fought when it is asked for."""
    fought.match.go_on()
    return fought


def test_both_tests_are_there_and_use_the_client(fought: Fought) -> None:
    """`test_health` and `test_generate` are there, and each asks the `client` that it is handed.

    Hint: What are your two functions called, and what is in their brackets? Do they ask the client that pytest hands
    in, or one of their own?
    """
    for name in REQUIRED:
        expect_there(fought, name)


def test_both_tests_run_to_their_end(fought: Fought) -> None:
    """Neither test is skipped, expected to fail, left unawaited, or never done.

    Hint: What stands above and before your `def`: a mark, an `async`? Does any line end the test early, or wait for
    something that need not come?
    """
    for name in REQUIRED:
        expect_there(fought, name)
        expect_run(fought, name)


def test_no_right_server_raises_an_alarm(fought: Fought) -> None:
    """Both tests pass on every server that keeps the contract, however it looks.

    Hint: Which of your asserts wants more than the lesson's contract promises? Ask each one: would it hold for an empty
    text, other words in the health, a figure left out?
    """
    for name in REQUIRED:
        expect_there(fought, name)
        expect_no_false_alarm(fought.duel, name, fought.file)


def test_a_server_without_health_is_caught(fought: Fought) -> None:
    """`test_health` fails wherever `GET /health` does not answer 200.

    Hint: What does your test say to a 404 whose body has the very words that you look for? And to a body that says all
    is well, under a 503?
    """
    why = "Whoever asks /health acts on the status, so that is what to assert: it is 200, or the server is not well."
    expect_there(fought, HEALTH)
    expect_caught(fought.duel, HEALTH, BROKEN_HEALTH, fought.file, why)


def test_a_refused_generation_is_caught(fought: Fought) -> None:
    """`test_generate` fails wherever `POST /generate` does not answer 200 to a request that is fine.

    Hint: Take a server that answers 500 and a perfect body. Which line of yours fails? And which one at a 202?
    """
    why = "A good-looking body proves nothing under a status of failure, nor does a status that is near 200."
    expect_there(fought, GENERATE)
    expect_caught(fought.duel, GENERATE, BROKEN_STATUS, fought.file, why)


def test_an_answer_without_metrics_is_caught(fought: Fought) -> None:
    """`test_generate` fails where the body is no answer: no JSON, or no metrics in it.

    Hint: Walk through your test with a 200 whose body is `{}`. Which line raises? Is there a `get` or a `try` that
    keeps it from doing so?
    """
    why = "A status of 200 is a promise about the body: read it, and look for the count where the contract puts it."
    expect_there(fought, GENERATE)
    expect_caught(fought.duel, GENERATE, BROKEN_BODY, fought.file, why)


def test_a_wrong_count_of_tokens_is_caught(fought: Fought) -> None:
    """`test_generate` fails unless `output_tokens` is a number of at least 1.

    Hint: Where in the body does the count stand, and what does your line say to None, to `'5'` in quotes, to 0 and to
    -1? A default speaks in the server's place.
    """
    why = "Whether the model spoke shows in metrics.output_tokens: there, a number (no text), and at least 1."
    expect_there(fought, GENERATE)
    expect_caught(fought.duel, GENERATE, BROKEN_COUNT, fought.file, why)


def test_each_test_passes_by_itself(fought: Fought) -> None:
    """Each of the two tests also passes by itself, when the other one has not run.

    Hint: Run each of them alone (`-k test_generate`). What had the other one left behind that this one needs: a
    variable, a file, a fixture?
    """
    for name in REQUIRED:
        expect_there(fought, name)
        expect_no_false_alarm(fought.duel, name, fought.file, alone=True)


@pytest.mark.stretch
def test_a_right_stream_raises_no_alarm(fought_on: Fought) -> None:
    """`test_stream` is there and passes on every right server.

    Hint: What may differ from one right stream to the next: its text, its length, its pieces, whether there is any?
    Which assert of yours asks about that?
    """
    expect_there(fought_on, STREAM)
    expect_run(fought_on, STREAM)
    expect_no_false_alarm(fought_on.duel, STREAM, fought_on.file)


@pytest.mark.stretch
def test_a_broken_stream_is_caught(fought_on: Fought) -> None:
    """`test_stream` fails unless `POST /stream` answers 200 in plain text.

    Hint: Which two things does the lesson promise of `/stream`? Print the content type of a right one: what stands
    after its name?
    """
    expect_there(fought_on, STREAM)
    why = "A stream is good when its status is 200 and its content type says text/plain, whatever follows it."
    expect_caught(fought_on.duel, STREAM, BROKEN_STREAM, fought_on.file, why)


@pytest.mark.stretch
def test_a_server_that_refuses_rightly_raises_no_alarm(fought_on: Fought) -> None:
    """`test_rejects_bad_settings` is there and passes on every right server.

    Hint: Do you ask for the status alone, or for words of the error as well? And is every value that you send beyond
    its bound, and its only fault?
    """
    expect_there(fought_on, REJECTS)
    expect_run(fought_on, REJECTS)
    expect_no_false_alarm(fought_on.duel, REJECTS, fought_on.file)


@pytest.mark.stretch
def test_a_server_that_takes_bad_settings_is_caught(fought_on: Fought) -> None:
    """`test_rejects_bad_settings` fails where a setting beyond either of its bounds is not answered with 422.

    Hint: Write down the six values that lie just beyond the bounds. Which of them do you send, and one at a time? What
    does a value far outside tell of the edge?
    """
    expect_there(fought_on, REJECTS)
    why = "Three settings have two bounds each: go just beyond every one of them, one at a time, and want 422."
    expect_caught(fought_on.duel, REJECTS, BROKEN_SETTINGS, fought_on.file, why)


def attributes_in(file: Path) -> set[str]:
    """Every name after a dot; none where the file cannot be read, which loading it will tell better."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def expect_there(fought: Fought, name: str) -> None:
    """The test was found, is written, and reached the duel's client."""
    call = f"pytest {fought.file.name}::{name}"
    expect(
        not fought.duel.uncollected,
        call=call,
        got=fought.duel.uncollected,
        wanted="pytest finds the test",
        why="pytest cannot collect the file as it stands, so no test of it runs.",
    )
    runs = fought.duel.of(name)
    expect(
        bool(runs) or fought.duel.ended,
        call=call,
        got="a test before it has ended everything",
        wanted="each test comes to its own end",
        why=NO_VERDICT["unfinished"],
    )
    if not runs:
        owner = "" if hasattr(fought.module, name) else class_left_out(fought.file, name)
        expect(
            not owner.startswith("Test"),
            call=call,
            got=f"pytest collects nothing from class {owner}, which has an `__init__`",
            wanted="a class without `__init__`, or a function of the module",
            why="pytest makes an object of the class for each test, has nothing to hand to an `__init__`, and leaves "
            "such a class out: make what the tests share an attribute of the class, or a fixture.",
        )
        expect(
            not owner,
            call=call,
            got=f"pytest collects nothing from class {owner}",
            wanted=f"class Test{owner.removesuffix('Tests').removesuffix('Test')}, or a function of the module",
            why="pytest looks for tests in classes whose names begin with `Test`, and in no others.",
        )
        found = getattr(fought.module, name)
        expect(
            False,
            call=call,
            got=f"pytest collects nothing from {type(found).__name__} {name}",
            wanted=f"a test function: def {name}(client)",
            why="pytest runs functions whose names begin with `test_`, and nothing that only looks like one.",
        )
    first = runs[0]
    if first.error == "NotImplementedError":
        raise NotImplementedError(first.text)
    asked = first.client or first.outcome in ("skipped", "xfailed", "unfinished") or first.awaits
    expect(
        asked,
        call=f"{call}, {ON_PLAIN}",
        got="a client of its own" if first.own_client else "the client is never used" + _and_raised(first),
        wanted=f"def {name}(client): with the client that pytest hands in",
        why="pytest fills in the parameter `client` with a client of the server to be tested. A test that makes its "
        "own client, or takes none, tests another server or none at all.",
    )


def expect_run(fought: Fought, name: str) -> None:
    """Every run of the test came to a verdict."""
    runs = fought.duel.of(name)
    call, first = f"pytest {fought.file.name}::{name}, {ON_PLAIN}", runs[0]
    expect(
        not (first.awaits and "async def" in first.text),
        call=call,
        got=f"`async def {name}`, which nobody awaits",
        wanted=f"`def {name}(client)`",
        why="pytest calls a test and does not await it, so its body never runs. The client is not asynchronous: "
        "drop `async` and `await`.",
    )
    expect(
        not ("None, but" in first.text and " returned " in first.text),  # pytest's own words, old and new
        call=call,
        got="it returned a value",
        wanted="it asserts, and returns nothing",
        why="pytest looks at no returned value: a test fails by raising, and `assert` raises.",
    )
    for outcome, why in NO_VERDICT.items():
        stuck = next((ran for ran in runs if ran.outcome == outcome), None)
        if stuck and outcome == "unfinished" and makes_a_client(fought.file, name):
            why = "The test makes a client of its own, and with it a server that takes too long: use the client that "
            why += "pytest hands in."
        expect(
            stuck is None,
            call=f"pytest {fought.file.name}::{name}",
            got=f"{outcome} on {stuck.server.outside}{_and_raised(stuck)}" if stuck else "",
            wanted="it passes or fails",
            why=why,
        )
    another = any(ran.outcome == "unfinished" for ran in fought.duel.runs)  # which is told of that one
    unmet = [] if fought.duel.ended or another else fought.duel.never_met(name)
    expect(
        not unmet,
        call=f"pytest {fought.file.name}::{name}",
        got=f"unfinished: the duel was over before it met {len(unmet)} of its servers",
        wanted="it passes or fails",
        why="A test ended the duel, or took too long; what it leaves behind may do so as well.",
    )


NO_VERDICT = {
    "skipped": "A skipped test has tested nothing and caught nothing, on a broken server too.",
    "xfailed": "A test that is expected to fail raises no alarm when it does: take the mark off.",
    "xpassed": "A test that is expected to fail raises no alarm when it does: take the mark off.",
    "unfinished": "The test never came back: it loops until something changes, or it ends the whole process.",
}


def _and_raised(ran: Ran) -> str:
    return f"; {ran.error}: {ran.text.splitlines()[0][:200] if ran.text else ''}" if ran.error else ""
