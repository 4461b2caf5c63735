"""The ids are kept in a tensor and decoded as a batch of one; a generator of the whole, decorated for inference."""

import torch

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


@torch.inference_mode()
def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    said, sent = torch.empty(0, dtype=torch.long), ""
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        said = torch.cat([said, torch.tensor([token])])
        text = tokenizer.batch_decode(said[None], skip_special_tokens=True, clean_up_tokenization_spaces=False)[0]
        unsent = text[len(sent) :]
        if unsent == "" or unsent[-1] == chr(0xFFFD):
            continue
        yield unsent
        sent += unsent
    final = tokenizer.batch_decode(said[None], skip_special_tokens=True, clean_up_tokenization_spaces=False)[0]
    if final[len(sent) :]:
        yield final[len(sent) :]
