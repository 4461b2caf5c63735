"""Checks of step 8: the server over a scripted engine, in one process and on a real socket; the engine over spies.

What is judged on a socket stands in `doubles/server_streams.py`, `server_places.py` and `server_at_once.py`, what is
judged of errors in `server_errors.py`.
"""

from functools import partial
from operator import is_
from types import ModuleType

import pytest

from kata.failure import CheckFailure, expect
from shared.limits import RequestRefused
from shared.metrics import ServingMetrics, SpecDecodeMetrics
from tests.doubles import server_at_once, server_errors, server_places, server_streams
from tests.doubles.engine_spies import EMPTY, EMPTY_RESULT, GENERATION, RESULT, EngineSpies, passive
from tests.doubles.engine_verdicts import (
    check_engine_arguments,
    check_it_goes_on,
    check_nothing_is_kept,
    check_nothing_is_left,
    check_pieces,
    check_streams_side_by_side,
)
from tests.doubles.engines import METRICS, PIECES, Asked, ScriptedEngine, raising
from tests.doubles.server_slips import first_line
from tests.doubles.server_verdicts import (
    ENDPOINTS,
    HELLO,
    asked,
    body_of,
    check_what_the_engine_is_asked,
    client_of,
    expect_calls,
    expect_status,
    expect_whole,
    spelling,
)

TEXTS = (
    PIECES,
    ("  two\r\n", "lines \n"),
    ("😀", "é", "中文"),
    ("<b>", "&amp;", '"\\n'),
    ("ha", "ha", " ", "\n", "ha"),
    ("e\u0301", "\ufffd", "\x00", "<|im_end|>", "!"),
    (),
    tuple(f"{number} " for number in range(100)),
)
GIVEN = {"prompt": "  Say\r\n\thi 😀 e\u0301 <|im_end|> ", "max_new_tokens": 7, "temperature": 0.7, "top_k": 3}
HIGHEST = {"prompt": "long " * 6553 + "end", "max_new_tokens": 512, "temperature": 2.0, "top_k": 100}
LOWEST = {"prompt": "\x00x", "max_new_tokens": 1, "temperature": 0.0, "top_k": 1}


class Traced(ServingMetrics):
    """The figures of an engine that tells more than numbers."""

    def as_dict(self) -> dict:
        return super().as_dict() | {"accepted_lengths": [2, 0, 3], "stages": {"prefill_ms": 1.5, "warm": True}}


@pytest.fixture
def spies() -> EngineSpies:
    return EngineSpies()


@pytest.fixture
def server(load, spies: EngineSpies) -> ModuleType:
    """The step, over stand-ins for steps 4 to 6: these checks need no model."""
    return load(under=spies.steps)


def test_health_answers_200(server: ModuleType) -> None:
    """GET /health answers 200, at once and without a redirect.

    Hint: Which path, method and status does your endpoint have? Ask for it with `client.get('/health',
    follow_redirects=False)`.
    """
    with client_of(server.create_app(ScriptedEngine())) as client:
        answer = client.get("/health")
        why = "whoever watches the server asks this path and reads the status alone: answer GET /health, no other path."
        if 200 <= answer.status < 300:
            why = "the lesson says 200: whoever watches the server reads the status alone, and asks for this one."
        expect_status(answer, 200, "GET /health", why)


def test_only_requests_ask_the_engine(server: ModuleType) -> None:
    """Making the app, starting it and asking for its health ask nothing of the engine.

    Hint: What runs in `create_app`, what at the start of the app, and what in `health`? Which of these lines touches
    the engine?
    """
    engine = ScriptedEngine()
    app = server.create_app(engine)
    expect_calls(engine, [], "create_app(engine)")
    with client_of(app) as client:
        expect_calls(engine, [], "the start of the app")
        client.get("/health")
        expect_calls(engine, [], "GET /health")


def test_generate_answers_with_text_and_metrics(server: ModuleType) -> None:
    """POST /generate answers with the engine's text, untouched, and the engine's metrics.

    Hint: Print what `engine.generate` returns, and the body beside it. Which field of the one goes into which of the
    other, and what happens to it on the way?
    """
    earlier: set[str] = set()
    for pieces in TEXTS:
        text = "".join(pieces)
        call = f"{asked('/generate', HELLO)}, where the engine's text is {text!r}"
        with client_of(server.create_app(ScriptedEngine(pieces))) as client:
            body = body_of(client.post("/generate", HELLO), call)
        why = "the engine's text goes into the response as it is, an empty one as well."
        if body["text"] in earlier:
            why = "this is what the engine of an earlier app said: the one to ask is create_app's argument."
        shown = spelling(body["text"], text)
        expect(body["text"] == text, call=call, got=shown(body["text"]), wanted=shown(text), why=why)
        earlier.add(text)


