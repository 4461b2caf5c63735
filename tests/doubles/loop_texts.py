"""The text that `generate_uncached` and `generate_cached` make of their ids.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

from typing import Any

from kata.failure import expect
from shared.generation import Generation
from shared.sampling_params import SamplingParams
from tests.doubles.backends import metaspace_backend
from tests.doubles.fast_tokenizer import END_OF_TEXT, HIDDEN, IM_END, IM_START, FastTokenizer
from tests.doubles.loop_runs import Generate, prompt_ids, run, stopping_after
from tests.doubles.loop_verdicts import expect_ids, taken_for_an_eos
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, replying

UNKNOWN_ID = 290  # the model's, not the tokenizer's
SPELLED = b"<|im_end|>"  # each byte is an id, and none of them an EOS


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


def returns_only_the_completion(generate: Generate) -> None:
    tokenizer = FastTokenizer()
    said = [
        *tokenizer.encode('\n Well,\x00  "½" 😀 é'),
        IM_START,
        END_OF_TEXT,
        HIDDEN,
        *tokenizer.encode(" yes<think>hm</think> "),
        *SPELLED,
        *b"\n",
        UNKNOWN_ID,
        IM_END,
    ]
    model = ScriptedModel(replying(said, tokenizer.header))
    model.config.eos_token_id, model.config.bos_token_id = END_OF_TEXT, IM_START
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=60)
    why = "only an EOS of the model's generation config or of the tokenizer ends an answer: other special tokens, also "
    why += "those that model.config names, are part of it, and have no text."
    if result.output_ids[-len(SPELLED) :] == [*SPELLED]:
        why = "only the id is an EOS, and no letters are: compare ids, and never their text. A model that writes about "
        why += "chat formats spells `<|im_end|>`, and goes on."
    expect_ids(result.output_ids, said, call=f"{call}.output_ids", why=why, calls=model.calls)
    why = "the text is the answer alone: decode the new ids, all at once, without special tokens, and strip nothing."
    wanted = '\n Well,\x00  "½" 😀 é yes<think>hm</think> <|im_end|>\n'
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
    _expect_input_tokens(result, call)
    half, other = "é".encode()[0], 0x80  # neither is a character by itself
    model = ScriptedModel(replying(tokenizer.encode("ah é!\n"), tokenizer.header), eos_token_id=[10, other])
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=9)
    why = f"this model's EOS are 10, a line end, and {other}: stop ids are asked of the model and tokenizer at hand, "
    why += "at every request."
    alone = ScriptedModel(model.script, eos_token_id=[10])
    if result.output_ids[-1:] == [half] and run(generate, alone, max_new_tokens=9)[0].output_ids[-1:] != [half]:
        why = taken_for_an_eos(half, other)
    expect_ids(result.output_ids, [*"ah é!\n".encode()], call=f"{call}.output_ids", why=why, calls=model.calls)
    why = "this model's EOS is a line end, which is text: only special tokens are left out of it, whatever ended it."
    expect(result.text == "ah é!\n", call=f"{call}.text", got=repr(result.text), wanted=repr("ah é!\n"), why=why)
    model = ScriptedModel(replying(tokenizer.encode("ah 😀"), tokenizer.header))
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=5)
    why = "an answer that is cut inside a character shows it as U+FFFD: the text is what the ids decode to."
    expect(result.text == "ah \ufffd", call=f"{call}.text", got=repr(result.text), wanted=repr("ah \ufffd"), why=why)
    model = ScriptedModel(stopping_after(4, IM_END))
    result, call = run(generate, model, max_new_tokens=12, params=SamplingParams(ignore_eos=True))
    why = "an EOS that was to be ignored ends the text no more than the answer: what follows it is shown."
    wanted = "".join(chr(token) for token in expected_reply(model.script, prompt_ids(), 12) if token != IM_END)
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
    _expect_input_tokens(result, call)


def _expect_input_tokens(result: Generation, call: str) -> None:
    same = result.input_tokens == len(prompt_ids())
    why = "input_tokens counts the ids of the prompt, the template's own included: count them before the loop. The "
    why += "last sequence less the answer is one too few where an EOS ended the answer, which is kept and never fed."
    expect(same, call=f"{call}.input_tokens", got=result.input_tokens, wanted=len(prompt_ids()), why=why)


def leaves_spaces_alone(generate: Generate) -> None:
    tokenizer = Tidying(metaspace_backend())
    said = [*tokenizer.encode("I do n't know , yet .", add_special_tokens=False), tokenizer.eos_token_id]
    model = ScriptedModel(replying(said, tokenizer.header))
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=40)
    why = "decode with clean_up_tokenization_spaces=False: clean-up rewrites text that a stream has already sent."
    wanted = "I do n't know , yet ."
    if result.text.strip() == wanted:
        why = "behind a prompt ids can have another text than alone, here a space in front: decode the new ids alone."
    expect(result.text == wanted, call=f"{call}.text", got=repr(result.text), wanted=repr(wanted), why=why)
