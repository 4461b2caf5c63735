"""The token loops against the library's own `generate`, on real tiny models."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from kata.failure import CheckFailure
from shared.generation import Generation
from shared.sampling_params import SamplingParams
from tests.doubles.fast_tokenizer import IM_END, FastTokenizer
from tests.doubles.loop_results import take
from tests.doubles.loop_runs import PROMPT, name_of, prompt_ids, run
from tests.doubles.loop_spies import inputs_of
from tests.doubles.loop_verdicts import expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, hashed
from tests.doubles.tiny_models import library_greedy, tiny_gpt2, tiny_llama, tiny_qwen3

NEW_TOKENS = 16  # a mask that never grows shows at 2 tokens in 7 of 20 seeds, at 8 in all of them


def qwen3s() -> list[Any]:
    """One of two layers and two of one: a learner waits for these."""
    return [tiny_qwen3(1), tiny_qwen3(2, num_hidden_layers=1), tiny_qwen3(3, num_hidden_layers=1)]


def llama_and_gpt2() -> list[Any]:
    return [tiny_llama(1, num_hidden_layers=1), tiny_gpt2(1, n_layer=1)]


def equals_the_library(
    generate: Callable[..., Generation], models: Sequence[Any], other: Callable[..., Generation] | None = None
) -> None:
    """The same greedy ids as the library's. other: another loop, which must say the same of the first model."""
    tokenizer = FastTokenizer()
    for model in models:
        with _told_of_the_order(model):
            result, call = run(generate, model, PROMPT, tokenizer, max_new_tokens=NEW_TOKENS)
        call += f".output_ids on a {type(model).__name__}"
        why = "the library's generate(do_sample=False) is the reference for what this model says."
        wanted = library_greedy(model, inputs_of(prompt_ids()), NEW_TOKENS, {IM_END})
        expect_ids(result.output_ids, wanted, call=call, why=why, varies=True)
        if other and model is models[0]:
            uncached = other(model, tokenizer, PROMPT, max_new_tokens=NEW_TOKENS).output_ids
            expect_ids(result.output_ids, uncached, call=call, why=f"{name_of(other)} says otherwise.", varies=True)


@contextmanager
def _told_of_the_order(model: Any) -> Iterator[None]:
    """A mask in the place of GPT-2's cache is an error that says nothing of places."""
    try:
        yield
    except (AttributeError, TypeError) as error:
        if not any(told in str(error) for told in ("Tensor", "multiple values")):
            raise
        call, got = f"model(...) on a {type(model).__name__}", f"{type(error).__name__}: {error}"
        why = "arguments stand in another order in other models: name them, `attention_mask=…`."
        raise CheckFailure(call=call, got=got, wanted="logits", why=why) from error


def remembers_a_long_prompt(generate: Callable[..., Generation]) -> None:
    """A prompt of some 700 ids, on a model of one layer."""
    model, prompt = tiny_qwen3(1, num_hidden_layers=1), "Why is the sky blue, and the sea? " * 19
    result, call = run(generate, model, prompt, FastTokenizer(), max_new_tokens=NEW_TOKENS)
    wanted = library_greedy(model, inputs_of(prompt_ids(prompt)), NEW_TOKENS, {IM_END})
    why = "the next token hangs on all that was said: a cache that is cut, or made for fewer places, forgets the start."
    call = f"{call}.output_ids on a {type(model).__name__}"
    expect_ids(result.output_ids, wanted, call=call, why=why, varies=True)


def stops_where_the_library_stops(generate: Callable[..., Generation]) -> None:
    """The fifth token of the answer is made an EOS."""
    model = tiny_qwen3(1, num_hidden_layers=1)
    stop_id = library_greedy(model, inputs_of(prompt_ids()), 5)[-1]
    model.generation_config.eos_token_id = [stop_id, 0]
    result, call = run(generate, model, PROMPT, FastTokenizer(), max_new_tokens=NEW_TOKENS)
    wanted = library_greedy(model, inputs_of(prompt_ids()), NEW_TOKENS, {stop_id, 0, IM_END})
    why = f"{stop_id} is an EOS of this model: the library stops there, and keeps it."
    call = f"{call}.output_ids on a {type(model).__name__}"
    expect_ids(result.output_ids, wanted, call=call, why=why, varies=True)


def skips_padding_on_the_left(step: ModuleType) -> None:
    """On learned positions, which see the padding unless they are told otherwise."""
    ids, padding = prompt_ids(), 5
    inputs = inputs_of([0] * padding + ids)
    inputs["attention_mask"][:, :padding] = 0
    for model in (tiny_gpt2(1), tiny_gpt2(2)):
        tokens = step.decode_tokens(model, inputs, 16, SamplingParams(), frozenset())
        call = f"decode_tokens(gpt2, inputs with {padding} padding ids on the left, 16, ...)"
        why = "the model counts positions from the first id, padding included: count them from the mask, "
        why += "`attention_mask.cumsum(-1) - 1`, and hand them in as position_ids."
        try:
            got = take(tokens, 19, call)
        except IndexError as error:  # an embedding has no row -1
            why = "a padded place has position -1, and there is none: clamp at 0, `.clamp(min=0)`."
            told = f"IndexError: {error}"
            raise CheckFailure(call=call, got=told, wanted="16 tokens", why=why) from error
        wanted = library_greedy(model, inputs_of(ids), 16)
        if got != wanted:
            tokens = step.decode_tokens(seen := ScriptedModel(hashed()), inputs, 1, SamplingParams(), frozenset())
            first = take(tokens, 1, call)
            if seen.calls[0].mask != inputs["attention_mask"].tolist()[0]:
                why = (
                    "the model got another mask than `inputs` has: its zeros hide the padding, so begin with that mask."
                )
            elif first != expected_reply(hashed(), seen.calls[0].ids, 1):
                why = "the first token was read off another row than the last, `logits[:, -1, :]`: the padding stands "
                why += "on the left, so the mask's sum is no place in a row."
        expect_ids(got, wanted, call=call, why=why, varies=True)
