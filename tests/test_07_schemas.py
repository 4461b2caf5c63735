"""Checks of step 7: the bounds of a request, and what a response holds. No server, no engine, no torch.

Requests are judged in `doubles/request_….py`, responses in `doubles/response_verdicts.py`.
"""

from types import ModuleType

import pytest
from pydantic import BaseModel

from kata.failure import expect
from shared.metrics import ServingMetrics, SpecDecodeMetrics
from tests.doubles import request_refusals
from tests.doubles.request_refusals import NUMBERS
from tests.doubles.request_verdicts import (
    check_bounds,
    check_default,
    check_json_schema,
    check_longest_prompt,
    check_params,
    check_params_of_their_own,
    check_prompt,
    prompt_limit,
)
from tests.doubles.response_verdicts import (
    check_response,
    expect_nothing_made_up,
    leaves_out_what_was_not_measured,
    refused_response,
)
from tests.doubles.schema_calls import accepted
from tests.doubles.texts import UNTOUCHABLE

METRICS = ServingMetrics(31.2, 20, 5, 40.5, 30.25, latency_ms=161.53, used_cache=True, finish_reason="stop").as_dict()
ONE_TOKEN = ServingMetrics(8.0, 3, 1, ttft_ms=125.0, latency_ms=125.0, finish_reason="stop").as_dict()
UNMEASURED = ServingMetrics(throughput=0.0, input_tokens=3, output_tokens=1).as_dict()
NO_TIMES = ServingMetrics(8.0, 3, 1, latency_ms=125.0, used_cache=True, finish_reason="stop").as_dict()
ONLY_TTFT = ServingMetrics(31.2, 20, 512, ttft_ms=40.5, latency_ms=1610.5, used_cache=True).as_dict()
ONLY_TPOT = ServingMetrics(31.2, 20, 5, tpot_ms=30.25, latency_ms=161.5, used_cache=True).as_dict()
VERY_FAST = ServingMetrics(9e6, 3, 2, ttft_ms=0.001, tpot_ms=0.0001, latency_ms=0.002, finish_reason="length").as_dict()
PROMPTS = (
    "  Hello ",
    "the end\n\n\n",
    "x",
    "0",
    "123",
    "a  b   c    d\n\n        e",
    "print Hello WORLD",
    "<|im_start|>user\nWhat ends a turn? <|im_end|> does.",
    *UNTOUCHABLE,
)


# What a request is, and what becomes of its settings.


def test_request_and_response_are_pydantic_models(step: ModuleType) -> None:
    """Request and response are pydantic models, so FastAPI reads the one and writes the other.

    Hint: From which class do yours derive? Print `GenerateRequest.__mro__`.
    """
    for name in ("GenerateRequest", "GenerateResponse"):
        model = getattr(step, name, None)
        expect(
            isinstance(model, type) and issubclass(model, BaseModel),
            call=name,
            got=model,
            wanted="a subclass of pydantic.BaseModel",
            why="FastAPI checks a body against a pydantic model: derive the class from BaseModel.",
        )


def test_a_prompt_alone_is_enough(step: ModuleType) -> None:
    """A prompt alone is a request: the settings have the defaults 128, 0.0 and 50.

    Hint: Build `GenerateRequest(prompt='Hello')` and print it. Compare each value with the lesson's table.
    """
    request = accepted(step, prompt="Hello")
    for field, default in (("max_new_tokens", 128), ("temperature", 0.0), ("top_k", 50)):
        check_default(request, field, default)


def test_the_prompt_is_required(step: ModuleType) -> None:
    """A request without a prompt is refused.

    Hint: Build `GenerateRequest()` by hand. Where does its prompt come from?
    """
    request_refusals.refuses_a_missing_prompt(step)
    for name in ("text", "inputs", "input", "message"):
        request_refusals.refuses_another_name_for_the_prompt(step, name)


def test_max_new_tokens_is_1_to_512(step: ModuleType) -> None:
    """max_new_tokens is 1 to 512, both included.

    Hint: Try 0, 1, 512 and 513. Which of `gt` and `ge`, and of `lt` and `le`, lets its own number in?
    """
    check_bounds(step, "max_new_tokens", inside=range(1, 513), outside=(-1, 0, 513))


def test_temperature_is_0_to_2(step: ModuleType) -> None:
    """temperature is 0 to 2, both included.

    Hint: Try -0.001, 0, 2 and 2.001, and print what comes out. Is the value refused, or moved to the bound?
    """
    inside = (0, 0.0, 0.00123456789, 1, 1.999, 2, 2.0)
    check_bounds(step, "temperature", inside=inside, outside=(-1, -0.001, 2.001, 3))


def test_top_k_is_1_to_100(step: ModuleType) -> None:
    """top_k is 1 to 100, both included.

    Hint: Try 0, 1, 100 and 101. Does anything bend a value into the bounds before pydantic looks at it?
    """
    check_bounds(step, "top_k", inside=range(1, 101), outside=(-1, 0, 101))


