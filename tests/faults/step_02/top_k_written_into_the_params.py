"""Writes the size of the vocabulary into the caller's params, where the next request finds it.

Caught by: test_the_params_stay_as_they_were
Says: keep what you work out in variables of your own
Like: clamps_the_params
"""


def sample_next_token(logits, params, generator=None):
    vocab = logits.shape[-1]
    if params.top_k <= 0 or params.top_k > vocab:
        params.top_k = vocab
    if params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    scores, ids = (logits.float() / params.temperature).topk(params.top_k)
    return ids.gather(-1, scores.softmax(-1).multinomial(1, generator=generator))
