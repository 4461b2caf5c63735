"""The tokenizer of the model `tiny`: byte-level BPE trained on its own text, and a ChatML template as Qwen3 has it."""

from collections.abc import Iterable

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

VOCABULARY = 1536
CONTEXT = 4096
PAD, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
THINK_MARKS = ("<think>", "</think>")  # added, but not special: they stay in decoded text, as in Qwen3

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)


def train_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Any text goes in and comes out unchanged; frequent words of `texts` are one token each.

    Merges are learnt from ASCII alone, so accents, CJK and emoji are always several tokens: a stream has to wait for
    their last byte.
    """
    marks = [AddedToken(mark, special=True, normalized=False) for mark in (PAD, TURN_START, TURN_END)]
    thoughts = [AddedToken(mark, special=False, normalized=False) for mark in THINK_MARKS]
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(marks) - len(thoughts),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator((_ascii(text) for text in texts), trainer)
    core.add_special_tokens(marks)
    core.add_tokens(thoughts)
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=TURN_END,
        pad_token=PAD,
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
        model_max_length=CONTEXT,
    )


def _ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()
