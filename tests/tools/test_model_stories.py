"""The stories that the small model learns: enough of them, well formed, and some kept back."""

import random
import re

from shared.models import stories
from shared.models.story_words import NOUNS


def draws(count: int, seed: int = 1) -> list[tuple[str, str]]:
    rng = random.Random(seed)
    return [stories.training_pair(rng) for _ in range(count)]


def test_there_are_enough_wordings_and_subjects():
    assert len(set(stories.REQUESTS)) >= 30
    assert len(set(stories.HELD_OUT_REQUESTS)) >= 8
    assert not set(stories.HELD_OUT_REQUESTS) & set(stories.REQUESTS)
    assert len(stories.HELD_OUT_SUBJECTS) >= 60
    assert len(stories.subjects()) > 2000


def test_no_story_says_a_sentence_twice_and_all_are_short():
    rng = random.Random(2)
    for _ in range(3000):
        told = stories.sentences(rng.choice(stories.subjects()), rng)
        assert len(told) == len(set(told))
        assert 60 <= len(" ".join(told).split()) <= 130
        assert not any("{" in sentence for sentence in told)


def test_the_subject_is_named_first_and_once_more():
    rng = random.Random(3)
    for subject in stories.subjects():
        first, *rest = stories.sentences(subject, rng)
        assert stories.with_article(subject) in first
        assert f"the {subject.split()[1]}" in " ".join(rest).lower()


def test_held_out_subjects_are_never_told_nor_asked_for():
    kept = re.compile(rf"\b({'|'.join(stories.HELD_OUT_SUBJECTS)})\b")
    assert kept.search(f"Tell me about a {stories.HELD_OUT_SUBJECTS[0]}")
    assert not [pair for pair in draws(3000) if kept.search(" ".join(pair))]


def test_the_parts_of_held_out_subjects_are_trained():
    trained = {word for subject in stories.subjects() for word in subject.split()}
    assert {word for subject in stories.HELD_OUT_SUBJECTS for word in subject.split()} <= trained


def test_no_request_of_training_uses_a_held_out_wording():
    rng = random.Random(4)
    kept = {stories.asked(wording, "red kite").lower().strip(".?") for wording in stories.HELD_OUT_REQUESTS}
    drawn = {stories.request("red kite", rng).lower().strip(".?") for _ in range(3000)}
    assert len(kept) >= 8
    assert not kept & drawn


def test_about_half_of_the_stories_leave_ascii():
    told = [story for _, story in draws(3000)]
    share = sum(not story.isascii() for story in told) / len(told)
    assert 0.4 <= share <= 0.7


def test_the_same_seed_tells_the_same_stories():
    assert draws(50, seed=7) == draws(50, seed=7)
    assert draws(50, seed=7) != draws(50, seed=8)


def test_a_noun_alone_gets_an_adjective_that_stays():
    for noun in NOUNS:
        whole = stories.whole_subject(noun)
        assert whole in stories.subjects()
        assert whole == stories.whole_subject(noun)
