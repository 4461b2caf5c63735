"""What step 8 promises of errors: who is blamed, what is told, and what is never told.

Each function takes `create_app` and raises a `CheckFailure` where the promise is broken.
"""

from fastapi import FastAPI
from fastapi.routing import APIRoute

from kata.failure import expect
from shared.limits import RequestRefused
from shared.metrics import ServingMetrics
from tests.doubles.engines import ScriptedEngine, raising
from tests.doubles.server_calls import expect_calls
from tests.doubles.server_verdicts import (
    ENDPOINTS,
    HELLO,
    CreateApp,
    as_json,
    asked,
    body_of,
    client_of,
    expect_status,
    names_field,
)

BAD_BODIES = (
    ("prompt", {}),
    ("prompt", {"prompt": " \n"}),
    ("prompt", {"prompt": None}),
    ("prompt", {"prompt": ["Hello"]}),
    *(("max_new_tokens", {**HELLO, "max_new_tokens": value}) for value in (0, 513, "16", True, None)),
    *(("temperature", {**HELLO, "temperature": value}) for value in (-0.1, 2.1, "0.5", None)),
    *(("top_k", {**HELLO, "top_k": value}) for value in (0, 101, 1.5)),
    ("max_tokens", {**HELLO, "max_tokens": 16}),
)
INTERNALS = (b"BEEF", b"ValueError", b"KeyError", b"RuntimeError", b"Traceback")
UNREADABLE = (
    b'{"prompt": "Hello", "temperature": NaN}',
    b'{"prompt": "Hello", "temperature": -Infinity}',
    b'{"prompt": "Hello", "temperature": 1e999}',
    b'{"prompt": "Hello", "max_new_tokens": 1e999}',
    b'{"prompt": "Hello", "temperature": ' + b"1" * 400 + b"}",
    b'{"prompt": "Hello", "max_new_tokens": ' + b"1" * 5000 + b"}",
    b'{"prompt": "Hello", "\\ud800": 1}',
    b'{"prompt": "Hel\xfflo"}',
    b'{"prompt": ' + b"[" * 100_000,
    b'{"prompt": "Hello"',
    b'["Hello"]',
    b"NaN",
    b"",
)


def names_the_bad_field(create_app: CreateApp) -> None:
    engine = ScriptedEngine()
    with client_of(create_app(engine)) as client:
        for path in ENDPOINTS:
            for field, body in BAD_BODIES:
                answer = client.post(path, body)
                why = "declare the body as a GenerateRequest, and FastAPI checks it before your code runs."
                if names_field(answer, field):
                    why = "the schema has refused this body, and code of yours chose another status for it: 422 is "
                    why += "what FastAPI gives, and what `add_error_handlers` leaves in place."
                expect_status(answer, 422, asked(path, body), why)
                expect(
                    names_field(answer, field),
                    call=asked(path, body),
                    got=answer,
                    wanted=f"a list under `detail`, each with `loc` and `msg`, where one names {field}",
                    why="a client can mend only what it is told: keep the shape of FastAPI's own 422.",
                )
    expect_calls(engine, [], "requests with bad bodies")


def blames_what_cannot_be_read(create_app: CreateApp) -> None:
    engine = ScriptedEngine()
    app = create_app(engine)
    with client_of(app, quiet=True) as client:
        for path in ENDPOINTS:
            for content in UNREADABLE:
                answer = client.post_bytes(path, content)
                why = "FastAPI's own 422 repeats the input, and JSON can write neither NaN nor half a surrogate: "
                why += "answer with loc, msg and type alone."
                if _reads_the_body_itself(app, path) and answer.status >= 500:
                    why = "your endpoint reads the body itself, and `request.json()` raises more than a "
                    why += "ValidationError: declare the body as a GenerateRequest, and FastAPI reads it."
                elif app.user_middleware and answer.status >= 500:
                    why += " Or does your middleware read the body? It must stand one that is no JSON."
                expect(
                    400 <= answer.status < 500,
                    call=asked(path, repr(content)),
                    got=answer,
                    wanted="a 4xx",
                    why=why,
                )
    expect_calls(engine, [], "requests that cannot be read")


