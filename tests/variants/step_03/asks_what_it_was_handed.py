"""Asks whether model and tokenizer are the library's and belong together, and logs what they are."""

import logging

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    t0 = clock.now()
    if not isinstance(model, PreTrainedModel) or not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise TypeError("model and tokenizer must be the library's")
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        logging.warning("%s has more tokens than %s", tokenizer.name_or_path, model.name_or_path)
    logging.debug("%d parameters, %s", model.num_parameters(), model.config.to_dict())
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    enc = prepare_inputs(tokenizer, model, prompt)
    ids, mask = enc["input_ids"], enc["attention_mask"]
    n = ids.shape[1]
    check_fits(model, n, limit)
    stop = stop_token_ids(model, tokenizer)
    new, ttft = [], None
    for _ in range(limit):
        token = sample_next_token(model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, -1, :], params)
        new.append(token.item())
        ttft = clock.now() - t0 if ttft is None else ttft
        if new[-1] in stop and not params.ignore_eos:
            break
        ids, mask = torch.cat([ids, token], 1), torch.cat([mask, mask.new_ones(1, 1)], 1)
    t1 = clock.now() - t0
    return Generation(
        tokenizer.decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        n,
        new,
        finish_reason(new, stop, params.ignore_eos),
        ttft,
        t1,
        False,
    )
