"""Checks of step 8: the server over a scripted engine, in one process and on a real socket; the engine over spies.

What is judged of the server stands in `doubles/server_….py`: its answers, calls, state and errors in one process, its
streams, places and what it does at once on a socket. What is judged of the engine stands in `doubles/engine_calls.py`
and `engine_leftovers.py`.
"""

from types import ModuleType

import pytest

from shared.limits import RequestRefused
from shared.metrics import ServingMetrics, SpecDecodeMetrics
from tests.doubles import (
    engine_calls,
    engine_leftovers,
    server_answers,
    server_at_once,
    server_calls,
    server_errors,
    server_places,
    server_state,
    server_streams,
)
from tests.doubles.engine_spies import EMPTY, EMPTY_RESULT, GENERATION, RESULT, EngineSpies, passive
from tests.doubles.engines import METRICS, PIECES, Asked, ScriptedEngine
from tests.doubles.server_slips import told_what_an_engine_has
from tests.doubles.server_verdicts import HELLO, client_of

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


# Before anybody asks for text: the server is there, and leaves the engine alone.


def test_health_answers_200(server: ModuleType) -> None:
    """GET /health answers 200, at once and without a redirect.

    Hint: Which path, method and status does your endpoint have? Ask for it with `client.get('/health',
    follow_redirects=False)`.
    """
    with told_what_an_engine_has("create_app(engine)"), client_of(server.create_app(ScriptedEngine())) as client:
        server_answers.says_that_it_is_well(client.get("/health"))


def test_only_requests_ask_the_engine(server: ModuleType) -> None:
    """Making the app, starting it and asking for its health ask nothing of the engine.

    Hint: What runs in `create_app`, what at the start of the app, and what in `health`? Which of these lines touches
    the engine?
    """
    engine = ScriptedEngine()
    app = server.create_app(engine)
    server_calls.expect_calls(engine, [], "create_app(engine)")
    with client_of(app) as client:
        server_calls.expect_calls(engine, [], "the start of the app")
        client.get("/health")
        server_calls.expect_calls(engine, [], "GET /health")


# What it answers: the engine's text and figures, at once or in pieces.


def test_generate_answers_with_text_and_metrics(server: ModuleType) -> None:
    """POST /generate answers with the engine's text, untouched, and the engine's metrics.

    Hint: Print what `engine.generate` returns, and the body beside it. Which field of the one goes into which of the
    other, and what happens to it on the way?
    """
    server_answers.hands_on_the_text(server.create_app, TEXTS)


def test_the_metrics_are_the_engines_own(server: ModuleType) -> None:
    """The metrics in the response are those that the engine measured, further ones included.

    Hint: Print `result.metrics.as_dict()` and the body's metrics side by side. Is a figure lost in the endpoint, or in
    step 7's schema?
    """
    one_token = ServingMetrics(8.0, 3, 1, ttft_ms=125.0, latency_ms=125.0, finish_reason="stop")
    speculative = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0, tokens_proposed=6, tokens_accepted=4)
    nothing_proposed = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0)
    for metrics in (METRICS, one_token, speculative, nothing_proposed, Traced(31.2, 20, 5, latency_ms=161.53)):
        server_answers.hands_on_the_figures(server.create_app, metrics)


def test_stream_answers_in_plain_text(server: ModuleType) -> None:
    """POST /stream answers in plain text, utf-8, without a content length.

    Hint: Print the response's headers. Which class of response makes them, and how could it know a length before the
    last piece is there?
    """
    with client_of(server.create_app(ScriptedEngine())) as client:
        answer = client.post("/stream", HELLO)
    server_answers.is_plain_text(answer)


def test_stream_sends_the_engines_text(server: ModuleType) -> None:
    """The body of /stream is the text that /generate answers, an empty one as well.

    Hint: Compare the body with the engine's pieces, by `repr`. What stands between them, or is sent although there are
    none?
    """
    server_answers.streams_the_text(server.create_app, TEXTS)


def test_a_piece_goes_out_before_the_next_is_made(server: ModuleType) -> None:
    """The first piece of /stream reaches the client before the last one is made.

    Hint: What is there when your endpoint returns: the first piece, or the last? Look for a loop, or a function, that
    takes them all.
    """
    server_streams.sends_pieces_as_they_come(server.create_app)


# What reaches the engine, how often, and for whom.


def test_the_request_reaches_the_engine(server: ModuleType) -> None:
    """Prompt and settings reach the engine as they were sent, on both endpoints.

    Hint: Print what the engine is called with, on both endpoints, beside the request. Which setting is lost, and did it
    travel as an argument or in the params?
    """
    server_calls.hands_on_the_request(server.create_app, GIVEN, Asked("", GIVEN["prompt"], 7, 0.7, 3))
    server_calls.hands_on_the_request(server.create_app, LOWEST, Asked("", "\x00x", 1, 0.0, 1))
    server_calls.hands_on_the_request(server.create_app, HIGHEST, Asked("", HIGHEST["prompt"], 512, 2.0, 100))


