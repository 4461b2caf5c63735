"""What a stream promises of tokens whose text is not theirs alone: special ones, unknown ids, words with a space.

Each function is handed a stream that was read, or a solution's step 6 where it reads by itself, and raises a
`CheckFailure` where the text breaks the promise.
"""

from collections.abc import Sequence
from types import ModuleType

from kata.failure import CheckFailure
from tests.doubles.backends import word_level_backend
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.stream_record import UNFINISHED, Told
from tests.doubles.stream_texts import expect_text
from tests.doubles.streams import read

SPACES = "a token's text hangs on what comes before it: the first loses its space, the others keep theirs. Decode it "
SPACES += "together with those before it, never alone."
REST_ALONE = "what is left at the end is decoded alone here, and has lost its space: like every piece it hangs on what "
REST_ALONE += "came before it, so decode it behind the piece that was sent last."
FIRST_SPACE = "the first word keeps the space that it has only behind other text: decode an answer's ids with those of "
FIRST_SPACE += "the answer before them, not with the prompt's, and put no text together from single tokens."


def special_ones_are_hidden(told: Told) -> None:
    why = "a special token is no text: call `tokenizer.decode` with skip_special_tokens=True, which knows them all, "
    why += "listed or not; `all_special_ids` and `convert_ids_to_tokens` know only those that are listed."
    expect_text(told, why)


def look_alikes_are_shown(told: Told) -> None:
    why = "only ids make a token special: `<think>` is added, not special, and `<|im_end|>` in letters is text, and "
    why += "ends nothing."
    expect_text(told, why)


def the_tool_is_shown(told: Told) -> None:
    why = "`<|tool|>` is an added token like `<think>`, not a special one, whatever it looks like: it is text."
    expect_text(told, why)


def words_keep_their_space(told: Told) -> None:
    why = REST_ALONE if told.wanted.endswith(UNFINISHED) else SPACES
    expect_text(told, FIRST_SPACE if told.text == f" {told.wanted}" else why)


def words_keep_their_space_after_a_special_one(told: Told) -> None:
    why = "a special token has no text, and what follows it still hangs on what came before it: forget nothing there."
    expect_text(told, why)


def spaces_are_not_cleaned_up(step: ModuleType, told: Told) -> None:
    """Where they are wrong, another stream tells whether they are without any clean-up too."""
    why = "clean-up rewrites what was sent (`mat .` to `mat.`): decode with clean_up_tokenization_spaces=False."
    if told.text != told.wanted and read(step, FastTokenizer(word_level_backend()), told.ids).text == told.text:
        why = "this is no clean-up, since it happens to a tokenizer without one as well: a word's space hangs on the "
        why += "word before it, so decode it together with that."
    expect_text(told, why)


def unknown_ones_have_no_text(step: ModuleType, tokenizer: FastTokenizer, ids: Sequence[int], beyond: int) -> None:
    """beyond: the one of the ids that the tokenizer has not."""
    why = "a model's vocabulary is often wider than the tokenizer's: such an id is no text, and the answer goes on."
    try:
        told = read(step, tokenizer, ids)
    except (TypeError, LookupError, ValueError, OverflowError, AttributeError) as error:
        got, wanted = f"{type(error).__name__}: {error}", "the text of the other ids"
        call = f"list(generate_stream(...)), where the model says {beyond}, and the tokenizer has {len(tokenizer)} ids"
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error
    expect_text(told, why)
