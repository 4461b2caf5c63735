"""A tokenizer that starts at once: the library's, as far as a solution asks the common things, without transformers.

The common calls are answered here, on the same `tokenizers` backend that the library uses; every other call and
attribute is passed on to the library's own tokenizer, built at that moment on that backend. `test_doubles.py` proves
that both say the same.
"""

from collections import UserDict
from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer
from tokenizers import Encoding as TextEncoding
from torch import Tensor

from tests.doubles.asides import A_BATCH_ENCODING, OfATokenizer, passing_for
from tests.doubles.backends import SPECIAL_TOKENS, byte_level_backend
from tests.doubles.tokenizers import CHAT_TEMPLATE, library_tokenizer

IM_START, IM_END, END_OF_TEXT, THINK, END_THINK, HIDDEN = 256, 257, 258, 259, 260, 261  # of the byte-level backend
NOTES = {"_built", "last_options", "last_conversation", "ids_decoded"}  # what the double writes down of its calls
ANSWERED_HERE = {"add_generation_prompt", "enable_thinking", "tokenize", "return_tensors", "return_dict"}


class Encoding(UserDict):
    """What calling a tokenizer returns: a `BatchEncoding`, whose storage it has, by the same names.

    Changed in place as there; what is not answered here, a `BatchEncoding` on the same storage answers.
    """

    __class__ = passing_for(A_BATCH_ENCODING)

    def __init__(self, data: Any = None, encoding: TextEncoding | None = None, **tensors: Any) -> None:
        super().__init__(data, **tensors)
        self._encodings = None if encoding is None else [encoding]
        self._n_sequences = None if encoding is None else 1

    def __getitem__(self, key: Any) -> Any:
        return self.data[key] if isinstance(key, str) else self._library[key]

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name.startswith("__"):
            raise AttributeError(name)
        return self.data[name] if name in self.data else getattr(self._library, name)

    def to(self, device: Any, *, non_blocking: bool = False) -> "Encoding":
        if isinstance(device, str | torch.device | int):
            self.data = {
                name: value.to(device, non_blocking=non_blocking) if hasattr(value, "to") else value
                for name, value in self.data.items()
            }
        else:
            self._library.to(device)  # warns, and moves nothing
        return self

    def convert_to_tensors(self, tensor_type: Any = None, prepend_batch_axis: bool = False) -> "Encoding":
        self._library.convert_to_tensors(tensor_type, prepend_batch_axis)
        return self

    @property
    def _library(self) -> Any:
        from transformers import BatchEncoding

        same = BatchEncoding(encoding=self._encodings, n_sequences=self._n_sequences)
        same.data = self.data
        return same