def test_the_metrics_are_the_engines_own(server: ModuleType) -> None:
    """The metrics in the response are those that the engine measured, further ones included.

    Hint: Print `result.metrics.as_dict()` and the body's metrics side by side. Is a figure lost in the endpoint, or in
    step 7's schema?
    """
    speculative = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0, tokens_proposed=6, tokens_accepted=4)
    one_token = ServingMetrics(8.0, 3, 1, ttft_ms=125.0, latency_ms=125.0, finish_reason="stop")
    nothing_proposed = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0)
    for metrics in (METRICS, one_token, speculative, nothing_proposed, Traced(31.2, 20, 5, latency_ms=161.53)):
        with client_of(server.create_app(ScriptedEngine(metrics=metrics))) as client:
            body = body_of(client.post("/generate", HELLO), asked("/generate", HELLO))
        got, others = body["metrics"], sorted(body.keys() - {"text", "metrics"})
        for name, figure in metrics.as_dict().items():
            why = "the engine has measured; the server hands its figures on and makes none of its own."
            if name not in got:
                why = (
                    "the engine has measured; the server hands its figures on, all of them and a 0 too: pick none out "
                )
                why += "of `as_dict()`, nor let step 7's schema drop what it does not name."
            expect(
                got.get(name) == figure,
                call=asked("/generate", HELLO),
                got=f"metrics.{name} = {got[name]!r}" if name in got else f"metrics without {name}",
                wanted=f"{figure!r}, as the engine's metrics.as_dict() has it",
                varies=name in got and name.endswith("_ms"),  # it may be measured anew
                why=why,
            )
        unmeasured = vars(METRICS).keys() - metrics.as_dict().keys()
        made = {name: got[name] for name in sorted(unmeasured) if got.get(name) is not None}
        expect(
            made == {},
            call=asked("/generate", HELLO),
            got=f"metrics with {made}, not measured by the engine{f'; beside them {others}' if others else ''}",
            wanted="the figures of the engine's metrics.as_dict()",
            why="the server hands its figures on and makes none of its own: `result.metrics.as_dict()` has left out "
            "what was not measured, and a default in step 7 puts it in again.",
        )


def test_stream_answers_in_plain_text(server: ModuleType) -> None:
    """POST /stream answers in plain text, utf-8, without a content length.

    Hint: Print the response's headers. Which class of response makes them, and how could it know a length before the
    last piece is there?
    """
    with client_of(server.create_app(ScriptedEngine())) as client:
        answer = client.post("/stream", HELLO)
    expect_status(answer, 200, asked("/stream", HELLO), "/stream answers a valid request with 200.")
    kind, _, charset = answer.headers.get("content-type", "").lower().replace(" ", "").partition(";")
    expect(
        kind == "text/plain" and charset.replace('"', "") == "charset=utf-8" and "content-length" not in answer.headers,
        call=asked("/stream", HELLO),
        got=dict(answer.headers),
        wanted="content-type: text/plain; charset=utf-8, and no content-length",
        why="a StreamingResponse with media_type='text/plain' says both; a length can be known only once all is made.",
    )


def test_stream_sends_the_engines_text(server: ModuleType) -> None:
    """The body of /stream is the text that /generate answers, an empty one as well.

    Hint: Compare the body with the engine's pieces, by `repr`. What stands between them, or is sent although there are
    none?
    """
    engine = ScriptedEngine()
    with client_of(server.create_app(engine)) as client:
        for pieces in TEXTS:
            engine.pieces = pieces
            expect_whole(client.post("/stream", HELLO), "".join(pieces), asked("/stream", HELLO))
        for pieces in TEXTS:
            engine.pieces = pieces[:5]
            engine.stream = lambda *_, pieces=pieces[:5], **__: iter(pieces)  # an iterator that nobody can close
            expect_whole(client.post("/stream", HELLO), "".join(pieces[:5]), asked("/stream", HELLO))


def test_a_piece_goes_out_before_the_next_is_made(server: ModuleType) -> None:
    """The first piece of /stream reaches the client before the last one is made.

    Hint: What is there when your endpoint returns: the first piece, or the last? Look for a loop, or a function, that
    takes them all.
    """
    server_streams.sends_pieces_as_they_come(server.create_app)