def _reads_the_body_itself(app: FastAPI, path: str) -> bool:
    """Whether FastAPI is told of no body at this path."""
    return [route.body_field for route in app.routes if isinstance(route, APIRoute) and route.path == path] == [None]


def repeats_no_value(create_app: CreateApp) -> None:
    with client_of(create_app(ScriptedEngine()), quiet=True) as client:
        for path in ENDPOINTS:
            for body in ({"prompt": "sesame", "top_k": 0}, {"prompt": ["sesame"]}, {**HELLO, "temperature": "sesame"}):
                answer = client.post(path, body)
                expect(
                    answer.status == 422 and b"sesame" not in answer.body,
                    call=asked(path, body),
                    got=answer,
                    wanted="a 422 without the word that was sent",
                    why="error bodies end up in logs, and a prompt may be private: leave `input` out of each problem.",
                )


def refuses_with_the_numbers(create_app: CreateApp) -> None:
    refuse = raising(RequestRefused("the prompt's 700 tokens and 400 new ones exceed the context of 1024"))
    for engine in (ScriptedEngine(work=refuse), ScriptedEngine(work=refuse, at_call=refuse)):
        with client_of(create_app(engine), quiet=True) as client:
            for path in ENDPOINTS:
                answer = client.post(path, HELLO)
                why = "only the engine can count tokens. Ask it for the first piece before you answer 200, and turn "
                why += "RequestRefused into a 422."
                if path == "/generate":
                    why = "only the engine can count tokens: turn RequestRefused into a 422, as `add_error_handlers` "
                    why += "does, unless an `except` or a handler of yours is first."
                expect(
                    answer.status == 422 and all(number in answer.body for number in (b"700", b"400", b"1024")),
                    call=f"{asked(path, HELLO)}, where the engine raises RequestRefused",
                    got=answer,
                    wanted="a 422 with the numbers of the refusal",
                    why=why,
                )


def keeps_its_errors_to_itself(create_app: CreateApp) -> None:
    for error in (ValueError("weights at 0xBEEF"), KeyError("0xBEEF"), RuntimeError("0xBEEF")):
        fail = raising(error)
        for engine in (ScriptedEngine(work=fail), ScriptedEngine(work=fail, at_call=fail)):
            with client_of(create_app(engine), quiet=True) as client:
                for path in ENDPOINTS:
                    answer = client.post(path, HELLO)
                    told = any(word in answer.body for word in INTERNALS)
                    expect(
                        answer.status == 500 and as_json(answer.body) is not None and not told,
                        call=f"{asked(path, HELLO)}, where the engine raises {error!r}",
                        got=answer,
                        wanted="a 500 in JSON that says nothing of the error",
                        why="what is no RequestRefused is our fault, not the client's; its text belongs in the log.",
                    )
                    why = "one request that failed says nothing of the next one: the server is there, and says so."
                    expect_status(client.get("/health"), 200, f"GET /health, after {asked(path, HELLO)} failed", why)


def makes_no_null_of_a_figure(create_app: CreateApp) -> None:
    for name, figure in (("throughput", float("inf")), ("acceptance_rate", float("nan"))):
        metrics = ServingMetrics(8.0, 3, 1, latency_ms=125.0)
        metrics.as_dict = lambda name=name, figure=figure: {**ServingMetrics(8.0, 3, 1).as_dict(), name: figure}
        with client_of(create_app(ScriptedEngine(metrics=metrics)), quiet=True) as client:
            answer = client.post("/generate", HELLO)
        call = f"{asked('/generate', HELLO)}, where the engine measures {name}={figure}"
        shown = "left out" if answer.status == 500 else body_of(answer, call)["metrics"].get(name, "left out")
        why = "pydantic writes inf and NaN as null unless told otherwise, and further figures it does not check at "
        why += "all. Refuse both in the schema of step 7: `allow_inf_nan=False` does so for the figures that it names, "
        why += "`__pydantic_extra__: dict[str, JsonValue]` for all others. Or leave them out."
        if shown is not None:
            why = "nobody has measured this number either: a figure that is none is an error, or left out."
        wanted = "a 500, or an answer without that figure"
        expect(shown is not None and type(shown) not in (int, float), call=call, got=answer, wanted=wanted, why=why)
