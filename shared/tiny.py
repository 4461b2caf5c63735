"""The model `tiny` as long as no trained weights ship: a seeded random Qwen3 and its tokenizer, built in code.

No files, no network. It speaks nonsense, but it goes through every motion of a real chat model: byte-level BPE,
a ChatML template with `enable_thinking`, two EOS ids, a KV cache, grouped-query attention.
"""

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

CONTEXT = 4096
PAD, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
THINK_MARKS = ("<think>", "</think>")  # added, but not special: they stay in decoded text, as in Qwen3

# Frequent English words: each becomes one token, with a space before it, by way of its prefixes.
WORDS = (
    "the of and to in is that it for was on are with as at be this have from or by not but what all were when we "
    "there can an your which their said if do will each about how up out them then many some so these would other "
    "into has more her two like him see time could no make than first been its who now people my made over did "
    "down only way find use may water long little very after words called just where most know assistant system "
    "user model token cache prompt answer question hello capital helpful"
)

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)


def build_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE: any text goes in and comes out unchanged; the words above are one token each."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = _merges(WORDS.split())
    vocab = {token: index for index, token in enumerate(alphabet + [left + right for left, right in merges])}
    core = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in (PAD, TURN_START, TURN_END)])
    core.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in THINK_MARKS])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=TURN_END,
        pad_token=PAD,
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
        model_max_length=CONTEXT,
    )


def build_model(tokenizer: PreTrainedTokenizerFast, seed: int = 0) -> Qwen3ForCausalLM:
    """A random Qwen3 in float32 on the CPU, in `eval()`; one seed, one model. The global RNG stays as it was."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=False,
        initializer_range=0.2,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        model.lm_head.weight[_unprintable(tokenizer)] = 0.0  # never the best token: its nonsense is made of letters
    model.generation_config = GenerationConfig(
        eos_token_id=[tokenizer.eos_token_id, tokenizer.pad_token_id], pad_token_id=tokenizer.pad_token_id
    )
    return model.eval()


def _unprintable(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Ids of the lone bytes that show nothing or are part of a longer character."""
    vocab = tokenizer.get_vocab()
    return [vocab[byte] for byte in pre_tokenizers.ByteLevel.alphabet() if not "!" <= byte <= "~"]


def _merges(words: list[str]) -> list[tuple[str, str]]:
    """The merges that build each word from left to right, after a space, each pair once and in a fixed order."""
    steps = {}
    for word in words:
        spaced = "Ġ" + word  # how byte-level BPE writes a space
        steps.update({(spaced[:end], spaced[end]): None for end in range(1, len(spaced))})
    return list(steps)
