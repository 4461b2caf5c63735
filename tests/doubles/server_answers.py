"""What step 8 answers where all goes well, judged in one process: health, text, figures, and the body of a stream.

Each function takes `create_app`, an answer or a client, and raises a `CheckFailure` where the promise is broken.
"""

from collections.abc import Sequence

from kata.failure import expect
from shared.metrics import RequestMetrics
from tests.doubles.asgi import Answer
from tests.doubles.engines import METRICS, ScriptedEngine
from tests.doubles.server_verdicts import (
    HELLO,
    Client,
    CreateApp,
    asked,
    body_of,
    client_of,
    expect_status,
    expect_whole,
)
from tests.doubles.texts import spelling


def says_that_it_is_well(answer: Answer) -> None:
    """Of GET /health."""
    why = "whoever watches the server asks this path and reads the status alone: answer GET /health, no other path."
    if 200 <= answer.status < 300:
        why = "the lesson says 200: whoever watches the server reads the status alone, and asks for this one."
    expect_status(answer, 200, "GET /health", why)


def hands_on_the_text(create_app: CreateApp, texts: Sequence[Sequence[str]]) -> None:
    """/generate answers with what the engine says, whose pieces are given: an app and an engine for each text."""
    earlier: set[str] = set()
    for pieces in texts:
        text = "".join(pieces)
        call = f"{asked('/generate', HELLO)}, where the engine's text is {text!r}"
        with client_of(create_app(ScriptedEngine(pieces))) as client:
            body = body_of(client.post("/generate", HELLO), call)
        why = "the engine's text goes into the response as it is, an empty one as well."
        if body["text"] in earlier:
            why = "this is what the engine of an earlier app said: the one to ask is create_app's argument."
        shown = spelling(body["text"], text)
        expect(body["text"] == text, call=call, got=shown(body["text"]), wanted=shown(text), why=why)
        earlier.add(text)


def hands_on_the_figures(create_app: CreateApp, metrics: RequestMetrics) -> None:
    """/generate answers with every figure that the engine has measured, and with no other one."""
    call = asked("/generate", HELLO)
    with client_of(create_app(ScriptedEngine(metrics=metrics))) as client:
        body = body_of(client.post("/generate", HELLO), call)
    got, others = body["metrics"], sorted(body.keys() - {"text", "metrics"})
    for name, figure in metrics.as_dict().items():
        why = "the engine has measured; the server hands its figures on and makes none of its own."
        if name not in got:
            why = "the engine has measured; the server hands its figures on, all of them and a 0 too: pick none out "
            why += "of `as_dict()`, nor let step 7's schema drop what it does not name."
        expect(
            got.get(name) == figure,
            call=call,
            got=f"metrics.{name} = {got[name]!r}" if name in got else f"metrics without {name}",
            wanted=f"{figure!r}, as the engine's metrics.as_dict() has it",
            varies=name in got and name.endswith("_ms"),  # it may be measured anew
            why=why,
        )
    unmeasured = vars(METRICS).keys() - metrics.as_dict().keys()
    made = {name: got[name] for name in sorted(unmeasured) if got.get(name) is not None}
    expect(
        made == {},
        call=call,
        got=f"metrics with {made}, not measured by the engine{f'; beside them {others}' if others else ''}",
        wanted="the figures of the engine's metrics.as_dict()",
        why="the server hands its figures on and makes none of its own: `result.metrics.as_dict()` has left out "
        "what was not measured, and a default in step 7 puts it in again.",
    )


def is_plain_text(answer: Answer) -> None:
    """Of POST /stream: its status and its headers."""
    expect_status(answer, 200, asked("/stream", HELLO), "/stream answers a valid request with 200.")
    kind, _, charset = answer.headers.get("content-type", "").lower().replace(" ", "").partition(";")
    expect(
        kind == "text/plain" and charset.replace('"', "") == "charset=utf-8" and "content-length" not in answer.headers,
        call=asked("/stream", HELLO),
        got=dict(answer.headers),
        wanted="content-type: text/plain; charset=utf-8, and no content-length",
        why="a StreamingResponse with media_type='text/plain' says both; a length can be known only once all is made.",
    )


def streams_the_text(create_app: CreateApp, texts: Sequence[Sequence[str]]) -> None:
    """/stream sends the pieces of each text, as of a generator, then as of an iterator that nobody can close."""
    engine = ScriptedEngine()
    with client_of(create_app(engine)) as client:
        for pieces in texts:
            engine.pieces = pieces
            expect_whole(client.post("/stream", HELLO), "".join(pieces), asked("/stream", HELLO))
        for pieces in texts:
            engine.pieces = pieces[:5]
            engine.stream = lambda *_, pieces=pieces[:5], **__: iter(pieces)
            expect_whole(client.post("/stream", HELLO), "".join(pieces[:5]), asked("/stream", HELLO))


def are_one_and_made_with_the_cache(client: Client, body: dict) -> None:
    """/generate and /stream of a real engine say the same, twice."""
    for _ in range(2):
        answer = body_of(client.post("/generate", body), asked("/generate", body))
        expect_whole(client.post("/stream", body), answer["text"], asked("/stream", body))
        used, made = answer["metrics"]["used_cache"], answer["metrics"]["output_tokens"]
        expect(
            used is True and 1 <= made <= 32,
            call=asked("/generate", body),
            got=answer["metrics"],
            wanted="used_cache true, and 1 to 32 output tokens",
            why="the server's engine is the cached one, on the model's own device.",
        )
