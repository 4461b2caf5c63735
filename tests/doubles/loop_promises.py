"""What the answers of `generate_uncached` and `generate_cached` promise alike, judged in one place.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from kata.failure import expect
from shared.generation import Generation
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import END_OF_TEXT, HIDDEN, IM_END, IM_START, FastTokenizer
from tests.doubles.loop_spies import as_generation, expect_each, expect_ids, step_1_giving
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import LETTERS, Script, expected_reply, hashed, replying, rows

PROMPT = "Why is the sky blue?"
UNKNOWN_ID = 290  # the model's, not the tokenizer's

Generate = Callable[..., Generation]


class Tidying(FastTokenizer):
    """Cleans up spaces unless it is told not to, as the library's WordLevel tokenizers do."""

    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> Any:
        text = super().decode(token_ids, skip_special_tokens, False, **options)
        return text if clean_up_tokenization_spaces is False or not isinstance(text, str) else text.replace(" ,", ",")


def run(
    generate: Generate, model: Any, prompt: str = PROMPT, tokenizer: Any = None, **options: Any
) -> tuple[Generation, str]:
    """The result, strictly read, and the call as a learner would write it."""
    told = "".join(f", {name}={value!r}" for name, value in options.items())
    call = f"{name_of(generate)}(model, tokenizer, {prompt if len(prompt) < 40 else prompt[:40] + '...'!r}{told})"
    return as_generation(generate(model, tokenizer or FastTokenizer(), prompt, **options), call), call


def name_of(generate: Generate) -> str:
    """The function's name; a callable object has that of its class."""
    return getattr(generate, "__name__", type(generate).__name__)


def prompt_ids(prompt: str = PROMPT) -> list[int]:
    return FastTokenizer().prompt_ids(prompt)


def stopping_after(tokens: int, stop_id: int, ids: Sequence[int] | None = None) -> Script:
    """Letters, one `stop_id` as token number `tokens`, and letters again, as if nothing had been said.

    ids: the prompt's, where it is not PROMPT's.
    """
    letters, at = hashed(), len(prompt_ids() if ids is None else ids) + tokens - 1
    return lambda seen: stop_id if len(seen) == at else letters(seen)


def goes_through_step_1(load: Callable[..., ModuleType], name: str) -> None:
    """load: the fixture; name: the function's."""
    spy = step_1_giving(load(1), [5, 6, 7])
    model, tokenizer, prompt = ScriptedModel(hashed()), FastTokenizer(), "  Why?\n"
    _, call = run(getattr(load(under={1: spy}), name), model, prompt, tokenizer, max_new_tokens=2)
    own = {None, getattr(spy, "DEFAULT_SYSTEM_PROMPT", None)}
    asked = [(each[0] is tokenizer, each[1] is model, each[2], each[3] in own) for each in spy.asked]
    why = "step 1 knows the chat format: hand it tokenizer, model and prompt, once, and neither strip nor add anything."
    got = f"prepare_inputs called {len(asked)} times: {spy.asked}"
    wanted = f"prepare_inputs(tokenizer, model, {prompt!r})"
    expect(asked == [(True, True, prompt, True)], call=call, got=got, wanted=wanted, why=why)
    why = "the model's first call takes the ids that step 1 returned, as they are."
    expect_ids(model.calls[0].ids if model.calls else [], [5, 6, 7], call=f"the model's first call in {call}", why=why)


def says_what_the_model_says(generate: Generate) -> None:
    for seed in (1, 2, 3):
        model = ScriptedModel(hashed(seed))
        result, call = run(generate, model, max_new_tokens=16)
        why = "each token is the best of the last row of logits, the newest position's: `logits[:, -1, :]`."
        wanted = expected_reply(model.script, prompt_ids(), 16)
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)
    for params in (None, SamplingParams(), SamplingParams(temperature=0.0, top_p=0.5), SamplingParams(-1.0, top_k=9)):
        result, call = run(generate, ScriptedModel(rows), max_new_tokens=8, params=params)
        why = "no params, or a temperature of 0 or below, mean greedy: always the best token, nothing is drawn."
        wanted = [int(rows((0,) * (len(prompt_ids()) + at)).argmax()) for at in range(len(result.output_ids))]
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why)


def makes_exactly(
    generate: Generate, new_tokens: int, prompt: str = PROMPT, script: Script | None = None
) -> tuple[Generation, str, ScriptedModel]:
    """The result, the call and the model, for further questions."""
    model = ScriptedModel(script or hashed())
    result, call = run(generate, model, prompt, max_new_tokens=new_tokens)
    expect(
        (len(result.output_ids), len(model.calls)) == (new_tokens, new_tokens),
        call=call,
        got=f"{len(result.output_ids)} tokens from {len(model.calls)} calls of the model",
        wanted=f"{new_tokens} tokens from {new_tokens} calls",
        why="each call of the model gives one token: one more is work thrown away, or a token that nobody asked for.",
        trace=trace(model.calls),
    )
    return result, call, model


