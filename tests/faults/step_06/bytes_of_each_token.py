"""The bytes of each token are collected through GPT-2's table, which a Metaspace tokenizer does not use.

Caught by: test_special_tokens_are_never_shown, test_the_leading_space_of_metaspace
Says: put no text together from single tokens
Unnamed: text that is decoded behind the prompt's ids keeps that space too
"""

import codecs

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def byte_characters():
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}


def token_bytes(tokenizer, token, to_byte):
    added = tokenizer.added_tokens_decoder.get(token)
    if added is not None:
        return b"" if added.special else added.content.encode()
    text = tokenizer.convert_ids_to_tokens(token) if token < len(tokenizer) else ""
    if all(character in to_byte for character in text):
        return bytes(to_byte[character] for character in text)
    return text.replace("\u2581", " ").encode()


def detokenize(tokenizer, tokens):
    to_byte = {character: byte for byte, character in byte_characters().items()}
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for token in tokens:
        if piece := decoder.decode(token_bytes(tokenizer, token, to_byte)):
            yield piece
    if rest := decoder.decode(b"", final=True):
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
