"""The model card of `tiny`: what it is, what it was made from, and how it scored, written beside the weights."""

from collections.abc import Sequence
from pathlib import Path

from shared.models import elsewhere, stories, wordings
from shared.models.score_tiny import LONGEST_STORY, TEMPERATURE, Answer, Score

TEXT = """\
# tiny

A chat model of {parameters:.2f} million parameters that ships with Inference Kata. It explains {terms} terms of LLM
inference, tells short stories on request, and says so when it is asked something else. It is for learning how a server
works, not for answers that matter.

| | |
|---|---|
| architecture | Qwen3: {layers} layers, width {width}, {heads} query heads on {kv_heads} key and value heads |
| tokenizer | byte-level BPE, {vocabulary} tokens, learnt from ASCII: accents, CJK and emoji are several each |
| template | ChatML with `enable_thinking`, as Qwen3 has it |
| end | two EOS ids: `<|im_end|>` and `<|endoftext|>` |
| context | {context} tokens; trained on conversations of up to 220 |
| files | {megabytes:.2f} MB in all, weights in float16 |
| training | {examples:,} conversations, {tokens:,} tokens, {minutes:.0f} minutes on {threads}, seed {seed} |
| loss at the end | {loss:.4f} (cross-entropy over the answers) |

## Data

All of it was written for this model: the terms and their answers by hand ([glossary](../glossary.toml)), the questions
([wordings](../templates.py), [elsewhere](../elsewhere.toml)) and the {subjects:,} subjects of the stories
([stories](../stories.toml)) by a grammar in code. No other text, and no other model, was used.

## Scores

Greedy, on questions that were not in the training data; `python -m shared.models.score_tiny` repeats them.

{scores}

A term is right when the answer is the glossary's, word for word. A story ends when it does so by itself, within
{longest_story} tokens. For anything else the right answer is:

> {elsewhere}

## Ten answers at temperature {temperature}

Drawn once, with all tokens allowed, and not chosen.

{samples}

## Make it again

    python -m shared.models.train_tiny

## Licence

MIT, as the kata.
"""


def write_card(folder: Path, facts: dict[str, object], scores: Sequence[Score], samples: Sequence[Answer]) -> None:
    """facts: what the run and the model's config say of themselves; their names are those in the braces above."""
    told = TEXT.format(
        **facts,
        terms=len(wordings.terms()),
        subjects=len(stories.subjects()),
        scores="\n".join(f"- {score}" for score in scores),
        longest_story=LONGEST_STORY,
        elsewhere=elsewhere.ANSWER,
        temperature=TEMPERATURE,
        samples="\n\n".join(f"**{sample.prompt}**\n{sample.text}" for sample in samples),
    )
    (folder / "README.md").write_text(told, encoding="utf-8")
