"""The words of a failed duel: a small table of what was caught, missed and raised for nothing, and why."""

import linecache
import re
from collections.abc import Sequence
from pathlib import Path

from kata.failure import expect
from tests.duel.diagnosis import diagnose, makes_a_client, takes_text_for_a_number
from tests.duel.duel import Duel, Fought, Ran
from tests.duel.families import A_FEW_RIGHT
from tests.duel.servers import BODY, COUNT, HEALTH, RIGHT_SERVERS, SETTINGS, STATUS, STREAM, Server

MOST_ROWS = 6


def expect_no_false_alarm(fought: Fought, family: str, alone: bool = False) -> None:
    """Every test of the family passes on every right server."""
    duel, file = fought.duel, fought.file
    alarms = duel.false_alarms(family, alone)
    if not alarms:
        return
    first, met = alarms[0], len(A_FEW_RIGHT if alone else RIGHT_SERVERS)
    rows = [("false alarm", ran.server.outside) for ran in alarms]
    expect(
        False,
        call=f"pytest {file.name}::{first.test}, {'by itself, ' if alone else ''}on {met} right servers",
        got=f"false alarms: {len(alarms)}\n{_table(rows)}\n{_what_it_raised(first, file)}",
        wanted="it passes on each of them",
        why=_why_alarmed(first, len(alarms), alone and not duel.false_alarms(family)),
    )


def expect_caught(fought: Fought, family: str, servers: Sequence[Server]) -> None:
    """A test of the family fails on each of these broken servers, all of one kind."""
    duel, file, why = fought.duel, fought.file, TELLS_APART[servers[0].kind]
    caught = [server for server in duel.caught(family) if server in servers]
    missed = [server for server in servers if server not in caught]
    if not missed:
        return
    rows = [("caught", ", ".join(server.name for server in caught))] if caught else []
    unmet = [] if duel.ended else [server for server in duel.never_met(family) if server in missed]
    missed = [server for server in missed if server not in unmet]
    rows += [("missed", server.outside) for server in missed] + [("unfinished", server.outside) for server in unmet]
    unfinished = f", unfinished: {len(unmet)}" if unmet else ""
    expect(
        False,
        call=f"pytest {file.name}::{family}, on {len(servers)} broken servers",
        got=f"caught: {len(caught)}, missed: {len(missed)}{unfinished}\n{_table(rows)}",
        wanted="it fails on each of them",
        why=" ".join(part for part in (_never_asked(duel, family, file), _habit(missed, family, file), why) if part)
        if missed
        else "The duel was over before the test met these servers: a test ended it, or took too long.",
    )


def _habit(missed: Sequence[Server], family: str, file: Path) -> str:
    """What let the first of these servers through, where it is something that people often do."""
    lets_text_through = missed[0].name == "text" and takes_text_for_a_number(file, family)
    return lets_text_through or diagnose(file, family)


def _never_asked(duel: Duel, family: str, file: Path) -> str:
    """What there is to say of tests that never ask what they are named for."""
    answers = [ran.answer for ran in duel.of(family)] if family == "test_rejects_bad_settings" else []
    for problem, why in REFUSED_FOR_ANOTHER_REASON.items():
        if any(problem in answer for answer in answers):
            return why
    asked = {path for ran in duel.runs if ran.family == family for path in ran.asked}
    wanted = ASKS.get(family, "")
    if not wanted or wanted in asked:
        return ""
    if makes_a_client(file, family):
        return f"{family} makes a client of its own, and asks its own server: use the client that pytest hands in."
    return f"{family} never sends a {wanted}: it cannot know."


def _table(rows: Sequence[tuple[str, str]]) -> str:
    lines = [f"  {verdict:<11}  {what}" for verdict, what in rows[:MOST_ROWS]]
    more = len(rows) - MOST_ROWS
    return "\n".join([*lines, f"  … and {more} more"] if more > 0 else lines)


