"""A tokenizer that starts at once: byte-level BPE without merges and a Qwen-style chat template, no transformers.

The common calls are answered here, on the same `tokenizers` backend that the library uses; every other attribute is
looked up on the library's own `PreTrainedTokenizerFast`, built at that moment from the same backend.
"""

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

IM_START, IM_END, END_OF_TEXT, THINK, END_THINK = 256, 257, 258, 259, 260
SPECIAL_TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
THINK_TOKENS = ("<think>", "</think>")
CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)


def bytes_to_characters() -> dict[int, str]:
    """The printable character that stands for each byte in byte-level BPE (GPT-2's table)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}


def byte_level_backend(merges: Sequence[tuple[str, str]] = ()) -> Tokenizer:
    """Byte b is token b; then three special tokens, two think tags (added, not special), then the merges' results.

    Merges are written in byte characters (`bytes_to_characters`).
    """
    vocab = {character: byte for byte, character in bytes_to_characters().items()}
    for token in (*SPECIAL_TOKENS, *THINK_TOKENS, *(left + right for left, right in merges)):
        vocab.setdefault(token, len(vocab))
    backend = Tokenizer(models.BPE(vocab=vocab, merges=list(merges)))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
    backend.add_tokens([AddedToken(token, normalized=False) for token in THINK_TOKENS])
    return backend


class Encoding(dict):
    """What calling a tokenizer returns: a mapping whose values are also attributes, and which can move to a device."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def to(self, device: Any, **_: Any) -> "Encoding":
        for name, value in self.items():
            self[name] = value.to(device)
        return self


class FastTokenizer:
    """Byte-level: `encode("A")` is `[65]`. Ids 256 to 260 are `<|im_start|> <|im_end|> <|endoftext|> <think> </think>`.

    `ids_decoded` counts the ids of all decodes, so that a check can tell linear work from quadratic.
    """

    chat_template = CHAT_TEMPLATE
    eos_token, eos_token_id = "<|im_end|>", IM_END
    pad_token, pad_token_id = "<|endoftext|>", END_OF_TEXT
    bos_token = bos_token_id = unk_token = unk_token_id = None
    all_special_tokens, all_special_ids = list(SPECIAL_TOKENS), [IM_START, IM_END, END_OF_TEXT]
    padding_side, clean_up_tokenization_spaces, is_fast = "right", False, True

    def __init__(self) -> None:
        self.backend_tokenizer = self._tokenizer = byte_level_backend()
        self.ids_decoded = 0

    def render(self, user: str, system: str = "You are a helpful assistant.") -> str:
        """What the chat template makes of one system and one user message, thinking off."""
        return (
            f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n"
            "<|im_start|>assistant\n<think>\n\n</think>\n\n"
        )

    @property
    def header(self) -> list[int]:
        """The ids that open the assistant's turn, thinking off."""
        return self._ids("<|im_start|>assistant\n<think>\n\n</think>\n\n")

    def prompt_ids(self, user: str) -> list[int]:
        """The ids of a right prompt: the oracle of the checks."""
        return self._ids(self.render(user))

    def apply_chat_template(self, conversation: Sequence[dict[str, str]], **options: Any) -> Any:
        known = {"add_generation_prompt", "enable_thinking", "tokenize", "return_tensors", "return_dict"}
        if not set(options) <= known or not isinstance(conversation[0], dict):
            return self._real.apply_chat_template(conversation, **options)
        text = "".join(f"<|im_start|>{turn['role']}\n{turn['content']}<|im_end|>\n" for turn in conversation)
        if options.get("add_generation_prompt"):
            text += "<|im_start|>assistant\n" + ("<think>\n\n</think>\n\n" * (options.get("enable_thinking") is False))
        if not options.get("tokenize", True):
            return text
        encoding = self(text, add_special_tokens=False, return_tensors=options.get("return_tensors"))
        return encoding if options.get("return_dict", True) else encoding["input_ids"]

    def __call__(self, text: str, **options: Any) -> Any:
        tensors = options.get("return_tensors")
        if not isinstance(text, str) or not set(options) <= {"add_special_tokens", "return_tensors"}:
            return self._real(text, **options)
        ids = self._ids(text)
        if tensors is None:
            return Encoding(input_ids=ids, attention_mask=[1] * len(ids))
        if tensors != "pt":
            return self._real(text, **options)
        rows = torch.tensor([ids], device="cpu")
        return Encoding(input_ids=rows, attention_mask=torch.ones_like(rows))

    def encode(self, text: str, **options: Any) -> Any:
        return self._real.encode(text, **options) if options.keys() - {"add_special_tokens"} else self._ids(text)

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        ids = token_ids.tolist() if isinstance(token_ids, Tensor) else token_ids
        ids = [ids] if isinstance(ids, int) else list(ids)
        if ids and isinstance(ids[0], list | tuple):
            return [self.decode(row, skip_special_tokens, **options) for row in ids]
        self.ids_decoded += len(ids)
        return self.backend_tokenizer.decode([int(id_) for id_ in ids], skip_special_tokens=skip_special_tokens)

    def batch_decode(self, sequences: Any, skip_special_tokens: bool = False, **options: Any) -> list[str]:
        return [self.decode(row, skip_special_tokens, **options) for row in sequences]

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        return self.backend_tokenizer.get_added_tokens_decoder()

    def __len__(self) -> int:
        return self.backend_tokenizer.get_vocab_size(with_added_tokens=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._real, name)

    def _ids(self, text: str) -> list[int]:
        return self.backend_tokenizer.encode(text, add_special_tokens=False).ids

    @property
    def _real(self) -> Any:
        if "_library" not in self.__dict__:
            self.__dict__["_library"] = as_library_tokenizer(self.backend_tokenizer, self.chat_template)
        return self.__dict__["_library"]


def as_library_tokenizer(backend: Tokenizer, chat_template: str | None = CHAT_TEMPLATE, **options: Any) -> Any:
    """The library's tokenizer on a backend, with the ChatML tokens as EOS and pad unless told otherwise."""
    from transformers import PreTrainedTokenizerFast

    settings = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "clean_up_tokenization_spaces": False}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **(settings | options))
    tokenizer.chat_template = chat_template
    return tokenizer