class FastTokenizer(OfATokenizer):
    """Byte-level unless told otherwise: `encode("A")` is `[65]`, the ids above name what follows.

    `backend` is any of `backends.py` whose special tokens are ChatML's. `clean_up` is the tokenizer's own opinion on
    spaces, followed where a call has none. `ids_decoded` counts the ids of all decodes: linear work or quadratic?
    """

    chat_template = CHAT_TEMPLATE
    eos_token, pad_token, bos_token = "<|im_end|>", "<|endoftext|>", None
    bos_token_id = None
    padding_side, is_fast = "right", True
    model_max_length = 10**30  # the library's word for: no limit is known

    def __init__(self, backend: Tokenizer | None = None, *, clean_up: bool = False) -> None:
        self.backend_tokenizer = self._tokenizer = backend or byte_level_backend()
        self.clean_up_tokenization_spaces = clean_up
        self.unk_token = next((token for token in ("<unk>", "[UNK]") if self.id_of(token) is not None), None)
        self.unk_token_id = None if self.unk_token is None else self.id_of(self.unk_token)
        self.eos_token_id, self.pad_token_id = self.id_of(self.eos_token), self.id_of(self.pad_token)
        named = (self.eos_token, self.unk_token, self.pad_token, SPECIAL_TOKENS[0])
        self.all_special_tokens = [token for token in named if token is not None]
        self.all_special_ids = [self.id_of(token) for token in self.all_special_tokens]
        self.ids_decoded = 0
        self.last_options: dict[str, Any] = {}  # of the chat template
        self.last_conversation: Sequence[dict[str, str]] = []

    def id_of(self, token: str) -> int | None:
        return self.backend_tokenizer.token_to_id(token)

    def ids(self, text: str) -> list[int]:
        """The ids of a text, nothing added."""
        return self.backend_tokenizer.encode(text, add_special_tokens=False).ids

    def text(self, ids: Sequence[int]) -> str:
        """The text of a completion as the contract wants it, not counted: the oracle of the checks."""
        return self.backend_tokenizer.decode(list(ids), skip_special_tokens=True)

    def render(self, user: str, system: str = "You are a helpful assistant.") -> str:
        """What the chat template makes of one system and one user message, thinking off."""
        return (
            f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n"
            "<|im_start|>assistant\n<think>\n\n</think>\n\n"
        )

    @property
    def header(self) -> list[int]:
        """The ids that open the assistant's turn, thinking off."""
        return self.ids("<|im_start|>assistant\n<think>\n\n</think>\n\n")

    def prompt_ids(self, user: str) -> list[int]:
        """The ids of a right prompt: the oracle of the checks."""
        return self.ids(self.render(user))

    def apply_chat_template(self, conversation: Sequence[dict[str, str]], *others: Any, **options: Any) -> Any:
        self.last_options, self.last_conversation = options, conversation
        known = set(options) <= ANSWERED_HERE and not any(other is not None for other in others)
        if not known or not conversation or not all(map(_is_plain_turn, conversation)):
            return self._library.apply_chat_template(conversation, *others, **options)
        text = "".join(f"<|im_start|>{turn['role']}\n{turn['content']}<|im_end|>\n" for turn in conversation)
        if options.get("add_generation_prompt"):
            text += "<|im_start|>assistant\n" + ("<think>\n\n</think>\n\n" * (options.get("enable_thinking") is False))
        if not options.get("tokenize", True):
            return text
        encoding = self(text, add_special_tokens=False, return_tensors=options.get("return_tensors"))
        return encoding if options.get("return_dict", True) else encoding["input_ids"]

    def __call__(self, text: str, *others: Any, **options: Any) -> Any:
        tensors = options.get("return_tensors")
        known = set(options) <= {"add_special_tokens", "return_tensors"} and tensors in (None, "pt") and not others
        if not isinstance(text, str) or not known:
            return self._library(text, *others, **options)
        encoded = self.backend_tokenizer.encode(text, add_special_tokens=options.get("add_special_tokens", True))
        if tensors is None:
            return Encoding(encoding=encoded, input_ids=encoded.ids, attention_mask=[1] * len(encoded.ids))
        rows = torch.tensor([encoded.ids], dtype=torch.int64, device="cpu")
        return Encoding(encoding=encoded, input_ids=rows, attention_mask=torch.ones_like(rows))

    def encode(self, text: str, **options: Any) -> Any:
        if set(options) - {"add_special_tokens"}:
            return self._library.encode(text, **options)
        return self.backend_tokenizer.encode(text, **options).ids

    def decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> Any:
        ids = _plain(token_ids)
        ids = [ids] if isinstance(ids, int) else ids
        if ids and isinstance(ids[0], list):
            return [self.decode(row, skip_special_tokens, clean_up_tokenization_spaces, **options) for row in ids]
        self.ids_decoded += len(ids)
        cleaned = clean_up_tokenization_spaces
        if self.clean_up_tokenization_spaces if cleaned is None else cleaned:
            return self._library.decode(ids, skip_special_tokens, clean_up_tokenization_spaces=cleaned, **options)
        return self.backend_tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def batch_decode(self, sequences: Any, skip_special_tokens: bool = False, **options: Any) -> list[str]:
        return [self.decode(row, skip_special_tokens, **options) for row in sequences]

    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]:
        return self.backend_tokenizer.get_added_tokens_decoder()

    def __len__(self) -> int:
        return self.backend_tokenizer.get_vocab_size(with_added_tokens=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("backend_tokenizer", "_built"):
            raise AttributeError(name)
        return getattr(self._library, name)

    @property
    def _library(self) -> Any:
        if "_built" not in self.__dict__:
            self._built = library_tokenizer(
                self.backend_tokenizer,
                self.chat_template,
                unk_token=self.unk_token,
                clean_up_tokenization_spaces=self.clean_up_tokenization_spaces,
                model_max_length=self.model_max_length,
            )
        return self._built


def _is_plain_turn(turn: object) -> bool:
    return isinstance(turn, dict) and all(isinstance(turn.get(key), str) for key in ("role", "content"))


def _plain(ids: Any) -> Any:
    """Tensors, arrays and tuples as ints and lists, as the library turns them."""
    if isinstance(ids, Tensor) or hasattr(ids, "tolist"):
        return ids.tolist()
    if type(ids) is list and set(map(type, ids)) == {int}:  # as they mostly come
        return ids
    return [_plain(value) for value in ids] if isinstance(ids, list | tuple) else ids