def test_the_request_reaches_the_engine(server: ModuleType) -> None:
    """Prompt and settings reach the engine as they were sent, on both endpoints.

    Hint: Print what the engine is called with, on both endpoints, beside the request. Which setting is lost, and did it
    travel as an argument or in the params?
    """
    check_what_the_engine_is_asked(server.create_app, GIVEN, Asked("", GIVEN["prompt"], 7, 0.7, 3))
    check_what_the_engine_is_asked(server.create_app, LOWEST, Asked("", "\x00x", 1, 0.0, 1))
    check_what_the_engine_is_asked(server.create_app, HIGHEST, Asked("", HIGHEST["prompt"], 512, 2.0, 100))


def test_the_defaults_reach_the_engine(server: ModuleType) -> None:
    """What a request leaves out reaches the engine as the schema's default, on both endpoints.

    Hint: What does the engine get for a body that holds a prompt alone? Who fills in the rest: the schema, the
    endpoint, or the engine?
    """
    check_what_the_engine_is_asked(server.create_app, HELLO, Asked("", "Hello", 128, 0.0, 50))


def test_a_request_is_one_call_of_the_engine(server: ModuleType) -> None:
    """Each request asks the engine once: the same request again too, one whose answer is empty, and one that fails.

    Hint: Count the calls that one request makes. Is there one for the text and one for the metrics, or a second try
    when the text is empty, or when the engine raises? And does your server still ask at the thirtieth request?
    """
    for pieces in (PIECES, ()):
        engine = ScriptedEngine(pieces)
        told = "" if pieces else ", answered with no text"
        with client_of(server.create_app(engine)) as client:
            for _ in range(2):
                client.post("/generate", HELLO)
            expect_calls(engine, ["generate"] * 2, f"{asked('/generate', HELLO)}, twice{told}")
            for _ in range(2):
                client.post("/stream", HELLO)
            expect_calls(engine, ["generate"] * 2 + ["stream"] * 2, f"then {asked('/stream', HELLO)}, twice{told}")
    engine = ScriptedEngine(work=raising(RuntimeError("out of memory")))
    with client_of(server.create_app(engine), quiet=True) as client:
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


def test_each_request_gets_its_own_answer(server: ModuleType) -> None:
    """Each request is answered for its own prompt and settings, whatever is asked before it or while it waits.

    Hint: Where is an answer while its request waits? Look for what is shared: a dict, a cache, a variable outside the
    endpoint that the next request writes to.
    """
    why = "every answer belongs to the request that asked: keep no result, prompt or text from one to the next."
    with client_of(server.create_app(ScriptedEngine(lambda prompt: (prompt, "!")))) as client:
        for prompt in ("one", "two", "three", "one", *"abcdefgh"):
            body = {"prompt": prompt}
            got = body_of(client.post("/generate", body), asked("/generate", body))["text"]
            expect(got == f"{prompt}!", call=asked("/generate", body), got=got, wanted=f"{prompt}!", why=why)
            expect_whole(client.post("/stream", body), f"{prompt}!", asked("/stream", body))
    server_at_once.answers_each_its_own(server.create_app)


def test_a_bad_body_gets_a_422_that_names_the_field(server: ModuleType) -> None:
    """A bad body gets a 422 that names the field, on both endpoints, and never reaches the engine.

    Hint: Who reads the body: FastAPI, by the type of a parameter, or your own code? What would FastAPI say by itself?
    """
    server_errors.names_the_bad_field(server.create_app)


