"""The tokenizers under every double: built in code on the `tokenizers` package, without transformers.

All but WordLevel write the same ChatML tokens, so one template serves them. What each is there for stands beside it.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

SPECIAL_TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
THINK_TOKENS = ("<think>", "</think>")  # added, not special: decoding shows them
HIDDEN_TOKEN = "<|hidden|>"  # special, yet in nobody's `all_special_ids`: only the backend knows
BOS_TOKEN, SENTENCE_END = "<s>", "</s>"
MODEL_WORDS = ("the", "cat", "sat", "on", "mat", "system", "user", "assistant", "You", "are", "a", "helpful")
PUNCTUATION = (".", ",", "?", "!", "'", "'s", "n't", "do")
RULER = "=" * 64
STRADDLING = (  # pairs of bytes, the second half of one character with the first of the next among them
    (b"\xa0", b"\xe5"),  # the end of 你, the start of 好
    (b"\x82", b"\xf0"),  # the end of 🙂, the start of another emoji
    (b"\x99", b"\x82\xf0"),
    (b"\xa9", b" "),  # the end of é, a space
    (b" ", b"\xc3"),  # a space, the start of é
    (b"\xf0", b"\x9f"),
    (b"t", b"h"),
    (b"th", b"e"),
    (b" ", b"the"),
)
MERGING = (  # pairs of bytes that make tokens of several whole characters
    (b"t", b"h"),
    (b"th", b"e"),
    (b" ", b"the"),
    (b"\r", b"\n"),
    (b"\xcc", b"\x81"),
    (b"e", b"\xcc\x81"),
    (b"\n", b"\n"),
    (b"\n\n", b"\n"),
    *((b"=" * half, b"=" * half) for half in (1, 2, 4, 8, 16, 32)),  # up to a ruler in one token
)


@cache
def bytes_to_characters() -> Mapping[int, str]:
    """The printable character that stands for each byte in byte-level BPE (GPT-2's table)."""
    printable = dict.fromkeys([*range(33, 127), *range(161, 173), *range(174, 256)])
    others = [byte for byte in range(256) if byte not in printable]
    table = {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    return MappingProxyType(table)


def byte_level_backend(merges: Sequence[tuple[str, str]] = ()) -> Tokenizer:
    """Byte b is token b; then 256 to 258 special, 259 and 260 think tags, 261 the hidden one, then the merges' results.

    Merges are written in byte characters (`bytes_to_characters`).
    """
    vocab = {character: byte for byte, character in bytes_to_characters().items()}
    for token in (*SPECIAL_TOKENS, *THINK_TOKENS, HIDDEN_TOKEN, *(left + right for left, right in merges)):
        vocab.setdefault(token, len(vocab))
    return _byte_level(vocab, merges)


def straddling_backend() -> Tokenizer:
    """Byte-level with merges that cross the borders of characters: a token may end one and begin the next."""
    table = bytes_to_characters()
    return byte_level_backend([tuple("".join(table[byte] for byte in half) for half in pair) for pair in STRADDLING])


def merging_backend() -> Tokenizer:
    """Byte-level with tokens of several characters: ` the`, line ends, an `e` with its accent, a ruler."""
    table = bytes_to_characters()
    return byte_level_backend([tuple("".join(table[byte] for byte in half) for half in pair) for pair in MERGING])


def tool_backend() -> Tokenizer:
    """Byte-level with `<|tool|>`: added and not special, as some models have it."""
    backend = byte_level_backend()
    backend.add_tokens([AddedToken("<|tool|>", special=False, normalized=False)])
    return backend


def zero_eos_backend() -> Tokenizer:
    """Byte-level, special tokens first: `<|im_end|>` is id 0, byte b is id b + 6."""
    tokens = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", *THINK_TOKENS, HIDDEN_TOKEN)
    vocab = {token: at for at, token in enumerate([*tokens, *bytes_to_characters().values()])}
    return _byte_level(vocab, ())


def bos_backend() -> Tokenizer:
    """Byte-level, and encoding text adds `<s>` before and `</s>` after it unless told not to."""
    backend = byte_level_backend()
    backend.add_special_tokens([AddedToken(token, special=True) for token in (BOS_TOKEN, SENTENCE_END)])
    ids = [(token, backend.token_to_id(token)) for token in (BOS_TOKEN, SENTENCE_END)]
    backend.post_processor = processors.TemplateProcessing(
        single=f"{BOS_TOKEN} $A {SENTENCE_END}", pair=f"{BOS_TOKEN} $A $B {SENTENCE_END}", special_tokens=ids
    )
    return backend


def metaspace_backend(byte_fallback: bool = False) -> Tokenizer:
    """Words carry their space in front as `▁`, and decoding drops the first one, as Llama 2 and Mistral do.

    With byte fallback what the vocabulary lacks is spelled in byte tokens (`<0xF0>`), without it is `<unk>`.
    Decoding a run of byte tokens that is no whole UTF-8 gives one U+FFFD for each of them, also for the good ones.
    """
    vocab = {token: at for at, token in enumerate(("<unk>", BOS_TOKEN, SENTENCE_END))}
    for token in [f"<0x{byte:02X}>" for byte in range(256)] if byte_fallback else []:
        vocab[token] = len(vocab)
    for character in ["▁", "\n", *map(chr, range(33, 127)), *"é你好"]:
        vocab.setdefault(character, len(vocab))
    merges = _spelled_out([f"▁{word}" for word in MODEL_WORDS] + ["▁▁"])
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    backend = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", byte_fallback=byte_fallback))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    backend.decoder = decoders.Metaspace(prepend_scheme="first")
    if byte_fallback:
        backend.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
    backend.add_special_tokens([AddedToken(token, special=True) for token in ("<unk>", BOS_TOKEN, SENTENCE_END)])
    return _with_chat_tokens(backend)


def doubtful_backend() -> Tokenizer:
    """Metaspace with a token for a space and U+FFFD: a genuine one, which leans on what comes before it."""
    backend = metaspace_backend()
    backend.add_tokens([AddedToken("▁\ufffd", special=False, normalized=False)])
    return backend


def word_level_backend() -> Tokenizer:
    """One token a word, decoded with a space before each: what the library's clean-up of spaces was made for."""
    vocab = {token: at for at, token in enumerate(("[UNK]", *MODEL_WORDS, *PUNCTUATION))}
    backend = Tokenizer(models.WordLevel(vocab=vocab, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.add_special_tokens([AddedToken("[UNK]", special=True)])
    return _with_chat_tokens(backend)


def _byte_level(vocab: dict[str, int], merges: Sequence[tuple[str, str]]) -> Tokenizer:
    backend = Tokenizer(models.BPE(vocab=vocab, merges=list(merges)))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    return _with_chat_tokens(backend)


def _with_chat_tokens(backend: Tokenizer) -> Tokenizer:
    backend.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
    backend.add_tokens([AddedToken(token, special=False, normalized=False) for token in THINK_TOKENS])
    backend.add_special_tokens([AddedToken(HIDDEN_TOKEN, special=True, normalized=False)])
    return backend


def _spelled_out(words: Iterable[str]) -> list[tuple[str, str]]:
    """The merges that build each word from left to right, each once."""
    return list(dict.fromkeys((word[:end], word[end]) for word in words for end in range(1, len(word))))