def test_the_defaults_reach_the_engine(server: ModuleType) -> None:
    """What a request leaves out reaches the engine as the schema's default, on both endpoints.

    Hint: What does the engine get for a body that holds a prompt alone? Who fills in the rest: the schema, the
    endpoint, or the engine?
    """
    server_calls.hands_on_the_request(server.create_app, HELLO, Asked("", "Hello", 128, 0.0, 50))


def test_a_request_is_one_call_of_the_engine(server: ModuleType) -> None:
    """Each request asks the engine once: the same request again too, one whose answer is empty, and one that fails.

    Hint: Count the calls that one request makes. Is there one for the text and one for the metrics, or a second try
    when the text is empty, or when the engine raises? And does your server still ask at the thirtieth request?
    """
    server_calls.asks_once_for_each_request(server.create_app, PIECES)
    server_calls.asks_once_for_each_request(server.create_app, ())
    server_calls.goes_on_after_failures(server.create_app)


def test_each_request_gets_its_own_answer(server: ModuleType) -> None:
    """Each request is answered for its own prompt and settings, whatever is asked before it or while it waits.

    Hint: Where is an answer while its request waits? Look for what is shared: a dict, a cache, a variable outside the
    endpoint that the next request writes to.
    """
    server_state.answers_each_prompt_anew(server.create_app)
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
    server_state.makes_an_app_of_its_own_for_each_engine(server.create_app)
    server_at_once.keeps_apps_apart(server.create_app)


# The engine, put together from steps 4, 5 and 6.


def test_the_engine_summarizes_the_cached_generation(server: ModuleType, spies: EngineSpies) -> None:
    """CachedEngine.generate is summarize(generate_cached(…)), with every argument handed on.

    Hint: What does step 5 take, and what does step 4 give? Do `max_new_tokens` and `params` arrive there as they came,
    None as well?
    """
    engine_calls.hands_on_every_argument(server.CachedEngine, spies, "generate")
    engine_calls.gives_the_summary(server.CachedEngine, spies, "Hello", GENERATION, RESULT)
    engine_calls.gives_the_summary(server.CachedEngine, spies, "Say nothing", EMPTY, EMPTY_RESULT)


def test_the_engine_streams_the_stream(server: ModuleType, spies: EngineSpies) -> None:
    """CachedEngine.stream is generate_stream(…), with every argument handed on, and piece by piece.

    Hint: What does `CachedEngine.stream` return: the iterator of step 6, or something that was made of it?
    """
    engine_calls.hands_on_every_argument(server.CachedEngine, spies, "stream")
    engine_calls.hands_out_each_piece(server.CachedEngine, spies)


def test_engines_share_and_keep_nothing(server: ModuleType, spies: EngineSpies) -> None:
    """Two engines keep to their own models, and a request leaves nothing behind: no answer, prompt, limit or params.

    Hint: Make two engines and print where each has its model: on itself, on the class, in the module? And what is left
    of a request when it is over?
    """
    parts = [passive(), passive()]
    engines = [server.CachedEngine(*own) for own in parts]
    for method in ("generate", "stream"):
        engine_leftovers.keeps_to_its_own_model(engines, parts, spies, method)
        engine_leftovers.leaves_nothing_to_the_next(server.CachedEngine, spies, method)
    engine_leftovers.keeps_streams_apart(server.CachedEngine, spies)
    engine_leftovers.keeps_nothing(server.CachedEngine(*parts[0]), spies)


def test_the_engine_lets_errors_through(server: ModuleType, spies: EngineSpies) -> None:
    """An error of the generation comes out of CachedEngine with its type, from generate and from stream.

    Hint: Is there a `try` in your engine? Who needs the error's type further out, and for what?
    """
    for error in (RequestRefused("too long"), RuntimeError("out of memory")):
        for method in ("generate", "stream"):
            engine_calls.lets_it_through(server.CachedEngine, spies, method, error)


# For stars: bad bodies, errors, clients that leave, and more of them than there are places.


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


# For those who have a GPU.


@pytest.mark.gpu
def test_the_server_answers_on_the_gpu(load) -> None:
    """On the GPU, /generate and /stream give one answer, made with the cache."""
    from tests.doubles.device_tier import random_qwen3
    from tests.doubles.fast_tokenizer import FastTokenizer

    step = load()
    with client_of(step.create_app(step.CachedEngine(random_qwen3(), FastTokenizer()))) as client:
        server_answers.are_one_and_made_with_the_cache(client, {**HELLO, "max_new_tokens": 32})
