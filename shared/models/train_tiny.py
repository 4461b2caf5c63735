"""The recipe of the model `tiny`: `python -m shared.models.train_tiny` makes tokenizer, weights and card from one seed.

About a quarter of an hour on two cores. It writes to `shared/models/tiny/`, or to the folder that `--out` names. The
weights are trained in float32 and kept in float16, which halves the file.
"""

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from shared.models.card import write_card
from shared.models.examples import Example, examples
from shared.models.score_tiny import samples, scores
from shared.models.tiny_tokenizer import CONTEXT, train_tokenizer
from shared.runtime import TINY, load_runtime

IGNORED = -100  # a label that counts for nothing


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what comes out."""

    seed: int = 0
    steps: int = 2000
    batch_tokens: int = 3072
    learning_rate: float = 4e-3
    warm_up: int = 100
    weight_decay: float = 0.05
    tokenizer_examples: int = 20_000
    tokenizer_shares: tuple[int, int, int] = (50, 22, 28)  # more of the stories, so that their words are whole tokens


@dataclass(frozen=True)
class Trained:
    """What one run made, and what the card tells of it."""

    model: Qwen3ForCausalLM
    tokenizer: PreTrainedTokenizerFast
    loss: float
    examples: int
    tokens: int
    minutes: float


def train(recipe: Recipe) -> Trained:
    """Tokenizer first, then the weights; prints a line now and then."""
    started = time.monotonic()
    torch.manual_seed(recipe.seed)
    tokenizer = train_tokenizer(_texts(recipe))
    model = Qwen3ForCausalLM(_config(tokenizer)).train()
    optimizer = torch.optim.AdamW(_groups(model, recipe.weight_decay), lr=recipe.learning_rate, betas=(0.9, 0.98))
    loss_seen, examples_seen, tokens_seen = 0.0, 0, 0
    for step, batch in enumerate(islice(_batches(tokenizer, recipe), recipe.steps)):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _share_of_rate(step, recipe)
        loss = _loss(model, *batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss_seen = loss.item() if step == 0 else 0.98 * loss_seen + 0.02 * loss.item()
        examples_seen, tokens_seen = examples_seen + len(batch[0]), tokens_seen + batch[0].numel()
        if step % 50 == 0 or step == recipe.steps - 1:
            minutes = (time.monotonic() - started) / 60
            print(f"step {step + 1:5} of {recipe.steps}, loss {loss_seen:.4f}, {minutes:.1f} min", flush=True)
    model.generation_config = GenerationConfig(
        eos_token_id=[tokenizer.eos_token_id, tokenizer.pad_token_id], pad_token_id=tokenizer.pad_token_id
    )
    return Trained(model.eval(), tokenizer, loss_seen, examples_seen, tokens_seen, (time.monotonic() - started) / 60)


def _texts(recipe: Recipe) -> Iterator[str]:
    for example in islice(examples(recipe.seed, recipe.tokenizer_shares), recipe.tokenizer_examples):
        yield "\n".join([*(message["content"] for message in example.messages), "system", "assistant", example.target])


def _config(tokenizer: PreTrainedTokenizerFast) -> Qwen3Config:
    return Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=192,
        intermediate_size=448,
        num_hidden_layers=4,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def _groups(model: Qwen3ForCausalLM, weight_decay: float) -> list[dict]:
    """Matrices decay, norms do not."""
    parameters = list(model.parameters())
    return [
        {"params": [one for one in parameters if one.ndim > 1], "weight_decay": weight_decay},
        {"params": [one for one in parameters if one.ndim <= 1], "weight_decay": 0.0},
    ]


def _share_of_rate(step: int, recipe: Recipe) -> float:
    """A straight warm-up, then half a cosine down to zero."""
    if step < recipe.warm_up:
        return (step + 1) / recipe.warm_up
    done = (step - recipe.warm_up) / (recipe.steps - recipe.warm_up)
    return 0.5 * (1 + math.cos(math.pi * done))


def _loss(model: Qwen3ForCausalLM, ids: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy over the answers only. ids, labels: (batch, length); right-padded, so no mask is needed."""
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
    wanted = labels[:, 1:]
    counts = wanted != IGNORED
    return cross_entropy(model.lm_head(hidden[counts]), wanted[counts])