def test_settings_reach_the_sampling_params(step: ModuleType) -> None:
    """to_sampling_params() hands on every setting; max_tokens is max_new_tokens.

    Hint: Build a request of three odd numbers and print its `to_sampling_params()`. Which one came out rounded, in
    another field, or not at all? And what comes out for one that you left out? And whose params are they?
    """
    check_params(step, max_new_tokens=7, temperature=0.8, top_k=3)
    check_params(step, max_new_tokens=512, temperature=2.0, top_k=100)
    check_params(step, max_new_tokens=128, temperature=0.5, top_k=50)
    check_params(step, max_new_tokens=333, temperature=0.00123456, top_k=37)
    check_params(step, max_new_tokens=2, temperature=1.23456789, top_k=99)
    check_params(step, temperature=0.5)
    check_params(step, max_new_tokens=9, temperature=0.5)
    for top_k in range(1, 101):
        check_params(step, max_new_tokens=512 - 5 * top_k, temperature=0.5, top_k=top_k)
    check_params_of_their_own(step)


def test_settings_at_their_lowest_stay_as_they_are(step: ModuleType) -> None:
    """A temperature of 0 stays 0: it is a setting, not a missing one.

    Hint: Is there an `or`, or an `if self.…`, in `to_sampling_params`? What do these make of 0 and of 0.0?
    """
    check_params(step, max_new_tokens=1, temperature=0.0, top_k=1)
    check_params(step, max_new_tokens=1, temperature=0, top_k=100)
    check_params(step)


# What becomes of the prompt, and what else is refused.


def test_a_blank_prompt_is_refused(step: ModuleType) -> None:
    """A prompt that is empty, or all spaces and line ends, is refused.

    Hint: What is the length of `' '`? What must a prompt have at least one of, if it is not to be blank?
    """
    for prompt in ("", " ", "   ", "\n", " \t\r\n "):
        request_refusals.refuses_a_blank_prompt(step, prompt)


def test_the_prompt_stays_as_it_came(step: ModuleType) -> None:
    """The prompt is handed on untouched: spaces, line ends and odd characters included.

    Hint: Print `repr(request.prompt)` for `' Hello '`. What has been at it: a setting of the model, or a validator that
    returns something else?
    """
    for prompt in PROMPTS:
        check_prompt(step, prompt)


def test_the_prompt_has_an_upper_length(step: ModuleType) -> None:
    """A prompt has at most MAX_PROMPT_CHARS characters, a bound from 4,096 to 1,000,000.

    Hint: Try a prompt of exactly `MAX_PROMPT_CHARS` characters, and one of one more; then the same in `é`, which is two
    bytes. Which argument of `Field` counts characters?
    """
    most = prompt_limit(step)
    for piece in ("x", "é", "😀", "x ", "x\n"):
        check_longest_prompt(step, piece, most)
    for prompt in ("x" * (most + 1), "x" + " " * most, "x" + "\n" * most + "y"):
        request_refusals.refuses_a_longer_prompt(step, prompt, most)


def test_nan_and_infinity_are_refused(step: ModuleType) -> None:
    """NaN and infinities are refused: Python's JSON reader lets them in.

    Hint: What is `float('nan') < 0`, and what `float('nan') > 2`? Would a bound notice? Look for an argument of `Field`
    that asks for it outright.
    """
    for field in NUMBERS:
        for value in ("nan", "inf", "-inf"):
            request_refusals.refuses_what_is_not_finite(step, field, float(value))


def test_null_is_refused(step: ModuleType) -> None:
    """null is refused, for every field: a client leaves a field out to get its default.

    Hint: Which of your annotations has room for None? Build a request with `top_k=None` and print it.
    """
    for field in ("prompt", *NUMBERS):
        request_refusals.refuses_null(step, field)


def test_unknown_fields_are_refused(step: ModuleType) -> None:
    """An unknown field is refused: a misspelt setting must not silently give the default.

    Hint: Build a request with `temprature=0.5` and print it. What has become of the typo? `ConfigDict` has a word for
    what is extra.
    """
    typos = {"max_tokens": 16, "temprature": 0.5, "topk": 3, "top_p": 0.9, "Temperature": 1, "max-new-tokens": 16}
    typos |= {"maxNewTokens": 16, "max_completion_tokens": 16}
    others = {"model": "tiny", "stream": True, "n": 1, "user": "me", "_comment": "a try", "debug": True, "": 1}
    request_refusals.refuses_unknown_fields(step, typos | others)


def test_true_and_text_are_no_numbers(step: ModuleType) -> None:
    """true, text and lists are no numbers, and a number is no prompt.

    Hint: Build one request with `top_k=True` and one with `top_k='5'`, and print both. What has pydantic done for you
    that nobody asked for, and what switches it off?
    """
    for field in NUMBERS:
        for value in (True, False, "1", "1.0", "", [1], {}):
            request_refusals.refuses_what_is_no_number(step, field, value)
    for prompt in (1, 1.5, True, ["Hello"], {"text": "Hello"}, [{"type": "text", "text": "Hello"}]):
        request_refusals.refuses_what_is_no_text(step, prompt)


