"""The whole answer is generated at the call, and an iterator over it is returned.

Caught by: test_the_call_runs_at_most_the_prefill
Says: a stream that is made before it is read is no stream
"""

from .step_04_generate_cached import generate_cached


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    return iter(generate_cached(model, tokenizer, prompt, max_new_tokens, params).text)
