"""Checks of step 9: a duel. The learner's tests pass on servers that are right and fail on servers that are broken.

Whether a test takes part at all is judged in `duel/presence.py`, what it says of the servers in `duel/report.py`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kata.solution import Solution
from tests.duel.duel import Fought, Match
from tests.duel.families import REQUIRED, STRETCH
from tests.duel.loading import attributes_in
from tests.duel.presence import expect_run, expect_there
from tests.duel.report import expect_caught, expect_no_false_alarm
from tests.duel.servers import (
    BROKEN_BODY,
    BROKEN_COUNT,
    BROKEN_HEALTH,
    BROKEN_SETTINGS,
    BROKEN_STATUS,
    BROKEN_STREAM,
)

pytestmark = pytest.mark.timeout(60)
HEALTH, GENERATE = REQUIRED
STREAM, REJECTS = STRETCH


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


# The two tests are there, run to their end, and are content with every right server.


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
        expect_no_false_alarm(fought, name)


# No broken server passes: first `/health`, then `/generate`.


def test_a_server_without_health_is_caught(fought: Fought) -> None:
    """`test_health` fails wherever `GET /health` does not answer 200.

    Hint: What does your test say to a 404 whose body has the very words that you look for? And to a body that says all
    is well, under a 503?
    """
    expect_there(fought, HEALTH)
    expect_caught(fought, HEALTH, BROKEN_HEALTH)


def test_a_refused_generation_is_caught(fought: Fought) -> None:
    """`test_generate` fails wherever `POST /generate` does not answer 200 to a request that is fine.

    Hint: Take a server that answers 500 and a perfect body. Which line of yours fails? And which one at a 202?
    """
    expect_there(fought, GENERATE)
    expect_caught(fought, GENERATE, BROKEN_STATUS)


def test_an_answer_without_metrics_is_caught(fought: Fought) -> None:
    """`test_generate` fails where the body is no answer: no JSON, or no metrics in it.

    Hint: Walk through your test with a 200 whose body is `{}`. Which line raises? Is there a `get` or a `try` that
    keeps it from doing so?
    """
    expect_there(fought, GENERATE)
    expect_caught(fought, GENERATE, BROKEN_BODY)


def test_a_wrong_count_of_tokens_is_caught(fought: Fought) -> None:
    """`test_generate` fails unless `output_tokens` is a number of at least 1.

    Hint: Where in the body does the count stand, and what does your line say to None, to `'5'` in quotes, to 0 and to
    -1? A default speaks in the server's place.
    """
    expect_there(fought, GENERATE)
    expect_caught(fought, GENERATE, BROKEN_COUNT)


# Neither test leans on the other.


def test_each_test_passes_by_itself(fought: Fought) -> None:
    """Each of the two tests also passes by itself, when the other one has not run.

    Hint: Run each of them alone (`-k test_generate`). What had the other one left behind that this one needs: a
    variable, a file, a fixture?
    """
    for name in REQUIRED:
        expect_there(fought, name)
        expect_no_false_alarm(fought, name, alone=True)


# For stars: a test of `/stream`, and one of settings beyond their bounds.


@pytest.mark.stretch
def test_a_right_stream_raises_no_alarm(fought_on: Fought) -> None:
    """`test_stream` is there and passes on every right server.

    Hint: What may differ from one right stream to the next: its text, its length, its pieces, whether there is any?
    Which assert of yours asks about that?
    """
    expect_there(fought_on, STREAM)
    expect_run(fought_on, STREAM)
    expect_no_false_alarm(fought_on, STREAM)


@pytest.mark.stretch
def test_a_broken_stream_is_caught(fought_on: Fought) -> None:
    """`test_stream` fails unless `POST /stream` answers 200 in plain text.

    Hint: Which two things does the lesson promise of `/stream`? Print the content type of a right one: what stands
    after its name?
    """
    expect_there(fought_on, STREAM)
    expect_caught(fought_on, STREAM, BROKEN_STREAM)


@pytest.mark.stretch
def test_a_server_that_refuses_rightly_raises_no_alarm(fought_on: Fought) -> None:
    """`test_rejects_bad_settings` is there and passes on every right server.

    Hint: Do you ask for the status alone, or for words of the error as well? And is every value that you send beyond
    its bound, and its only fault?
    """
    expect_there(fought_on, REJECTS)
    expect_run(fought_on, REJECTS)
    expect_no_false_alarm(fought_on, REJECTS)


@pytest.mark.stretch
def test_a_server_that_takes_bad_settings_is_caught(fought_on: Fought) -> None:
    """`test_rejects_bad_settings` fails where a setting beyond either of its bounds is not answered with 422.

    Hint: Write down the six values that lie just beyond the bounds. Which of them do you send, and one at a time? What
    does a value far outside tell of the edge?
    """
    expect_there(fought_on, REJECTS)
    expect_caught(fought_on, REJECTS, BROKEN_SETTINGS)
