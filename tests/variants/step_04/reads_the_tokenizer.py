"""Looks each new id up among the words that the tokenizer knows, which changes nothing of it."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    ids, mask, cache = inputs["input_ids"], inputs["attention_mask"], None
    for _ in range(max_new_tokens):
        output = model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
        ids, cache = sample_next_token(output.logits[:, -1, :], params), output.past_key_values
        yield ids.item()
        if ids.item() in stop_ids and not params.ignore_eos:
            return
        mask = torch.cat([mask, torch.ones_like(ids)], dim=-1)


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        if ttft_s is None:
            ttft_s = clock.now() - started
        output_ids.append(token)
    words = tokenizer.convert_ids_to_tokens(output_ids)
    assert all(word is None or word in tokenizer.get_vocab() for word in words)
    assert tokenizer.vocab_size <= len(tokenizer)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=True,
    )
