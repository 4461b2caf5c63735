"""The tokenizer double says what the library's tokenizer says."""

import copy
from itertools import product

import numpy as np
import pytest
import torch
from transformers import BatchEncoding

from tests.doubles import backends, tokenizers
from tests.doubles.fast_tokenizer import FastTokenizer

TEXTS = (
    "",
    "the cat sat on the mat.",
    " two  spaces ",
    "naïve 🙂🙂 你好\r\n\t",
    "<think>so</think><|im_end|> <|hidden|>",
)
TURNS = [{"role": "system", "content": ""}, {"role": "user", "content": "the cat 🙂 ?"}]
PAIRS = {
    "byte_level": (tokenizers.byte_level, lambda: FastTokenizer()),
    "merges": (tokenizers.byte_level_with_merges, lambda: FastTokenizer(backends.straddling_backend())),
    "zero_eos": (tokenizers.zero_eos, lambda: FastTokenizer(backends.zero_eos_backend())),
    "metaspace": (tokenizers.metaspace, lambda: FastTokenizer(backends.metaspace_backend())),
    "byte_fallback": (tokenizers.metaspace_with_byte_fallback, lambda: FastTokenizer(backends.metaspace_backend(True))),
    "word_level": (tokenizers.word_level, lambda: FastTokenizer(backends.word_level_backend(), clean_up=True)),
}


@pytest.fixture(params=PAIRS)
def pair(request):
    """The library's tokenizer, and the double that stands for it."""
    library, double = PAIRS[request.param]
    return library(), double()


