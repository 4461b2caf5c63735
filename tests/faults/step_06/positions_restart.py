"""A loop of its own gives each new token the position 0, which the double forgives and a real model does not.

Caught by: test_a_real_model_streams_what_the_library_says
Says: cache, mask and positions
Unnamed: whatever only a real model does not forgive fails alike
"""

import torch

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    ids, mask, cache, said, sent = inputs["input_ids"], inputs["attention_mask"], None, [], ""
    while len(said) < limit and not (said and said[-1] in stop_ids and not params.ignore_eos):
        with torch.inference_mode():
            output = model(
                ids, mask, past_key_values=cache, use_cache=True, position_ids=torch.arange(ids.shape[1])[None]
            )
            ids = sample_next_token(output.logits[:, -1], params)
            cache, mask = output.past_key_values, torch.cat([mask, torch.ones_like(ids)], dim=1)
        said.append(int(ids))
        text = decode(tokenizer, said)
        if text != sent and not text.endswith("\ufffd"):
            yield text.removeprefix(sent)
            sent = text
    if (text := decode(tokenizer, said)) != sent:
        yield text.removeprefix(sent)