def copes_with_a_long_prompt(generate: Generate) -> None:
    prompt = "Why is the sky blue? " * 24
    makes_exactly(generate, 520, script=lambda seen: LETTERS[0])
    result, call, model = makes_exactly(generate, 80, prompt)
    masks, right = [each.mask for each in model.calls], [[1] * len(each.seen) for each in model.calls]
    why = "however long a sequence is, the mask covers all of it."
    expect_each(model.calls, masks, right, call=call, why=why, of="attention_mask")
    why = "a long answer to a long prompt is made like a short one: nothing is cut off, and no token left out."
    expect_ids(result.output_ids, expected_reply(hashed(), prompt_ids(prompt), 80), call=f"{call}.output_ids", why=why)


def is_not_ended_by_the_prompt(generate: Generate) -> None:
    model = ScriptedModel(hashed())
    result, call = run(generate, model, max_new_tokens=6)
    expect(
        len(result.output_ids) > 1,
        call=call,
        got=f"{len(result.output_ids)} token{'s' * (not result.output_ids)}, although the model never said an EOS",
        wanted="6 tokens",
        why="the chat template ends each turn with <|im_end|>, which is an EOS: look for it in new tokens only, never "
        "in the prompt.",
        trace=trace(model.calls),
    )


def stops_at_every_eos(generate: Generate) -> None:
    both = [10, 0]
    cases = (
        (both, 10, 4),
        (both, 0, 4),
        (both, IM_END, 4),
        (10, 10, 4),
        (10, IM_END, 4),
        (None, IM_END, 4),
        (both, 10, 1),
    )
    for configured, stop_id, at in cases:
        model = ScriptedModel(stopping_after(at, stop_id), eos_token_id=configured)
        result, call = run(generate, model, max_new_tokens=12)
        expect_ids(
            result.output_ids,
            expected_reply(model.script, prompt_ids(), 12, {stop_id}),
            call=f"{call}.output_ids",
            why=f"the answer ends with id {stop_id}, its token {at}: the EOS of the model's generation config is "
            f"{configured}, the tokenizer's {IM_END}; any of them ends it, is kept as the last id, and nothing comes "
            "after it.",
            calls=model.calls,
        )


def says_why_it_ended(generate: Generate) -> None:
    cases = ((12, False, "stop"), (4, False, "stop"), (3, False, "length"), (4, True, "length"), (12, True, "length"))
    for limit, ignore_eos, wanted in cases:
        model = ScriptedModel(stopping_after(4, IM_END))
        result, call = run(generate, model, max_new_tokens=limit, params=SamplingParams(ignore_eos=ignore_eos))
        expect(
            result.finish_reason == wanted,
            call=f"{call}.finish_reason",
            got=repr(result.finish_reason),
            wanted=repr(wanted),
            why="'stop' where an EOS (here token 4) ended it, also as the last permitted token; 'length' otherwise, "
            "and always where EOS is ignored.",
        )


def can_ignore_eos(generate: Generate) -> None:
    model = ScriptedModel(stopping_after(4, IM_END), eos_token_id=[10])
    result, call = run(generate, model, max_new_tokens=12, params=SamplingParams(ignore_eos=True))
    why = "with ignore_eos an EOS is a token like any other, kept and fed back: only the limit ends the answer."
    wanted = expected_reply(model.script, prompt_ids(), 12)
    expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)


def keeps_the_limit(generate: Generate) -> None:
    for argument, in_params, wanted in ((None, 5, 5), (3, 5, 3), (7, 5, 7), (1, 5, 1)):
        model = ScriptedModel(hashed(), most_calls=30)
        params = SamplingParams(max_tokens=in_params)
        result, call = run(generate, model, max_new_tokens=argument, params=params)
        expect(
            len(result.output_ids) == wanted,
            call=call,
            got=f"{len(result.output_ids)} tokens",
            wanted=f"{wanted} tokens",
            why="max_new_tokens wins where it is given, larger or smaller; where it is None, params.max_tokens counts.",
        )


def refusal(generate: Generate, model: ScriptedModel, why: str, **options: Any) -> tuple[str, str]:
    """The text of the `RequestRefused` that this call must raise before the model runs, and the call."""
    call = f"{name_of(generate)}(model, tokenizer, {PROMPT!r}, {', '.join(f'{k}={v!r}' for k, v in options.items())})"
    got, text = "an answer", ""
    try:
        generate(model, FastTokenizer(), PROMPT, **options)
    except RequestRefused as error:
        got, text = "RequestRefused", str(error)
    except ValueError as error:
        got = f"{type(error).__name__}: {error}"
    expect(got == "RequestRefused", call=call, got=got, wanted="RequestRefused", why=why)
    calls = f"{len(model.calls)} calls of the model before it"
    expect(not model.calls, call=call, got=calls, wanted="RequestRefused before the model runs", why=why)
    return text, call


