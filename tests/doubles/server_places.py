"""How step 8 counts its places, judged on a real socket: who is turned away, and that each place is given back.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken. An engine that is held is let
go on every way out, so that no broken server keeps a thread.
"""

from collections.abc import Mapping, Sequence

from kata.failure import expect
from shared.limits import RequestRefused
from tests.doubles.engines import Gate, ScriptedEngine, raising
from tests.doubles.live_server import PATIENCE_S, LiveServer
from tests.doubles.server_verdicts import ENDPOINTS, HELLO, CreateApp, asked, expect_status, patiently


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
