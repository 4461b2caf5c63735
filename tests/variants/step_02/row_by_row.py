"""Goes row by row, draws among the k best values and looks the id up."""

import torch


def sample_next_token(logits, params, generator=None):
    tokens = []
    for row in logits:
        if params.temperature <= 0.0:
            tokens.append(int(row.argmax()))
            continue
        k = row.numel() if params.top_k <= 0 else min(params.top_k, row.numel())
        values, ids = torch.topk(row / params.temperature, k)
        place = torch.multinomial(torch.softmax(values, dim=0), 1, generator=generator)
        tokens.append(ids[place].item())
    return torch.tensor(tokens, dtype=torch.long, device=logits.device).reshape(-1, 1)
