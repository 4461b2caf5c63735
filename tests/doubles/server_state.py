"""What step 8 keeps from one request to the next, or shares between two apps: nothing. Judged in one process.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken.
"""

from kata.failure import expect
from tests.doubles.engines import ScriptedEngine
from tests.doubles.server_verdicts import HELLO, CreateApp, asked, body_of, client_of, expect_whole


def answers_each_prompt_anew(create_app: CreateApp) -> None:
    """One prompt after the other, one of them twice, on both endpoints."""
    why = "every answer belongs to the request that asked: keep no result, prompt or text from one to the next."
    with client_of(create_app(ScriptedEngine(lambda prompt: (prompt, "!")))) as client:
        for prompt in ("one", "two", "three", "one", *"abcdefgh"):
            body = {"prompt": prompt}
            got = body_of(client.post("/generate", body), asked("/generate", body))["text"]
            expect(got == f"{prompt}!", call=asked("/generate", body), got=got, wanted=f"{prompt}!", why=why)
            expect_whole(client.post("/stream", body), f"{prompt}!", asked("/stream", body))


def makes_an_app_of_its_own_for_each_engine(create_app: CreateApp) -> None:
    """Two apps of two engines, asked in turns; a third of the first engine is another app as well."""
    engines = [ScriptedEngine(("first",)), ScriptedEngine(("second",))]
    apps = [create_app(engine) for engine in engines]
    expect(
        create_app(engines[0]) is not apps[0],
        call="create_app(engine), twice",
        got="the same app",
        wanted="two apps",
        why="each call makes an app, with places of its own, also for an engine that has one: keep none for the next.",
    )
    with client_of(apps[0]) as first, client_of(apps[1]) as second:
        for client, text in ((first, "first"), (second, "second"), (first, "first")):
            got = body_of(client.post("/generate", HELLO), asked("/generate", HELLO))["text"]
            streamed = client.post("/stream", HELLO).text
            expect(
                [got, streamed] == [text, text],
                call=f"{asked('/generate', HELLO)}, then /stream, on one of two apps",
                got=[got, streamed],
                wanted=[text, text],
                why="a module-wide variable is shared by all apps: keep engine and state inside create_app.",
            )
