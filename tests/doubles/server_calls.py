"""Which calls of the engine step 8 makes, judged in one process: with what, how many, and after one that failed.

Each function raises a `CheckFailure` where the promise is broken.
"""

from collections.abc import Sequence
from dataclasses import replace

from kata.failure import expect
from tests.doubles.engines import Asked, ScriptedEngine, raising
from tests.doubles.server_verdicts import ENDPOINTS, HELLO, CreateApp, asked, client_of, expect_status

EARLIER = {"prompt": "Something else", "max_new_tokens": 11, "temperature": 1.5, "top_k": 9}


def expect_calls(engine: ScriptedEngine, wanted: list[str], call: str) -> None:
    """These methods of the engine were called, in this order."""
    got = [each.method for each in engine.asked]
    why = (
        "a call of the engine is a generation: one for each good request, engine.generate or engine.stream, none else."
    )
    expect(got == wanted, call=call, got=f"calls of the engine: {got}", wanted=wanted, why=why)


def hands_on_the_request(create_app: CreateApp, body: dict, wanted: Asked) -> None:
    """The body arrives at the engine, through both endpoints, as what is wanted (its method left open)."""
    engine = ScriptedEngine()
    with client_of(create_app(engine)) as client:
        for path in ENDPOINTS:
            engine.asked.clear()
            for each in (EARLIER, body, body):  # nothing is left of an earlier request
                client.post(path, each)
            got = [replace(each, method="") for each in engine.asked]
            got = [each for each in got if each.prompt != EARLIER["prompt"]]
            expect(
                got != [] and all(each == wanted for each in got),
                call=f"{asked(path, body)}, after another request",
                got=f"the engine was asked {[str(each) for each in got] or 'nothing'}",
                wanted=str(wanted),
                why="the engine gets request.prompt, request.max_new_tokens and request.to_sampling_params(), "
                "unchanged, on each of the two endpoints; nothing of an earlier request.",
            )


def asks_once_for_each_request(create_app: CreateApp, pieces: Sequence[str]) -> None:
    """The same request twice is two calls, on both endpoints, whether the engine says these pieces or nothing."""
    engine = ScriptedEngine(pieces)
    told = "" if pieces else ", answered with no text"
    with client_of(create_app(engine)) as client:
        for _ in range(2):
            client.post("/generate", HELLO)
        expect_calls(engine, ["generate"] * 2, f"{asked('/generate', HELLO)}, twice{told}")
        for _ in range(2):
            client.post("/stream", HELLO)
        expect_calls(engine, ["generate"] * 2 + ["stream"] * 2, f"then {asked('/stream', HELLO)}, twice{told}")


def goes_on_after_failures(create_app: CreateApp) -> None:
    """A request that fails is one call too; after four on each endpoint thirty good ones are answered."""
    engine = ScriptedEngine(work=raising(RuntimeError("out of memory")))
    with client_of(create_app(engine), quiet=True) as client:
        for path, method in zip(ENDPOINTS, ("generate", "stream"), strict=True):
            engine.asked.clear()
            client.post(path, HELLO)
            expect_calls(engine, [method], f"{asked(path, HELLO)}, where the engine raises RuntimeError")
            for _ in range(3):
                client.post(path, HELLO)
            why = "one request that failed says nothing of the next one: the server is there, and says so."
            expect_status(client.get("/health"), 200, f"GET /health, after 4 of {asked(path, HELLO)} failed", why)
        engine.work = lambda number: None
        for turn in range(30):
            path = ENDPOINTS[turn % 4 == 3]  # more of one than of both in turns
            call = f"the {turn + 1}th of 30 good requests, {asked(path, HELLO)}" if turn else asked(path, HELLO)
            why = "each good request is a call of the engine and gets its answer, whatever became of those before."
            expect_status(client.post(path, HELLO), 200, call, why)
        why = "the server is well, however much it has done."
        expect_status(client.get("/health"), 200, "GET /health, after 30 good requests", why)