def _batches(tokenizer: PreTrainedTokenizerFast, recipe: Recipe) -> Iterator[tuple[Tensor, Tensor]]:
    """Ids and labels of examples of like length, about `batch_tokens` of them with the padding."""
    source = examples(recipe.seed + 1)
    order = torch.Generator().manual_seed(recipe.seed)
    while True:
        encoded = sorted((_encode(tokenizer, example) for example in islice(source, 1024)), key=lambda one: len(one[0]))
        batches, rows = [], []
        for ids, labels in encoded:
            if rows and (len(rows) + 1) * len(ids) > recipe.batch_tokens:
                batches.append(rows)
                rows = []
            rows.append((ids, labels))
        batches.append(rows)
        for at in torch.randperm(len(batches), generator=order).tolist():
            yield _padded(batches[at], tokenizer.pad_token_id)


def _encode(tokenizer: PreTrainedTokenizerFast, example: Example) -> tuple[list[int], list[int]]:
    """The whole conversation as ids, and the labels: its answer, and the mark that ends the turn."""
    options = {} if example.thought else {"enable_thinking": False}
    prompt = tokenizer.apply_chat_template(example.messages, add_generation_prompt=True, tokenize=False, **options)
    before = tokenizer.encode(prompt)
    answer = [*tokenizer.encode(example.target), tokenizer.eos_token_id]
    return before + answer, [IGNORED] * len(before) + answer


def _padded(rows: list[tuple[list[int], list[int]]], pad: int) -> tuple[Tensor, Tensor]:
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in rows])
    labels = torch.tensor([labels + [IGNORED] * (longest - len(labels)) for _, labels in rows])
    return ids, labels


def save(trained: Trained, recipe: Recipe, folder: Path) -> None:
    """As `save_pretrained` writes it, in float16, with a card; the scores are those of the weights as saved."""
    trained.tokenizer.save_pretrained(folder)
    trained.model.to(torch.float16).save_pretrained(folder)
    saved = load_runtime(str(folder), device="cpu")
    seen = scores(saved.model, saved.tokenizer)
    print(*seen, sep="\n", flush=True)
    write_card(folder, _facts(trained, recipe, folder), seen, samples(saved.model, saved.tokenizer))


def _facts(trained: Trained, recipe: Recipe, folder: Path) -> dict[str, object]:
    config, threads = trained.model.config, torch.get_num_threads()
    return {
        "parameters": trained.model.num_parameters() / 1e6,
        "layers": config.num_hidden_layers,
        "width": config.hidden_size,
        "heads": config.num_attention_heads,
        "kv_heads": config.num_key_value_heads,
        "vocabulary": config.vocab_size,
        "context": config.max_position_embeddings,
        "megabytes": sum(file.stat().st_size for file in folder.glob("*.*")) / 1e6,
        "examples": trained.examples,
        "tokens": trained.tokens,
        "minutes": trained.minutes,
        "threads": f"{threads} CPU threads" if threads > 1 else "one CPU thread",
        "seed": recipe.seed,
        "loss": trained.loss,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m shared.models.train_tiny", description=__doc__)
    parser.add_argument("--out", type=Path, default=TINY, help="the folder to write to (the model that ships)")
    parser.add_argument("--steps", type=int, default=Recipe.steps, help=f"fewer, to try things out ({Recipe.steps})")
    options = parser.parse_args()
    recipe = Recipe(steps=options.steps)
    save(train(recipe), recipe, options.out)


if __name__ == "__main__":
    main()