def _what_it_raised(ran: Ran, file: Path) -> str:
    """Where the test failed on the first right server, and what the failure said."""
    first_line = next((line.strip() for line in ran.text.splitlines() if line.strip()), "")
    said = f"{ran.error}: {first_line}" if ran.error else ran.outcome
    place = f"line {ran.line}: {linecache.getline(str(file), ran.line).strip()}\n  " if ran.line else ""
    return f"  {place}{said[:300]}" + (f"\n  {ran.answer}" if ran.answer else "")


def _why_alarmed(ran: Ran, alarms: int, only_alone: bool) -> str:
    if only_alone:
        return "It leans on what another test has left behind. A test brings along all that it needs."
    if ran.answer.startswith("HEAD "):
        return "Use GET: servers promise that method, and not every one answers HEAD."
    if ", prompt: String should have at most " in ran.answer:
        return "A right server may bound the prompt, at 4,096 characters or more: send a short one."
    if alarms < len(RIGHT_SERVERS):
        return f"It asks for more than the contract says: {PROMISED[ran.family]}."
    if EXACT_WORDS.match(ran.text):
        return "It wants exact words, and every model has others: look at what every right server promises."
    for raised, why in WRONG_REQUESTS.items():
        if raised in f"{ran.error}: {ran.text}":
            return why
    return "No server can please it: look at what it sends and at what it takes the answer for."


TELLS_APART = {  # what tells a right server from a broken one, by what is broken
    HEALTH: "Whoever asks /health acts on the status, so that is what to assert: it is 200, or the server is not well.",
    STATUS: "A good-looking body proves nothing under a status of failure, nor does a status that is near 200.",
    BODY: "A status of 200 is a promise about the body: read it, and look for the count where the contract puts it.",
    COUNT: "Whether the model spoke shows in metrics.output_tokens: there, a number (no text), and at least 1.",
    STREAM: "A stream is good when its status is 200 and its content type says text/plain, whatever follows it.",
    SETTINGS: "Three settings have two bounds each: go just beyond every one of them, one at a time, and want 422.",
}
EXACT_WORDS = re.compile(r"assert '[^'/]*' == '[^'/]*'")
MAY_DIFFER = "words, figures and further fields may differ. Look at what every right server promises"
PROMISED = {
    "test_health": f"{MAY_DIFFER}: the status of /health, at this very path",
    "test_generate": f"{MAY_DIFFER}: the status, and the count of output tokens",
    "test_stream": "a stream may say anything, or nothing, in any pieces. Look at what every right server promises: "
    "the status, and a content type that begins with text/plain",
    "test_rejects_bad_settings": "the words of a 422 differ from server to server. Look at its status, and send what "
    "lies beyond a bound",
}
WRONG_REQUESTS = {
    "200 == 422": "A right server takes this: a value at its bound is fine, and only one beyond it is refused.",
    "422 == 400": "The contract's status for a setting beyond its bounds is 422, and every right server answers that.",
    "405": "405 says that the path is right and the method is not: GET for /health, POST for the others.",
    "404": "404 says that nothing lives at this path: the endpoints are /health, /generate and /stream.",
    "422": "The request itself is refused: JSON with a `prompt`, `max_new_tokens` from 1 to 512, no unknown names.",
    "KeyError": "The body has no such field there: print it, and look where the contract puts what you want; the "
    "figures stand in `metrics`.",
    "JSONDecodeError": "This body is no JSON, and need not be: a stream is plain text, and so may be the health.",
}
REFUSED_FOR_ANOTHER_REASON = {
    ", prompt: ": "The prompt is missing, so every server answers 422, whatever the setting: send a good prompt along.",
    ", : ": "There is no JSON in this request, so every server answers 422, whatever the setting: say `json={…}`.",
    "should be a valid ": "A text is refused for being one, whatever number it spells: send a number, without quotes.",
}
ASKS = {
    "test_health": "GET /health",
    "test_generate": "POST /generate",
    "test_stream": "POST /stream",
    "test_rejects_bad_settings": "POST /generate",
}