def test_half_a_token_is_refused(step: ModuleType) -> None:
    """A fraction is no count of tokens.

    Hint: What comes out for `top_k=1.5`: an error, 1 or 2? Of which type is the field, and who did the rounding?
    """
    for field in ("max_new_tokens", "top_k"):
        for value in (1.5, 0.5, 99.9):
            request_refusals.refuses_a_fraction(step, field, value)


# What a response holds.


def test_a_response_holds_text_and_metrics(step: ModuleType) -> None:
    """A response is built from an engine's text and metrics, and its JSON holds both unchanged.

    Hint: Build a response of an `as_dict()` and print its `model_dump_json(by_alias=True)`, which is what FastAPI
    sends. What is missing, renamed or changed?
    """
    for text in ("The answer.", *UNTOUCHABLE, "long " * 20_000):
        check_response(step, text, METRICS)


def test_a_short_answer_is_an_answer(step: ModuleType) -> None:
    """A response may be short: empty text, one token, nothing measured, a reading that rounds to 0.0.

    Hint: Which of your fields would refuse an empty text, a 0.0, or a figure that is not there? Does a 0.0 that was
    there stand in the JSON? And where would a finish reason come from that no engine gave?
    """
    for metrics in (NO_TIMES, UNMEASURED, ONE_TOKEN, VERY_FAST, ONLY_TTFT, ONLY_TPOT):
        expect_nothing_made_up(check_response(step, "", metrics), metrics)


def test_further_metrics_pass_through(step: ModuleType) -> None:
    """What else an engine measures stands in the response, such as an acceptance rate.

    Hint: What does your model of the metrics do with a name that it has not heard of? Must it answer as the request
    does?
    """
    metrics = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0, tokens_proposed=6, tokens_accepted=4).as_dict()
    metrics |= {"draft_model": "tiny", "warm": True, "cold": False, "retries": 0, "waited_ms": 0.0, "note": ""}
    metrics |= {"x_request": "a-17", "_internal": 3, "Batch-Size": 1}
    metrics |= {"accepted_at_each_step": [2, 0, 1.5], "queue": {"place": 0, "name": "short", "share": 0.25}}
    metrics |= {"drafts": ["tiny", "smaller"], "tokens_ever": 2**53 + 1}
    check_response(step, "Yes.", metrics)
    rejected = SpecDecodeMetrics(50.0, 20, 5, latency_ms=100.0, tokens_proposed=6).as_dict()
    check_response(step, "No.", rejected)


def test_the_required_fields_of_a_response_are_required(step: ModuleType) -> None:
    """A response without its text, or without a figure that every engine knows, is refused.

    Hint: Leave one figure out at a time. Which one does your model make up, and from what?
    """
    refused_response(step, {"metrics": METRICS}, "text")
    refused_response(step, {"text": "Yes."}, "metrics")
    for missing in ("latency_ms", "input_tokens", "output_tokens", "throughput", "used_cache"):
        metrics = {name: figure for name, figure in METRICS.items() if name != missing}
        refused_response(step, {"text": "Yes.", "metrics": metrics}, f"metrics.{missing}")


# What clients read of it all.


def test_the_json_schema_admits_exactly_the_valid_numbers(step: ModuleType) -> None:
    """The JSON schema says the same: it admits exactly the valid numbers and bounds the prompt.

    Hint: Print `GenerateRequest.model_json_schema()['properties']`. Which type, bound or length of the lesson's table
    can you not find in it?
    """
    check_json_schema(
        step,
        max_new_tokens=((1, 512), (0, 513, 1.5, True, "1")),
        temperature=((0, 0.5, 2), (-0.001, 2.001, True, "1")),
        top_k=((1, 100), (0, 101, 1.5, True, "1")),
    )


# For stars.


@pytest.mark.stretch
def test_half_a_character_is_refused(step: ModuleType) -> None:
    """Half a surrogate pair in the prompt is refused: no tokenizer can encode it.

    Hint: What does `chr(0xD800).encode()` say? Which place in the schema could ask the prompt the same question?
    """
    for prompt in ("\ud800", "Hello \udc00 there"):
        request_refusals.refuses_half_a_character(step, prompt)


@pytest.mark.stretch
def test_what_was_not_measured_is_left_out(step: ModuleType) -> None:
    """In JSON, what was not measured is left out, not null.

    Hint: Which fields are None for an answer without TTFT, and what does pydantic write for them? Look at what the file
    offers you for figures that may be missing.
    """
    for metrics in (UNMEASURED, ONE_TOKEN):
        leaves_out_what_was_not_measured(step, metrics)
