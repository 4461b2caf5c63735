"""The answer is generated again from the start for each token, one token longer each time.

Caught by: test_each_chunk_goes_out_with_its_token
Says: yield it at once
"""

from shared.sampling_params import SamplingParams

from .step_04_generate_cached import generate_cached


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    sent = ""
    for length in range(1, limit + 1):
        generation = generate_cached(model, tokenizer, prompt, length, params)
        if len(generation.text) > len(sent) and not generation.text.endswith("\ufffd"):
            yield generation.text[len(sent) :]
            sent = generation.text
        if generation.finish_reason == "stop":
            break
    if len(generation.text) > len(sent):
        yield generation.text[len(sent) :]