def same(one, other) -> bool:
    """Whether two answers are equal, tensors and mappings compared by what they hold."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one, other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if hasattr(one, "items") and hasattr(other, "items"):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("text", TEXTS)
def test_both_encode_alike(pair, text):
    library, double = pair
    for options in ({}, {"add_special_tokens": False}, {"return_tensors": "pt"}, {"padding": True}):
        if text or options != {"return_tensors": "pt"}:
            assert same(library(text, **options), double(text, **options)), options
    assert library.encode(text) == double.encode(text)
    assert library([text, text])["input_ids"] == double([text, text])["input_ids"]


def test_both_encodings_are_changed_in_place_and_read_alike(pair):
    ways = {
        "as it came": lambda it: it,
        "to": lambda it: it.to(device="cpu", non_blocking=True),
        "tensors": lambda it: it.convert_to_tensors("pt"),
        "tensors, an axis more": lambda it: it.convert_to_tensors(tensor_type="pt", prepend_batch_axis=True),
        "arrays": lambda it: it.convert_to_tensors("np"),
        "no tensors": lambda it: it.convert_to_tensors(),
    }
    for form, (way, change) in product(({}, {"return_tensors": "pt"}), ways.items()):
        if form and way == "tensors, an axis more":  # the library cannot, once they are tensors
            continue
        ours, theirs = (each("the cat", **form) for each in reversed(pair))
        for each in (ours, theirs):
            assert change(each) is each, way
        assert same(theirs, ours), (form, way)
    ours, theirs = (each("the cat") for each in reversed(pair))
    for each in (ours, theirs):
        each.data = {name: torch.tensor([value]) for name, value in each.data.items()}
        each["more"] = each.pop("attention_mask")
    assert same(theirs, ours) and same(theirs.input_ids, ours.input_ids) and "more" in ours and len(ours) == 2
    assert same(dict(**theirs), dict(**ours)) and list(ours.keys()) == list(theirs.keys())
    assert isinstance(ours, BatchEncoding) and not isinstance(ours, dict)


def test_both_encodings_know_their_text(pair):
    ours, theirs = (each("the cat sat.") for each in reversed(pair))
    for name in ("is_fast", "n_sequences"):
        assert getattr(theirs, name) == getattr(ours, name), name
    for ask in ("tokens", "word_ids", "sequence_ids"):
        assert getattr(theirs, ask)() == getattr(ours, ask)(), ask
    for ask in ("char_to_token", "char_to_word", "token_to_chars", "token_to_word", "word_to_tokens"):
        assert getattr(theirs, ask)(0) == getattr(ours, ask)(0), ask
    assert ours[0].offsets == theirs[0].offsets == ours.encodings[0].offsets
    assert not hasattr(ours, "no_such_thing")
    assert same(copy.deepcopy(theirs), copy.deepcopy(ours)) and same(theirs.copy(), ours.copy())


@pytest.mark.parametrize("options", [{}, {"skip_special_tokens": True}, {"clean_up_tokenization_spaces": False}])
def test_both_decode_alike(pair, options):
    library, double = pair
    generator = torch.Generator().manual_seed(1)
    for _ in range(40):
        ids = torch.randint(0, len(double) + 20, (12,), generator=generator)
        for form in (ids, ids.tolist(), tuple(ids.tolist()), ids.numpy(), list(ids), ids[0], int(ids[0]), ids[None]):
            assert same(library.decode(form, **options), double.decode(form, **options)), form
        assert library.batch_decode(ids[:, None], **options) == double.batch_decode(ids[:, None], **options)


def test_both_render_and_tokenise_a_chat_alike(pair):
    library, double = pair
    for thinking in ({}, {"enable_thinking": False}, {"enable_thinking": True}, {"enable_thinking": None}):
        for prompt in (True, False):
            options = {"add_generation_prompt": prompt} | thinking
            for form in ({"tokenize": False}, {}, {"return_dict": False}, {"return_tensors": "pt"}, {"padding": True}):
                ours, theirs = (each.apply_chat_template(TURNS, **options, **form) for each in (double, library))
                assert same(ours, theirs), options | form


def test_both_carry_the_same_attributes(pair):
    library, double = pair
    for name in (
        "eos_token", "eos_token_id", "pad_token", "pad_token_id", "bos_token", "bos_token_id", "unk_token",
        "unk_token_id", "all_special_tokens", "all_special_ids", "chat_template", "clean_up_tokenization_spaces",
        "padding_side", "is_fast", "vocab_size", "special_tokens_map", "model_input_names",
    ):  # fmt: skip
        assert getattr(library, name) == getattr(double, name), name
    assert library.get_vocab() == double.get_vocab()
    assert len(library) == len(double)
    assert {at: str(token) for at, token in library.added_tokens_decoder.items()} == {
        at: str(token) for at, token in double.added_tokens_decoder.items()
    }
    assert library.convert_ids_to_tokens([3, 4]) == double.convert_ids_to_tokens([3, 4])


def test_the_doubles_oracle_is_the_librarys_answer(pair):
    library, double = pair
    turns = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": "the cat"}]
    prompt = library.apply_chat_template(turns, add_generation_prompt=True, enable_thinking=False)["input_ids"]
    assert double.prompt_ids("the cat") == prompt
    assert prompt[-len(double.header) :] == double.header
    assert double.text(prompt) == library.decode(prompt, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError):
        FastTokenizer().no_such_thing  # noqa: B018
    assert not hasattr(FastTokenizer(), "__no_such_dunder__")


def test_decodes_are_counted():
    double = FastTokenizer()
    double.decode([1, 2, 3])
    double.batch_decode([[1, 2], [3]])
    assert double.ids_decoded == 6
    double.text([1, 2, 3])
    assert double.ids_decoded == 6


def test_one_special_token_is_missing_from_the_list_and_one_added_token_is_not_special(pair):
    library, double = pair
    hidden, think = double.id_of("<|hidden|>"), double.id_of("<think>")
    assert hidden not in library.all_special_ids
    assert library.decode([hidden], skip_special_tokens=True) == ""
    assert "<think>" in library.decode([think], skip_special_tokens=True)


def test_tokens_of_the_merging_backend_straddle_characters():
    double = FastTokenizer(backends.straddling_backend())
    for text in ("你好", "🙂🙂", "é é"):
        ids = double.ids(text)
        assert double.text(ids) == text
        assert len(ids) < len(text.encode())
        assert any("\ufffd" in double.text([at]) and len(double.backend_tokenizer.id_to_token(at)) > 1 for at in ids)


def test_bos_is_written_by_the_template_and_again_by_the_tokenizer():
    tokenizer = tokenizers.writes_bos()
    turns = [{"role": "user", "content": "hi"}]
    ids = tokenizer.apply_chat_template(turns)["input_ids"]
    assert ids.count(tokenizer.bos_token_id) == 1 and ids[0] == tokenizer.bos_token_id
    text = tokenizer.apply_chat_template(turns, tokenize=False)
    assert tokenizer(text)["input_ids"] == [tokenizer.bos_token_id, *ids, tokenizer.eos_token_id]


def test_templates_that_refuse():
    with pytest.raises(Exception, match="System role not supported"):
        tokenizers.refuses_system().apply_chat_template(TURNS)
    assert tokenizers.refuses_system().apply_chat_template(TURNS[1:])["input_ids"]
    with pytest.raises(ValueError, match="chat_template"):
        tokenizers.without_template().apply_chat_template(TURNS)


def test_ids_of_zero_matter():
    assert tokenizers.zero_eos().eos_token_id == 0
    assert tokenizers.byte_level().decode([0]) == "\x00"


def test_words_are_cleaned_up_unless_told_not_to():
    tokenizer = tokenizers.word_level()
    ids = tokenizer.encode("the cat sat .")
    assert tokenizer.decode(ids) == "the cat sat."
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == "the cat sat ."
