"""Whether a test of the learner's takes part in the duel: it is there, asks the client, and comes to its own end."""

from kata.failure import CheckFailure, expect
from tests.duel.diagnosis import class_left_out, makes_a_client
from tests.duel.duel import Fought, Ran
from tests.duel.servers import PLAIN_SERVER

ON_PLAIN = f"on {PLAIN_SERVER.outside}"
NO_VERDICT = {
    "skipped": "A skipped test has tested nothing and caught nothing, on a broken server too.",
    "xfailed": "A test that is expected to fail raises no alarm when it does: take the mark off.",
    "xpassed": "A test that is expected to fail raises no alarm when it does: take the mark off.",
    "unfinished": "The test never came back: it loops until something changes, or it ends the whole process.",
}


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
        raise _left_out(fought, name, call)
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


def _left_out(fought: Fought, name: str, call: str) -> CheckFailure:
    """Why pytest collected nothing of this name, though the file has it."""
    owner = "" if hasattr(fought.module, name) else class_left_out(fought.file, name)
    if owner.startswith("Test"):
        return CheckFailure(
            call=call,
            got=f"pytest collects nothing from class {owner}, which has an `__init__`",
            wanted="a class without `__init__`, or a function of the module",
            why="pytest makes an object of the class for each test, has nothing to hand to an `__init__`, and leaves "
            "such a class out: make what the tests share an attribute of the class, or a fixture.",
        )
    if owner:
        return CheckFailure(
            call=call,
            got=f"pytest collects nothing from class {owner}",
            wanted=f"class Test{owner.removesuffix('Tests').removesuffix('Test')}, or a function of the module",
            why="pytest looks for tests in classes whose names begin with `Test`, and in no others.",
        )
    found = getattr(fought.module, name)
    return CheckFailure(
        call=call,
        got=f"pytest collects nothing from {type(found).__name__} {name}",
        wanted=f"a test function: def {name}(client)",
        why="pytest runs functions whose names begin with `test_`, and nothing that only looks like one.",
    )


def expect_run(fought: Fought, name: str) -> None:
    """Every run of the test came to a verdict."""
    runs = fought.duel.of(name)
    call, first = f"pytest {fought.file.name}::{name}", runs[0]
    expect(
        not (first.awaits and "async def" in first.text),
        call=f"{call}, {ON_PLAIN}",
        got=f"`async def {name}`, which nobody awaits",
        wanted=f"`def {name}(client)`",
        why="pytest calls a test and does not await it, so its body never runs. The client is not asynchronous: "
        "drop `async` and `await`.",
    )
    expect(
        not ("None, but" in first.text and " returned " in first.text),  # pytest's own words, old and new
        call=f"{call}, {ON_PLAIN}",
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
            call=call,
            got=f"{outcome} on {stuck.server.outside}{_and_raised(stuck)}" if stuck else "",
            wanted="it passes or fails",
            why=why,
        )
    another = any(ran.outcome == "unfinished" for ran in fought.duel.runs)  # which is told of that one
    unmet = [] if fought.duel.ended or another else fought.duel.never_met(name)
    expect(
        not unmet,
        call=call,
        got=f"unfinished: the duel was over before it met {len(unmet)} of its servers",
        wanted="it passes or fails",
        why="A test ended the duel, or took too long; what it leaves behind may do so as well.",
    )


def _and_raised(ran: Ran) -> str:
    return f"; {ran.error}: {ran.text.splitlines()[0][:200] if ran.text else ''}" if ran.error else ""
