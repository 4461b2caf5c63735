"""Two processes that share the checks of a run say together what one alone would have said."""

from kata.expected import Check
from kata.output import Output
from kata.run import Run, as_one
from kata.verdict import Ending, judge

CHECKS = ["test_a", "test_b", "test_c", "test_d"]
EXPECTED = [Check(name, name) for name in CHECKS]
FAILURE = {"kind": "error", "type": "ValueError", "message": "no", "frames": [], "loading": False}


def ran(*names: str, failed: str = "", hung: str = "", dead: str = "", keeps_going: bool = False) -> Run:
    """One process that took these checks, and what became of the last of them."""
    events: list[dict] = [{"event": "collected", "checks": CHECKS}]
    for name in names:
        events.append({"event": "started", "check": name})
        if name not in (hung, dead):
            events.append({"event": "finished", "check": name, "failure": FAILURE if name == failed else None})
    if not (hung or dead):
        events.append({"event": "end", "stopped": bool(failed) and not keeps_going})
    return Run(events, Output("m"), None if hung else -11 if dead else 0, f"dump of {hung or dead}", 20.0)


def told(run: Run) -> list[tuple[str, str]]:
    verdict = judge(EXPECTED, run.events, Ending(run.status))
    return [(o.result, o.failure.kind if o.failure else "") for o in verdict.outcomes]


PASSED, NOT_RUN, FAILED = ("passed", ""), ("not run", ""), ("failed", "error")


def test_all_passed():
    run = as_one(ran("test_a", "test_b"), ran("test_d", "test_c"))
    assert told(run) == [PASSED] * 4 and run.status == 0


def test_a_failure_at_the_front_is_all_that_counts():
    run = as_one(ran("test_a", "test_b", failed="test_b"), ran("test_d", dead="test_d"))
    assert told(run) == [PASSED, FAILED, NOT_RUN, NOT_RUN] and run.status == 0


def test_a_failure_at_the_back_stands_where_one_process_would_have_come_to_it():
    run = as_one(ran("test_a", "test_b"), ran("test_d", "test_c", failed="test_c"))
    assert told(run) == [PASSED, PASSED, FAILED, NOT_RUN]


def test_who_goes_on_after_a_failure_goes_on_from_both_ends():
    front, back = (
        ran("test_a", "test_b", failed="test_a", keeps_going=True),
        ran("test_d", "test_c", failed="test_d", keeps_going=True),
    )
    assert told(as_one(front, back)) == [FAILED, PASSED, PASSED, FAILED]


def test_the_end_of_the_process_that_broke_off_is_the_end_that_is_told():
    run = as_one(ran("test_a"), ran("test_d", "test_c", "test_b", hung="test_b"))
    assert told(run) == [PASSED, ("failed", "time"), NOT_RUN, NOT_RUN]
    assert run.status is None and run.dump == "dump of test_b"
    run = as_one(ran("test_a", dead="test_a"), ran("test_d", "test_c", "test_b"))
    assert told(run) == [("failed", "died"), NOT_RUN, NOT_RUN, NOT_RUN] and run.status == -11


def test_a_check_that_nobody_took_has_not_passed():
    run = as_one(ran("test_a"), ran("test_d"))  # a solution that eats what is queued for both
    assert told(run) == [PASSED, ("failed", "died"), NOT_RUN, PASSED]


def test_a_process_that_never_began_leaves_its_checks_undone():
    nothing = Run([], Output("m"), 1, "", 20.0)
    assert told(as_one(ran("test_a", "test_b"), nothing)) == [PASSED, PASSED, ("failed", "died"), NOT_RUN]
    assert as_one(nothing, ran("test_d")) is nothing


def test_what_each_has_printed_is_told():
    front, back = ran("test_a", "test_b"), ran("test_d", "test_c")
    for run, name in ((front, "test_a"), (back, "test_d")):
        run.output.feed(f"\x1em {name}\x1e{name} printed".encode())
        run.output.finish()
    output = as_one(front, back).output
    assert [output.of(name).texts()[0] for name in ("test_a", "test_d")] == ["test_a printed", "test_d printed"]
