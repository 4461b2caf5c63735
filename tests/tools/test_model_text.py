"""The text that the tiny model is trained on: what it holds, and what it keeps for the scores."""

import functools
import re
from collections.abc import Iterable
from itertools import chain
from random import Random

import pytest

from shared.models import elsewhere, templates, wordings

TERMS = wordings.terms()
DRAWS = 20_000


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w{}]+", text.lower()))


def _sentences(text: str) -> int:
    return len(re.findall(r"[.!?](?:\s|$)", text))


@functools.cache
def _drawn() -> set[str]:
    rng = Random(7)
    return {_plain(elsewhere.training_pair(rng)[0]) for _ in range(DRAWS)}


def _held_out_words_in(texts: Iterable[str]) -> list[str]:
    """The held-out words, alone or with an s, that stand in the texts."""
    text = "  ".join(["", *texts, ""])
    words = (_plain(word) for _, word in elsewhere.source().held_out)
    return [word for word in words if f" {word} " in text or f" {word}s " in text]


def test_the_glossary_holds_enough_terms_each_asked_for_in_two_to_five_phrases() -> None:
    assert len(TERMS) >= 72
    assert [
        term.name for term in TERMS if len(term.phrases) < 2 or max(len(term.asked), len(term.asked_plural)) > 5
    ] == []


def test_an_answer_has_one_to_three_sentences_of_15_to_45_words() -> None:
    assert [term.name for term in TERMS if not 15 <= len(term.answer.split()) <= 45] == []
    assert [term.name for term in TERMS if not 1 <= _sentences(term.answer) <= 3] == []


def test_no_two_answers_open_alike() -> None:
    assert len({" ".join(term.answer.split()[:2]) for term in TERMS}) == len(TERMS)


def test_a_phrase_of_two_terms_is_refused(tmp_path) -> None:
    entry = '[[term]]\nname = "{}"\nasked = ["a token", "{} x"]\nanswer = "Y."\n'
    (tmp_path / "two.toml").write_text(entry.format("one", "one") + entry.format("two", "two"))
    with pytest.raises(ValueError, match=r"'token' belongs to 'one' and to 'two'"):
        wordings.terms(tmp_path / "two.toml")


def test_a_term_without_an_answer_is_refused(tmp_path) -> None:
    (tmp_path / "bare.toml").write_text('[[term]]\nname = "one"\nasked = ["a token", "tokens"]\n')
    with pytest.raises(ValueError, match="'one' needs an answer"):
        wordings.terms(tmp_path / "bare.toml")


def test_there_are_enough_wordings_and_none_of_the_held_out_ones_is_trained_on() -> None:
    trained = {_plain(text) for text in templates.TRAINING + templates.PLURAL_TRAINING}
    held_out = {_plain(text) for text in templates.HELD_OUT + templates.PLURAL_HELD_OUT}
    assert len({_plain(text) for text in templates.TRAINING}) >= 90
    assert len({_plain(text) for text in templates.HELD_OUT}) >= 30
    assert not trained & held_out


def test_a_training_question_about_a_term_is_never_a_held_out_one() -> None:
    rng = Random(1)
    asked = {_plain(wordings.training_question(rng.choice(TERMS), rng)) for _ in range(DRAWS)}
    assert not asked & {_plain(question) for question, _ in wordings.held_out_questions(TERMS, 0, 30 * len(TERMS))}


def test_held_out_questions_ask_for_every_term_three_times_in_different_wordings() -> None:
    questions = wordings.held_out_questions(TERMS, 0, 3 * len(TERMS))
    for term in TERMS:
        assert len({question for question, asked in questions if asked == term}) == 3
    assert questions == wordings.held_out_questions(TERMS, 0, 3 * len(TERMS))


def test_more_held_out_questions_than_there_are_wordings_are_refused() -> None:
    with pytest.raises(ValueError, match="count must be 0 to"):
        wordings.held_out_questions(TERMS, 0, 1000 * len(TERMS))


def test_what_is_held_out_elsewhere_is_never_drawn() -> None:
    drawn = _drawn()
    held_out = elsewhere.HELD_OUT + tuple(question for question, _ in elsewhere.held_out_small_talk())
    assert len(elsewhere.HELD_OUT) >= 60 and "What is the capital of France?" in elsewhere.HELD_OUT
    assert not drawn & {_plain(question) for question in held_out}
    assert _held_out_words_in(drawn) == []


def test_no_word_that_is_held_out_stands_in_any_list() -> None:
    source = elsewhere.source()
    lists = chain(source.nouns, source.plural_nouns, *source.slots.values(), *source.patterns.values())
    assert _held_out_words_in(map(_plain, lists)) == []


def test_no_noun_elsewhere_is_a_term_of_the_glossary() -> None:
    known = {wordings.bare(phrase).lower() for term in TERMS for phrase in term.phrases}
    source = elsewhere.source()
    words = chain(source.nouns, source.plural_nouns, *source.slots.values())
    assert [word for word in words if wordings.bare(word).lower() in known] == []
    assert len(set(source.nouns)) >= 300


def test_nothing_elsewhere_asks_for_a_story() -> None:
    source = elsewhere.source()
    texts = chain(source.nouns, source.plural_nouns, *source.slots.values(), *source.patterns.values())
    assert [text for text in texts if re.search(r"\b(story|stories|tale|tales)\b", text, re.IGNORECASE)] == []


def test_every_pattern_can_be_filled() -> None:
    for pattern in chain(*elsewhere.source().patterns.values()):
        assert "{" not in elsewhere.fill(pattern, Random(0))


def test_the_fixed_answers_are_short() -> None:
    assert len(elsewhere.ANSWER.split()) <= 30
    assert all(len(talk.answer.split()) <= 30 for talk in elsewhere.source().small_talk)
