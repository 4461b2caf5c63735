"""What step 8 does of several things at once, judged on a real socket: requests, `/health`, two apps, a shutdown.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken. An engine that is held is let
go on every way out, so that no broken server keeps a thread.
"""

import time
from dataclasses import replace
from functools import partial

from kata.failure import expect
from tests.doubles.asgi import Answer
from tests.doubles.engines import Asked, Gate, ScriptedEngine
from tests.doubles.live_server import PATIENCE_S, LiveServer, comes
from tests.doubles.server_verdicts import ENDPOINTS, HELLO, CreateApp, asked, body_of, expect_status
from tests.doubles.shutdown import shuts_down_while


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
                comes(gate.is_open, 0.2)  # a loop that is held will not open it
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
    for _ in range(100):
        if engine.answered >= requests:
            break
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
        first, *others = paths
        answers = {first: live.begin(paths[first], {"prompt": first})}
        gate.reached.wait(PATIENCE_S)  # it is in the engine when the others come
        answers |= {prompt: live.begin(paths[prompt], {"prompt": prompt}) for prompt in others}
        live.settle(requests=6)
        comes(engine.overlapped, 0.3)
        gate.open()
        live.first(list(answers.values()), 6)
        why = "a model has one set of buffers and one random generator: let one thread, or a lock, keep order."
        if engine.was_called_on_a_loop:
            why = "engine.stream was called on the event loop, and the call is the engine's work too: it belongs "
            why += "into what the worker is handed, `worker.open(lambda: engine.stream(…))`."
        expect(
            not engine.overlapped.is_set(),
            call="6 requests at once",
            got="two threads in the engine at the same time",
            wanted="one after the other",
            why=why,
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