def refuses_fewer_than_one(generate: Generate) -> None:
    cases = (0, SamplingParams(max_tokens=9)), (-3, SamplingParams(max_tokens=9)), (None, SamplingParams(max_tokens=0))
    for limit, params in cases:
        asked = params.max_tokens if limit is None else limit
        why = f"max_new_tokens={asked} is the caller's mistake: 0 is a number, not 'not given'. The message names it."
        model = ScriptedModel(hashed(), most_calls=30)
        text, call = refusal(generate, model, why, max_new_tokens=limit, params=params)
        expect(_names(text, asked), call=call, got=text, wanted=f"a message that names {asked}", why=why)


def refuses_what_does_not_fit(generate: Generate) -> None:
    prompt = len(prompt_ids())
    for limit, context in ((17, prompt + 16), (None, prompt + 1023), (1, prompt), (5, prompt - 1)):
        new = 1024 if limit is None else limit
        why = "prompt and new tokens must fit into the model's context, beyond which positions mean nothing: refuse."
        model = ScriptedModel(hashed(), context=context, most_calls=30)
        text, call = refusal(generate, model, why, max_new_tokens=limit)
        numbers = {"prompt": prompt, "new tokens": new, "context": context}
        missing = [f"{name} ({number})" for name, number in numbers.items() if not _names(text, number)]
        wanted = f"a message that also names the {', '.join(missing)}"
        expect(not missing, call=call, got=text, wanted=wanted, why="a caller needs the numbers to ask for less.")


def _names(text: str, number: int) -> bool:
    text = re.sub(r"(?<=\d)[,_' ](?=\d{3}\b)", "", text)  # 1,024 is 1024
    return re.search(rf"(?<![\d-]){number}(?!\d)", text) is not None


def serves_an_exact_fit(generate: Generate) -> None:
    model = ScriptedModel(hashed(), context=len(prompt_ids()) + 16)
    try:
        result, call = run(generate, model, max_new_tokens=16)
        got, call = f"{len(result.output_ids)} tokens", f"{call}, which just fits into the context"
    except RequestRefused as error:
        got, call = f"RequestRefused: {error}", f"{name_of(generate)}(..., max_new_tokens=16), which just fits"
    why = "a prompt and an answer that just fill the context are fine: refuse what is more than that."
    expect(got == "16 tokens", call=call, got=got, wanted="16 tokens", why=why)


def returns_only_the_completion(generate: Generate) -> None:
    tokenizer = FastTokenizer()
    said = [
        *tokenizer.encode(' Well,  "½" 😀 é'),
        IM_START,
        END_OF_TEXT,
        HIDDEN,
        *tokenizer.encode(" yes<think> <|x|>\n"),
        UNKNOWN_ID,
        IM_END,
    ]
    model = ScriptedModel(replying(said, tokenizer.header))
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=40)
    why = "the text is the answer alone: decode the new ids, all at once, without special tokens, and strip nothing."
    wanted = ' Well,  "½" 😀 é yes<think> <|x|>\n'
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
    model = ScriptedModel(replying(tokenizer.encode("ah!\n"), tokenizer.header), eos_token_id=[10])
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=9)
    why = "this model's EOS is a line end, which is text: only special tokens are left out of it, whatever ended it."
    expect(result.text == "ah!\n", call=f"{call}.text", got=repr(result.text), wanted=repr("ah!\n"), why=why)
    model = ScriptedModel(replying(tokenizer.encode("ah 😀"), tokenizer.header))
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=5)
    why = "an answer that is cut inside a character shows it as U+FFFD: the text is what the ids decode to."
    expect(result.text == "ah \ufffd", call=f"{call}.text", got=repr(result.text), wanted=repr("ah \ufffd"), why=why)
    model = ScriptedModel(stopping_after(4, IM_END))
    result, call = run(generate, model, max_new_tokens=12, params=SamplingParams(ignore_eos=True))
    why = "an EOS that was to be ignored ends the text no more than the answer: what follows it is shown."
    wanted = "".join(chr(token) for token in expected_reply(model.script, prompt_ids(), 12) if token != IM_END)
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
    same = result.input_tokens == len(prompt_ids())
    why = "input_tokens counts the ids that the model was given, the template's own included."
    expect(same, call=f"{call}.input_tokens", got=result.input_tokens, wanted=len(prompt_ids()), why=why)


def leaves_spaces_alone(generate: Generate) -> None:
    tokenizer = Tidying()
    model = ScriptedModel(replying([*tokenizer.encode("I do n't know , yet ."), IM_END], tokenizer.header))
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=40)
    why = "decode with clean_up_tokenization_spaces=False: clean-up rewrites text that a stream has already sent."
    wanted = "I do n't know , yet ."
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
