"""What becomes of a stream of step 8, judged on a real socket: pieces as they come, an error, a client that leaves.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken. An engine that is held is let
go on every way out, so that no broken server keeps a thread.
"""

from kata.failure import expect
from shared.limits import RequestRefused
from tests.doubles.engines import PIECES, Gate, ScriptedEngine, Turnstile, raising
from tests.doubles.live_server import PATIENCE_S, LiveServer
from tests.doubles.server_verdicts import HELLO, CreateApp, asked, expect_status, expect_whole, patiently


def sends_pieces_as_they_come(create_app: CreateApp) -> None:
    """The first piece is out while the engine is still at the last one."""
    gate = Gate(first=len(PIECES) - 1)
    engine = ScriptedEngine(work=gate)
    with gate, LiveServer(create_app(engine)) as live:
        reader = live.open("/stream", HELLO)
        first = reader.read_first(len(PIECES[0]))
        why = "collecting the pieces (a list, a join) makes a stream that waits for its end: hand the iterator on."
        if [each.method for each in engine.asked] == ["generate"]:
            why = "engine.generate has no text before it is done: what comes piece by piece comes from engine.stream."
        expect(
            first.text.startswith(PIECES[0]),
            call=f"{asked('/stream', HELLO)}, while the engine makes its last piece",
            got=first,
            wanted=f"200 {PIECES[0]}",
            why=why,
        )
        gate.open()
        rest = reader.read_rest()
        rest.body = first.body + rest.body
        expect_whole(rest, "".join(PIECES), asked("/stream", HELLO))


def breaks_off_after_an_error(create_app: CreateApp) -> None:
    for error in (ValueError("0xBEEF"), RequestRefused("too late")):
        app = create_app(ScriptedEngine(work=raising(error, first=1)))
        with LiveServer(app) as live:
            answer = live.post("/stream", HELLO)
        why = "the status is out already; only a broken connection tells the client that something is missing. "
        if app.user_middleware:
            why += "An http middleware of Starlette's ends the body well before it passes the error on: do without it."
        else:
            why += "Let the error out of the stream: do not catch it, and send no text in its place."
        if answer.broken and answer.text and PIECES[0].startswith(answer.text):
            why = "a piece that the engine had yielded was still held back then: send each one on as it comes."
        expect(
            answer.status == 500 or (answer.broken == "the connection broke off" and answer.text in ("", PIECES[0])),
            call=f"{asked('/stream', HELLO)}, where the engine raises {error!r} after {PIECES[0]!r}",
            got=answer if answer.broken else f"{answer}, and a good end",
            wanted=f"200 {PIECES[0]}, then the connection breaks off",
            why=why,
        )


def stops_for_nobody(create_app: CreateApp) -> None:
    """The client leaves while a token is being made: that one is finished, and at most one more."""
    steps = Turnstile()
    engine = ScriptedEngine([f"{number} " for number in range(100)], work=steps)
    with steps, LiveServer(create_app(engine, max_pending=1)) as live:
        reader = live.open("/stream", HELLO)
        steps.let(2)
        reader.read_first(1)
        steps.begun(3, PATIENCE_S)
        live.see_off(reader)
        for token in (3, 4):
            steps.let(1)
            steps.begun_unless(engine.closed, token + 1, timeout_s=0.5)
            live.settle()
        expect(
            engine.closed.is_set() or not steps.begun_unless(engine.closed, 5, timeout_s=0.5),
            call=f"{asked('/stream', HELLO)}, and the client leaves while token 3 is made",
            got="the engine went on to token 5",
            wanted="no token after the fourth",
            why="nobody reads any more, and others wait: when a response ends, close the iterator or stop its thread.",
        )
        steps.open()
        answer = patiently(lambda: live.post("/generate", HELLO))
        why = "whatever the stream held (a lock, a place) must be given back however it ends: use try/finally."
        expect_status(answer, 200, f"{asked('/generate', HELLO)}, after a client has left /stream", why)
