"""The whole answer is generated as the first chunk is asked for, then cut into pieces.

Caught by: test_each_chunk_goes_out_with_its_token
Says: the tokens are collected first
"""

from .step_04_generate_cached import generate_cached


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    yield from generate_cached(model, tokenizer, prompt, max_new_tokens, params).text
