"""The model that ships: its files, its tokenizer and template, and that it answers as its card says."""

import re
from functools import cache

import pytest

from shared.models import wordings
from shared.models.score_tiny import Score, ask, repeats, scores
from shared.runtime import TINY, Runtime, load_runtime
from shared.stopping import stop_token_ids
from tests.doubles.model_folder import TEXTS

MARKS = "<|im_start|><|im_end|><|endoftext|><think></think>"
TURN = {"add_generation_prompt": True, "tokenize": False}


@cache
def tiny() -> Runtime:
    return load_runtime("tiny", device="cpu")


def test_all_its_files_together_are_at_most_4_megabytes() -> None:
    assert sum(file.stat().st_size for file in TINY.iterdir()) <= 4e6


def test_it_is_a_qwen3_with_two_eos_ids_and_room_for_the_default_of_1024_new_tokens() -> None:
    model, tokenizer = tiny().model, tiny().tokenizer
    ends = tokenizer.convert_tokens_to_ids(["<|im_end|>", "<|endoftext|>"])
    assert type(model).__name__ == "Qwen3ForCausalLM"
    assert model.config.max_position_embeddings == 4096
    assert model.generation_config.eos_token_id == ends
    assert tokenizer.eos_token_id == ends[0]
    assert stop_token_ids(model, tokenizer) == set(ends)


@pytest.mark.parametrize("text", TEXTS)
def test_its_tokenizer_gives_back_any_text(text: str) -> None:
    tokenizer = tiny().tokenizer
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_its_marks_are_one_token_each_and_only_chatmls_are_special() -> None:
    ids = tiny().tokenizer.encode(MARKS)
    assert len(ids) == 5
    assert tiny().tokenizer.decode(ids, skip_special_tokens=True) == "<think></think>"


@pytest.mark.parametrize("character", ["é", "月", "🪁"])
def test_what_is_not_ascii_is_several_tokens(character: str) -> None:
    assert len(tiny().tokenizer.encode(character)) >= 2


@pytest.mark.parametrize("thinking", [True, None, 0, "false"])
def test_its_template_is_chatml_and_thinks_unless_told_false(thinking: object) -> None:
    template = tiny().tokenizer.apply_chat_template
    messages = [{"role": "system", "content": " s "}, {"role": "user", "content": "u\n"}]
    prompt = "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\nu\n<|im_end|>\n<|im_start|>assistant\n"
    assert template(messages, enable_thinking=thinking, **TURN) == prompt
    assert template(messages, **TURN) == prompt
    assert template(messages, enable_thinking=False, **TURN) == prompt + "<think>\n\n</think>\n\n"


@cache
def seen() -> list[Score]:
    """The scores of the weights that ship: terms, stories (twice), something else."""
    return scores(tiny().model, tiny().tokenizer)


def test_it_explains_terms_in_wordings_that_it_was_never_trained_on() -> None:
    score = seen()[0]
    assert score.asked >= 200
    assert score.share >= 0.95, score


def test_it_tells_stories_about_new_subjects_that_end_and_repeat_no_sentence() -> None:
    whole, named = seen()[1:3]
    assert (whole.right, whole.asked) == (50, 50), whole.others
    assert named.share >= 0.9, named.others


def test_asked_something_else_it_says_what_it_can_talk_about() -> None:
    score = seen()[3]
    assert score.asked >= 30
    assert score.share >= 0.8, score


def test_its_card_tells_the_scores_of_these_weights() -> None:
    card = (TINY / "README.md").read_text(encoding="utf-8")
    told = [int(right) for right in re.findall(r"^- .*: (\d+) of \d+", card, re.MULTILINE)]
    assert [abs(right - score.right) <= 2 for right, score in zip(told, seen(), strict=True)] == [True] * 4


def test_the_first_question_that_the_kata_asks_gets_the_glossarys_answer() -> None:
    wanted = next(term.answer for term in wordings.terms() if term.name == "KV cache")
    assert [answer.text for answer in ask(tiny().model, tiny().tokenizer, ["What is a KV cache?"], 80)] == [wanted]


def test_a_sentence_that_comes_twice_is_seen() -> None:
    assert repeats("It is so. It was. It is so.")
    assert not repeats("It is so. It was so.")
