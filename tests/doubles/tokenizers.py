"""The library's own tokenizers, built in code: no files, no network. Each function builds one, with a chat template.

transformers is imported when one is built, so a file of checks may import this module and still start at once.
"""

from collections.abc import Callable
from typing import Any

from tokenizers import Tokenizer

from tests.doubles.backends import (
    BOS_TOKEN,
    SENTENCE_END,
    bos_backend,
    byte_level_backend,
    metaspace_backend,
    straddling_backend,
    word_level_backend,
    zero_eos_backend,
)

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)
NO_SYSTEM_ROLE = "{%- if messages[0].role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}"


def library_tokenizer(backend: Tokenizer, chat_template: str | None = CHAT_TEMPLATE, **options: Any) -> Any:
    """The library's tokenizer on a backend: EOS, pad and special tokens of ChatML unless told otherwise."""
    from transformers import PreTrainedTokenizerFast

    settings = {
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "extra_special_tokens": ["<|im_start|>"],
        "clean_up_tokenization_spaces": False,
    }
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **(settings | options))
    tokenizer.chat_template = chat_template
    return tokenizer


def byte_level() -> Any:
    """Qwen-style: byte-level BPE without merges, ChatML that understands `enable_thinking`. Token 0 is byte 0."""
    return library_tokenizer(byte_level_backend())


def byte_level_with_merges() -> Any:
    """As `byte_level`, with merges that straddle characters."""
    return library_tokenizer(straddling_backend())


def zero_eos() -> Any:
    """As `byte_level`, but the EOS is id 0, which `if eos:` takes for none."""
    return library_tokenizer(zero_eos_backend())


def writes_bos() -> Any:
    """The template writes `<s>` itself, and encoding its text again would add another one, and `</s>`."""
    return library_tokenizer(
        bos_backend(), chat_template="{{- bos_token }}" + CHAT_TEMPLATE, bos_token=BOS_TOKEN, eos_token=SENTENCE_END
    )


def refuses_system() -> Any:
    """The template raises on a system message, as Gemma's did."""
    return library_tokenizer(byte_level_backend(), chat_template=NO_SYSTEM_ROLE + CHAT_TEMPLATE)


def without_template() -> Any:
    """No chat template at all, as a base model's tokenizer."""
    return library_tokenizer(byte_level_backend(), chat_template=None)


def metaspace() -> Any:
    """Llama-style `▁` for spaces, `<unk>` for what the vocabulary lacks."""
    return library_tokenizer(metaspace_backend(), unk_token="<unk>")


def metaspace_with_byte_fallback() -> Any:
    """Llama-style `▁` for spaces, byte tokens for what the vocabulary lacks."""
    return library_tokenizer(metaspace_backend(byte_fallback=True), unk_token="<unk>")


def word_level() -> Any:
    """One token a word, and its own clean-up of spaces switched on: `the mat .` unless told not to, `the mat.`"""
    return library_tokenizer(word_level_backend(), unk_token="[UNK]", clean_up_tokenization_spaces=True)


BUILDERS: tuple[Callable[[], Any], ...] = (
    byte_level,
    byte_level_with_merges,
    zero_eos,
    writes_bos,
    refuses_system,
    without_template,
    metaspace,
    metaspace_with_byte_fallback,
    word_level,
)
