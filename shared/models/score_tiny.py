"""How well `tiny` answers: `python -m shared.models.score_tiny` asks it what it was never asked in training.

Greedy, by the library's own `generate`, with the default system prompt and thinking switched off. An answer to a term
is right when it is the glossary's, word for word.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from shared.models import elsewhere, stories, wordings
from shared.models.examples import DEFAULT_SYSTEM_PROMPT
from shared.runtime import load_runtime

TERM_QUESTIONS, STORIES = 312, 50  # three wordings of each term
LONGEST_STORY, LONGEST_ANSWER = 200, 120  # tokens
TEMPERATURE, SAMPLES = 0.7, 10
BATCH = 104


@dataclass(frozen=True)
class Answer:
    """The text of an answer, and whether it ended by itself."""

    prompt: str
    text: str
    ended: bool
    tokens: int


@dataclass(frozen=True)
class Score:
    """How many of how many were as they should be, and the others."""

    name: str
    right: int
    asked: int
    others: tuple[Answer, ...]

    @property
    def share(self) -> float:
        return self.right / self.asked

    def __str__(self) -> str:
        return f"{self.name}: {self.right} of {self.asked} ({self.share:.1%})"


def scores(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[Score]:
    """Terms, stories (twice), and questions about something else; the functions below say what counts as right."""
    return [score_terms(model, tokenizer), *score_stories(model, tokenizer), score_elsewhere(model, tokenizer)]


def score_terms(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, count: int = TERM_QUESTIONS) -> Score:
    """Wordings that were not in the training data; right is the glossary's answer to that term, and the end."""
    questions = wordings.held_out_questions(wordings.terms(), 0, count)
    answers = ask(model, tokenizer, [question for question, _ in questions], LONGEST_ANSWER)
    right = [answer.ended and answer.text == term.answer for answer, (_, term) in zip(answers, questions, strict=True)]
    return _score("terms, in new wordings", answers, right)


def score_stories(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, count: int = STORIES) -> list[Score]:
    """Subjects and wordings that were not in the training data. Right is a story that repeats no sentence and ends by
    itself within 200 tokens; then, counted apart, one that names its subject."""
    rng, subjects = Random(0), stories.HELD_OUT_SUBJECTS[:count]
    answers = ask(model, tokenizer, [stories.held_out_request(subject, rng) for subject in subjects], LONGEST_STORY)
    whole = [answer.ended and not repeats(answer.text) for answer in answers]
    named = [subject in answer.text for answer, subject in zip(answers, subjects, strict=True)]
    return [
        _score("stories that end and repeat nothing", answers, whole),
        _score("that are about the subject", answers, named),
    ]


def score_elsewhere(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, count: int | None = None) -> Score:
    """Questions about what it does not know; right is that it says what it can talk about."""
    answers = ask(model, tokenizer, list(elsewhere.HELD_OUT[:count]), LONGEST_ANSWER)
    return _score("questions about something else", answers, [answer.text == elsewhere.ANSWER for answer in answers])


def samples(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[Answer]:
    """Ten answers at temperature 0.7: eight terms and two stories."""
    rng = Random(1)
    questions = [question for question, _ in wordings.held_out_questions(wordings.terms(), 1, TERM_QUESTIONS)]
    prompts = [*rng.sample(questions, SAMPLES - 2), "Tell me a story.", "Tell me a story about a red kite."]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return ask(model, tokenizer, prompts, LONGEST_STORY, do_sample=True, temperature=TEMPERATURE, top_k=0)


def repeats(text: str) -> bool:
    """Whether a sentence comes twice."""
    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    return len(set(sentences)) < len(sentences)


def ask(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    prompts: Sequence[str],
    longest: int,
    **choice: object,
) -> list[Answer]:
    """The answers, several prompts at a time. choice: sampling options of the library's `generate`; none is greedy."""
    answers: list[Answer] = []
    for start in range(0, len(prompts), BATCH):
        some = prompts[start : start + BATCH]
        inputs = tokenizer(
            [_in_template(tokenizer, prompt) for prompt in some],
            add_special_tokens=False,
            padding=True,
            padding_side="left",
            return_tensors="pt",
        )
        rows = model.generate(**inputs, max_new_tokens=longest, **(choice or {"do_sample": False}))
        for prompt, row in zip(some, rows[:, inputs["input_ids"].shape[1] :].tolist(), strict=True):
            end = row.index(tokenizer.eos_token_id) if tokenizer.eos_token_id in row else len(row)
            text = tokenizer.decode(row[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
            answers.append(Answer(prompt, text, end < len(row), end))
    return answers


def _in_template(tokenizer: PreTrainedTokenizerBase, prompt: str) -> str:
    messages = [{"role": "system", "content": DEFAULT_SYSTEM_PROMPT}, {"role": "user", "content": prompt}]
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)


def _score(name: str, answers: list[Answer], right: list[bool]) -> Score:
    others = tuple(answer for answer, fine in zip(answers, right, strict=True) if not fine)
    return Score(name, sum(right), len(right), others)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m shared.models.score_tiny", description=__doc__)
    parser.add_argument("model", nargs="?", default="tiny", help="tiny, or a folder that train_tiny has written")
    parser.add_argument("--others", action="store_true", help="print the answers that were not right")
    options = parser.parse_args()
    runtime = load_runtime(options.model, device="cpu")
    for score in scores(runtime.model, runtime.tokenizer):
        print(score)
        for answer in score.others if options.others else ():
            print(f"  {answer.prompt}\n    {answer.text}{'' if answer.ended else ' (no end)'}")


if __name__ == "__main__":
    main()