def test_apps_share_nothing(server: ModuleType) -> None:
    """A fresh app holds no state of another: each asks its own engine.

    Hint: Which names at the top of the module do your endpoints use? Make two apps of two engines: which engine do they
    find?
    """
    engines = [ScriptedEngine(("first",)), ScriptedEngine(("second",))]
    apps = [server.create_app(engine) for engine in engines]
    expect(
        server.create_app(engines[0]) is not apps[0],
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
    server_at_once.keeps_apps_apart(server.create_app)


def test_the_engine_summarizes_the_cached_generation(server: ModuleType, spies: EngineSpies) -> None:
    """CachedEngine.generate is summarize(generate_cached(…)), with every argument handed on.

    Hint: What does step 5 take, and what does step 4 give? Do `max_new_tokens` and `params` arrive there as they came,
    None as well?
    """
    check_engine_arguments(server, spies, "generate", "generate_cached")
    for prompt, generation, result in (("Hello", GENERATION, RESULT), ("Say nothing", EMPTY, EMPTY_RESULT)):
        spies.generation, spies.result = generation, result
        call = f"CachedEngine(model, tokenizer).generate({prompt!r}), where the text is {result.text!a}"
        got = server.CachedEngine(*passive()).generate(prompt)
        expect(
            spies.summarized[-1:] == [generation] and type(got) is type(result) and got == result,
            call=call,
            got=ascii(got),
            wanted=f"summarize(the Generation of generate_cached): {result!a}",
            why="step 4 makes the Generation, step 5 turns it into the result: return that, an empty one as well.",
        )


def test_the_engine_streams_the_stream(server: ModuleType, spies: EngineSpies) -> None:
    """CachedEngine.stream is generate_stream(…), with every argument handed on, and piece by piece.

    Hint: What does `CachedEngine.stream` return: the iterator of step 6, or something that was made of it?
    """
    check_engine_arguments(server, spies, "stream", "generate_stream")
    check_pieces(server.CachedEngine, spies)


def test_engines_share_and_keep_nothing(server: ModuleType, spies: EngineSpies) -> None:
    """Two engines keep to their own models, and a request leaves nothing behind: no answer, prompt, limit or params.

    Hint: Make two engines and print where each has its model: on itself, on the class, in the module? And what is left
    of a request when it is over?
    """
    parts = [passive(), passive()]
    engines = [server.CachedEngine(*own) for own in parts]
    for method, step_function in (("generate", "generate_cached"), ("stream", "generate_stream")):
        for engine, own in ((engines[0], parts[0]), (engines[1], parts[1]), (engines[0], parts[0])):
            spies.forget()
            list(getattr(engine, method)("Hello")) if method == "stream" else engine.generate("Hello")
            are_own = [tuple(map(is_, handed, own)) for handed in spies.handed]
            whose = {True: "its own", False: "another's"}
            got = [f"{whose[model]} model, {whose[tokenizer]} tokenizer" for model, tokenizer in are_own]
            why = "model and tokenizer belong to the object (`self`): keep neither in the class nor in the module."
            if not are_own:
                why = "an answer belongs to its request: keep none for the next, neither on `self` nor in the module."
            expect(
                are_own == [(True, True)],
                call=f"{method}('Hello') of one of two engines, asked in turns",
                got=f"generations: {'; '.join(got) or 'none'}",
                wanted="one, with its own model and tokenizer",
                why=why,
            )
        check_nothing_is_left(server.CachedEngine, spies, method, step_function)
    check_streams_side_by_side(server.CachedEngine, spies)
    check_nothing_is_kept(server.CachedEngine(*parts[0]), spies)


def test_the_engine_lets_errors_through(server: ModuleType, spies: EngineSpies) -> None:
    """An error of the generation comes out of CachedEngine with its type, from generate and from stream.

    Hint: Is there a `try` in your engine? Who needs the error's type further out, and for what?
    """
    for error in (RequestRefused("too long"), RuntimeError("out of memory")):
        for method, call in (("generate", lambda engine: engine.generate("Hello", 5000)),
                             ("stream", lambda engine: list(engine.stream("Hello", 5000)))):  # fmt: skip
            spies.forget()
            spies.error, engine = error, server.CachedEngine(*passive())
            try:
                answer = call(engine)
                times = len(spies.asked)
                got = f"no error, but {type(answer).__name__}, after {times} generation{'s' * (times != 1)}"
            except (CheckFailure, NotImplementedError):
                raise
            except Exception as raised:
                got = type(error).__name__ if type(raised) is type(error) else first_line(raised)
            asked_for = [each.limit for each in spies.asked if each.limit != 5000]
            got += f", asked for {asked_for[0]} tokens" if asked_for else ""
            expect(
                got == type(error).__name__,
                call=f"CachedEngine(model, tokenizer).{method}('Hello', 5000), where the generation raises {error!r}",
                got=got,
                wanted=type(error).__name__,
                why="the server turns errors into statuses, a refusal into another than a fault: let them through.",
            )
            check_it_goes_on(partial(call, engine), f"{method}('Hello', 5000), after one that raised {error!r}")


@pytest.mark.stretch
def test_health_answers_while_the_engine_works(server: ModuleType) -> None:
    """GET /health answers while generations run and wait, fifty of them too.

    Hint: Which line holds the event loop while the engine works, and which one merely waits? And on whose threads does
    an endpoint run that is `def`, without `async`?
    """
    server_at_once.keeps_health_answering(server.create_app)


@pytest.mark.stretch
def test_what_cannot_be_read_is_the_clients_error(server: ModuleType) -> None:
    """NaN, broken JSON and numbers beyond all bounds are the client's error: a 4xx, never a 5xx.

    Hint: What does `add_error_handlers(app)` in the stub take care of, and is it still there? Try bodies of `NaN`, of
    broken JSON, of 5,000 digits.
    """
    server_errors.blames_what_cannot_be_read(server.create_app)


@pytest.mark.stretch
def test_a_422_repeats_no_value(server: ModuleType) -> None:
    """A 422 names fields and limits; it never repeats what was sent.

    Hint: Send a wrong value that you would recognise, and search the answer for it. Which handler wrote this answer?
    """
    server_errors.repeats_no_value(server.create_app)


@pytest.mark.stretch
def test_a_refused_request_is_a_422_with_the_numbers(server: ModuleType) -> None:
    """What the engine refuses is a 422 with its reason, on both endpoints, however late the engine says so.

    Hint: When is a refusal known: when `engine.stream` is called, or at its first `next`? Which method of the worker
    waits for it, before a status goes out?
    """
    server_errors.refuses_with_the_numbers(server.create_app)


@pytest.mark.stretch
def test_an_error_of_the_engine_is_a_500_without_internals(server: ModuleType) -> None:
    """Any other error of the engine is a JSON 500 that gives nothing away, a ValueError as well.

    Hint: Let an engine raise `ValueError('secret')` and read the answer. Which handler made it, and how does it tell a
    refusal from a fault?
    """
    server_errors.keeps_its_errors_to_itself(server.create_app)


@pytest.mark.stretch
def test_half_an_answer_never_looks_whole(server: ModuleType) -> None:
    """An error after the first piece breaks the connection: half an answer never looks whole.

    Hint: Where does an error go that is raised after the first piece: is there a `try`, or a `finally`, around it? What
    does the client see, an end or a break?
    """
    server_streams.breaks_off_after_an_error(server.create_app)


@pytest.mark.stretch
def test_a_client_that_leaves_stops_the_generation(server: ModuleType) -> None:
    """A client that leaves /stream stops the generation within two tokens, and the next request is served.

    Hint: Who closes the iterator when its reader is gone? Does the response get the one that the worker gave, or
    something around it that keeps it open?
    """
    server_streams.stops_for_nobody(server.create_app)


@pytest.mark.stretch
def test_too_many_requests_are_told_to_come_back(server: ModuleType) -> None:
    """More than max_pending requests get a 503 with Retry-After; the others are served.

    Hint: Does `max_pending` reach the worker, and does every request of the engine go through it?
    """
    server_places.turns_away_beyond_max_pending(server.create_app)


@pytest.mark.stretch
def test_every_place_comes_back(server: ModuleType) -> None:
    """Places come back after success, failure, refusal, a bad body and a client that left.

    Hint: Which of your ways out goes past the worker, or holds something of its own that nobody gives back after an
    error?
    """
    server_places.gives_places_back(server.create_app)


@pytest.mark.stretch
def test_the_engine_serves_one_request_at_a_time(server: ModuleType) -> None:
    """Requests that come together get their own answers, and the engine is entered by one at a time.

    Hint: On how many threads can your engine be at once? The worker has one of them. How many have FastAPI's own `def`
    endpoints?
    """
    server_at_once.serves_one_at_a_time(server.create_app)


@pytest.mark.stretch
def test_shutdown_does_not_wait_for_the_engine(server: ModuleType) -> None:
    """Shutting down does not wait for a running generation.

    Hint: What happens after the `yield` of `lifespan`? Who still waits then, and for what?
    """
    server_at_once.shuts_down_at_once(server.create_app)


@pytest.mark.stretch
def test_a_figure_that_is_no_number_never_becomes_null(server: ModuleType) -> None:
    """A metric that is infinite or NaN never becomes null: it is an error, or left out.

    Hint: Build step 7's metrics with an infinite throughput, and with a NaN under a name that it does not know. What
    does each become in JSON?
    """
    server_errors.makes_no_null_of_a_figure(server.create_app)


@pytest.mark.gpu
def test_the_server_answers_on_the_gpu(load) -> None:
    """On the GPU, /generate and /stream give one answer, made with the cache."""
    from tests.doubles.device_tier import random_qwen3
    from tests.doubles.fast_tokenizer import FastTokenizer

    step, body = load(), {**HELLO, "max_new_tokens": 32}
    with client_of(step.create_app(step.CachedEngine(random_qwen3(), FastTokenizer()))) as client:
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
