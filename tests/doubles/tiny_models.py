"""Real models, tiny and random: Qwen3, Llama and GPT-2 from a config and a seed, float32, in `eval()`.

Their weights are large, so that greedy output is varied and hangs on every token and position. The vocabulary is wider
than any tokenizer's of the checks. The generation config carries sampling defaults that no solution may honour.
transformers is imported inside the functions: a check that needs only doubles never pays for it.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from tests.doubles import known

if TYPE_CHECKING:
    from transformers import PreTrainedModel

VOCABULARY = 320
CONTEXT = 1024


def tiny_qwen3(seed: int = 0, **config: Any) -> "PreTrainedModel":
    """Two layers, four heads on two KV heads. `config` overrides or adds to the config's fields.

    It is made on PyTorch's default device of the moment: a larger one is made quickest where it is to run.
    """
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return _build(Qwen3ForCausalLM, Qwen3Config, seed, _rotary(head_dim=16) | config)


def tiny_llama(seed: int = 0, **config: Any) -> "PreTrainedModel":
    """As `tiny_qwen3`, without the norms on queries and keys."""
    from transformers import LlamaConfig, LlamaForCausalLM

    return _build(LlamaForCausalLM, LlamaConfig, seed, _rotary() | config)


def tiny_gpt2(seed: int = 0, **config: Any) -> "PreTrainedModel":
    """Learned positions: a padded prompt is right only with `position_ids` that skip the padding."""
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_positions": CONTEXT, "n_embd": 64, "n_layer": 2, "n_head": 4}
    return _build(GPT2LMHeadModel, GPT2Config, seed, sizes | {"tie_word_embeddings": False} | config)


def _rotary(**config: Any) -> dict[str, Any]:
    """The sizes of the models with rotary positions."""
    return {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "tie_word_embeddings": False,
    } | config


def _build(model_class: type, config_class: type, seed: int, fields: Mapping[str, Any]) -> "PreTrainedModel":
    """The model of that seed."""
    key = (model_class.__name__, seed, repr(sorted(fields.items())))
    return known.model(key, lambda: _make(model_class, config_class, seed, fields))


def _make(model_class: type, config_class: type, seed: int, fields: Mapping[str, Any]) -> "PreTrainedModel":
    """The global RNG stays as it was."""
    from transformers import GenerationConfig

    tokens = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    config = config_class(**{"vocab_size": VOCABULARY, "initializer_range": 0.3} | tokens | fields)
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else []  # not opened just for this
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        model = model_class(config).float()
    model.generation_config = GenerationConfig(
        eos_token_id=config.eos_token_id, do_sample=True, temperature=0.6, top_k=20, top_p=0.95, repetition_penalty=1.3
    )
    return model.eval()


def library_greedy(
    model: "PreTrainedModel", inputs: Mapping[str, Tensor], new_tokens: int, stop_ids: Collection[int] = ()
) -> list[int]:
    """What the library's own `generate` makes of the inputs, greedy: the oracle of the checks.

    The model's generation config is set aside for this call: what a call leaves open, the library takes from there.
    """
    given = tuple((name, tuple(map(tuple, tensor.tolist()))) for name, tensor in sorted(inputs.items()))
    question = (given, new_tokens, frozenset(stop_ids))
    return known.answer(model, question, lambda: _ask_the_library(model, inputs, new_tokens, stop_ids))


def _ask_the_library(
    model: "PreTrainedModel", inputs: Mapping[str, Tensor], new_tokens: int, stop_ids: Collection[int]
) -> list[int]:
    from transformers import GenerationConfig

    own, model.generation_config = model.generation_config, GenerationConfig()
    try:
        plain = GenerationConfig(
            do_sample=False, max_new_tokens=new_tokens, eos_token_id=sorted(stop_ids) or None, pad_token_id=0
        )
        sequence = model.generate(**inputs, generation_config=plain)
    finally:
        model.generation_config = own
    return sequence[0, inputs["input_ids"].shape[1] :].tolist()
