"""What step 8 promises under load, judged on a real socket: several clients, clients that leave, a shutdown.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken. An engine that is held is let
go on every way out, so that no broken server keeps a thread.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fastapi import FastAPI

from kata.failure import expect
from shared.limits import RequestRefused
from tests.doubles.asgi import Answer
from tests.doubles.engines import PIECES, Asked, Gate, ScriptedEngine, Turnstile, raising
from tests.doubles.live_server import PATIENCE_S, LiveServer
from tests.doubles.server_verdicts import ENDPOINTS, HELLO, asked, body_of, expect_status, expect_whole, patiently
from tests.doubles.shutdown import shuts_down_while

CreateApp = Callable[..., FastAPI]


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


def keeps_health_answering(create_app: CreateApp) -> None:
    for path in ENDPOINTS:
        for requests in (1, 50):  # 50 are more than the threads of FastAPI's own pool; every place is taken
            with Gate() as gate, LiveServer(create_app(ScriptedEngine(work=gate), max_pending=requests)) as live:
                answers = [live.begin(path, HELLO) for _ in range(requests)]
                gate.reached.wait(PATIENCE_S)
                live.settle(requests)
                turned_away = [answer.result() for answer in answers if answer.done()]
                expect(
                    503 not in [answer.status for answer in turned_away],
                    call=f"{requests} of {asked(path, HELLO)} to create_app(engine, max_pending={requests})",
                    got=f"{len(turned_away)} of them are answered {turned_away[0] if turned_away else ''}",
                    wanted="a place for each of them",
                    why="max_pending is how many may wait and run, however many that is: hand it on to the worker.",
                )
                call = f"GET /health, while {requests} of {asked(path, HELLO)} wait or run"
                why = (
                    "the engine holds the event loop, or waiting requests hold every thread that could answer: give "
                    "the engine a thread of its own, and let `async def health` answer from the loop."
                )
                answer = live.get("/health")
                if answer.status:
                    why = "the server is well while it works, and says so: a request is told that no place is free."
                expect_status(answer, 200, call, why)


def keeps_apps_apart(create_app: CreateApp) -> None:
    """While the engine of one app works, another app of the same size answers."""
    with Gate() as gate, LiveServer(create_app(ScriptedEngine(work=gate), max_pending=1)) as busy:
        busy.begin("/generate", HELLO)
        gate.reached.wait(PATIENCE_S)
        with LiveServer(create_app(ScriptedEngine(), max_pending=1)) as other:
            call = f"{asked('/generate', HELLO)} of one app, while the engine of another one works"
            why = "two apps share nothing, the worker neither: make it in create_app, for this app alone."
            expect_status(other.post("/generate", HELLO), 200, call, why)


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
            engine.closed.is_set() or not steps.begun(5, timeout_s=0.5),
            call=f"{asked('/stream', HELLO)}, and the client leaves while token 3 is made",
            got="the engine went on to token 5",
            wanted="no token after the fourth",
            why="nobody reads any more, and others wait: when a response ends, close the iterator or stop its thread.",
        )
        steps.open()
        answer = patiently(lambda: live.post("/generate", HELLO))
        why = "whatever the stream held (a lock, a place) must be given back however it ends: use try/finally."
        expect_status(answer, 200, f"{asked('/generate', HELLO)}, after a client has left /stream", why)


def turns_away_beyond_max_pending(create_app: CreateApp) -> None:
    for paths, places in ((ENDPOINTS[:1] * 8, 1), (ENDPOINTS[1:] * 8, 3), (ENDPOINTS * 4, 3)):
        _turns_away(create_app, paths, {"max_pending": places}, places)
    _turns_away(create_app, ENDPOINTS * 5, {}, places=8)  # the default


def _turns_away(create_app: CreateApp, paths: Sequence[str], settings: Mapping[str, int], places: int) -> None:
    requests, beyond = len(paths), len(paths) - places
    with Gate(first=1) as gate, LiveServer(create_app(ScriptedEngine(work=gate), **settings)) as live:
        answers = [live.begin(paths[0], HELLO)]
        gate.reached.wait(PATIENCE_S)
        live.settle(1)  # its first piece is there
        answers += [live.begin(path, HELLO) for path in paths[1:]]
        refused = live.first(answers, beyond)
        app = f"create_app(engine{''.join(f', {name}={value}' for name, value in settings.items())})"
        call = f"{requests} requests to {' and '.join(sorted(set(paths)))} of {app}"
        statuses = [answer.status for answer in refused]
        why = "count a request before the engine is asked, in the endpoint and not in the body of the stream; "
        why += "the running one has a place as well as those that wait; without a word `max_pending` is 8."
        if len(statuses) == beyond and 429 in statuses:
            why = "429 says that this client asks too often; here the server is full, whoever asks: that is a 503."
        elif len(statuses) == beyond and 500 in statuses:
            why = "`Busy` is no fault of the server: let it out of the endpoint, and `add_error_handlers` answers 503."
        elif set(paths) == {"/stream"} and len(statuses) == beyond - 1:
            why = "a stream has its place until its last piece, and this one gave it back with the first: what is left "
            why += "when the endpoint returns is left too early. Let the worker count."
        elif len(set(paths)) > 1 and settings:  # each of the two alone has counted well
            why = "both endpoints share the places: make one worker, in create_app, and let both of them ask it."
        expect(
            statuses == [503] * beyond,
            call=call,
            got=f"while the engine works: {[str(answer) for answer in refused] or 'no answer'}",
            wanted=f"{places} wait or run, {beyond} are answered 503",
            why=why,
        )
        retry = [answer.headers.get("retry-after") for answer in refused]
        why = "Retry-After tells a client when to come back: a number of seconds, in the headers of the 503."
        wanted = "Retry-After, in whole seconds"
        expect(all(str(after).isdigit() for after in retry), call=call, got=retry, wanted=wanted, why=why)
        live.settle(places)  # a request that comes late does not find the gate open
        gate.open()
        served = [answer for answer in live.first(answers, requests) if answer.status != 503]
        expect(
            [answer.status for answer in served] == [200] * places,
            call=call,
            got=[str(answer) for answer in served],
            wanted=f"the other {places} are answered 200",
            why="who has a place is served: a full house must not disturb those inside, and no place is left empty.",
        )


def gives_places_back(create_app: CreateApp) -> None:
    engine = ScriptedEngine()
    with LiveServer(create_app(engine, max_pending=1)) as live:
        for path in ENDPOINTS:
            for outcome, work in WAYS_OUT.items():
                engine.work = work
                live.post(path, HELLO)
                engine.work = lambda number: None
                _expect_a_place(live, f"a request to {path} that {outcome}")
            live.post(path, {"prompt": ""})
            _expect_a_place(live, f"a bad body to {path}")
            with Gate() as gate:
                engine.work = gate
                reader = live.open(path, HELLO)
                gate.reached.wait(PATIENCE_S)
                live.see_off(reader)
            engine.work = lambda number: None
            _expect_a_place(live, f"a request to {path} whose client left")


WAYS_OUT = {
    "went well": lambda number: None,
    "failed": raising(ValueError("ours")),
    "failed after the first piece": raising(ValueError("ours"), first=1),
    "was refused": raising(RequestRefused("the client's")),
    "was refused after the first piece": raising(RequestRefused("the client's"), first=1),
}


def _expect_a_place(live: LiveServer, before: str) -> None:
    answer = patiently(lambda: live.post("/generate", HELLO))
    why = "its place was not given back: release it on every way out, with try/finally or a callback."
    expect_status(answer, 200, f"{asked('/generate', HELLO)} with max_pending=1, after {before}", why)


def answers_each_its_own(create_app: CreateApp) -> None:
    """While one request runs, three more come. When it is let go, the loop stands still until all of them ran.

    An app that holds the loop itself is asked by one after the other, and need not be let go of twice.
    """
    engine = ScriptedEngine(lambda prompt: (prompt, "!"))
    bodies = [
        {"prompt": f"number {n}", "max_new_tokens": n + 1, "temperature": n / 10, "top_k": n + 3} for n in (1, 2, 3, 3)
    ]
    with LiveServer(create_app(engine)) as live:
        for path in ENDPOINTS:
            engine.asked.clear()
            engine.answered = 0
            with Gate() as gate:
                engine.work = gate
                answers = []
                for number, body in enumerate(bodies, start=1):
                    answers.append(live.begin(path, body))
                    gate.reached.wait(PATIENCE_S)
                    live.settle(number, patience_s=0.2)
                live.on_the_loop(partial(_let_all_run, gate, engine, len(bodies)))
                gate.is_open.wait(0.2)  # a loop that is held will not open it
            call = f"3 requests to {path} at once, each with settings of its own, and the third once more"
            told = [answer.result() for answer in answers]
            asked_for, wanted_for = sorted(each.prompt for each in engine.asked), [body["prompt"] for body in bodies]
            whose = " The engine was asked for the right prompts; its results are mixed up afterwards."
            for body, answer in zip(bodies, told, strict=True):
                prompt = body["prompt"]
                _expect_its_own(answer, prompt, f"{prompt}!", call, whose if asked_for == wanted_for else "")
            why = "each good request is one call of the engine, also where two ask the same at the same time."
            expect(asked_for == wanted_for, call=call, got=f"calls for {asked_for}", wanted=str(wanted_for), why=why)
            of_prompt = {body["prompt"]: Asked("", *body.values()) for body in bodies}
            for each in engine.asked:
                wanted = replace(of_prompt[each.prompt], method=each.method)
                why = "requests must not share state: one that waits needs params and a limit of its own, made in the "
                why += "endpoint."
                if (each.temperature, each.top_k) == (wanted.temperature, wanted.top_k):
                    why += " Here the params are right, and the limit is another's."
                expect(each == wanted, call=call, got=str(each), wanted=str(wanted), why=why, varies=True)


def _let_all_run(gate: Gate, engine: ScriptedEngine, requests: int) -> None:
    gate.open()
    deadline = time.monotonic() + 0.1
    while engine.answered < requests and time.monotonic() < deadline:
        time.sleep(0.001)


def _expect_its_own(answer: Answer, prompt: str, text: str, call: str, whose: str = "") -> None:
    expect_status(answer, 200, call, "whoever waits is answered as well.")
    got = body_of(answer, call)["text"] if "json" in answer.headers.get("content-type", "") else answer.text
    why = f"requests must not share state: each answer belongs to its own prompt.{whose}"
    if text.startswith(got):
        why = "this is the beginning of the right answer: the rest was not sent. Hand out every piece, however many."
    told = f"{prompt!r} was answered {got!r}"
    expect(got == text, call=call, got=told, wanted="each its own answer", why=why, varies=True)


def serves_one_at_a_time(create_app: CreateApp) -> None:
    gate = Gate()
    engine = ScriptedEngine(lambda prompt: [f"{prompt}-{number} " for number in range(3)], work=gate)
    with gate, LiveServer(create_app(engine)) as live:
        paths = {f"prompt {number}": ENDPOINTS[number % 2] for number in range(6)}
        answers = {prompt: live.begin(path, {"prompt": prompt}) for prompt, path in paths.items()}
        gate.reached.wait(PATIENCE_S)
        live.settle(requests=6)
        engine.overlapped.wait(0.3)
        gate.open()
        live.first(list(answers.values()), 6)
        expect(
            not engine.overlapped.is_set(),
            call="6 requests at once",
            got="two threads in the engine at the same time",
            wanted="one after the other",
            why="a model has one set of buffers and one random generator: let one thread, or a lock, keep order.",
        )
        for prompt in paths:
            text = f"{prompt}-0 {prompt}-1 {prompt}-2 "
            _expect_its_own(answers[prompt].result(PATIENCE_S), prompt, text, "6 requests at once")


def shuts_down_at_once(create_app: CreateApp) -> None:
    for path in ENDPOINTS:
        gate = Gate()
        waited_for = shuts_down_while(create_app(ScriptedEngine(work=gate)), gate, path, HELLO)
        expect(
            waited_for == "",
            call=f"the shutdown of the app's lifespan, while {asked(path, HELLO)} runs",
            got=f"after {PATIENCE_S:g} s it still waits for {waited_for}",
            wanted="done at once",
            why="a generation may take minutes, and nobody will read it: stop it between two tokens, or leave it be.",
        )
