"""Top-k 1 is drawn like any other k; tied best tokens all stay."""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature > 0:
        scores = logits.clone()
        scores.div_(params.temperature)
        if params.top_k > 0 and params.top_k < scores.size(1):
            scores[scores < torch.topk(scores, params.top_k)[0][:, [-1]]] = -float("Inf")
        return torch.multinomial(torch.exp(torch.log_softmax(scores, -1)), num_samples=1, generator=generator)
    return torch.topk(logits, 1).indices
