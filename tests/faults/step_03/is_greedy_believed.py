"""Divides by the temperature unless `is_greedy`, which is False at a temperature of 0 with top_p below 1 as well.

Caught by: test_each_token_is_the_best_of_the_last_row
Says: `params.is_greedy` is False here, and yet the temperature is 0 or below
"""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def generate_uncached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    generated_ids, attention_mask = inputs["input_ids"], inputs["attention_mask"]
    input_tokens = generated_ids.shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids: list[int] = []
    ttft_s = None
    for _ in range(limit):
        logits = model(input_ids=generated_ids, attention_mask=attention_mask, use_cache=False, logits_to_keep=1).logits
        if params.is_greedy:
            next_token = logits[:, -1, :].argmax(-1, keepdim=True)
        else:
            probs = torch.softmax(logits[:, -1, :] / params.temperature, dim=-1)
            next_token = torch.multinomial(probs, num_samples=1)
        output_ids.append(next_token.item())
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        if output_ids[-1] in stop_ids and not params.ignore_eos:
            break
        generated_ids = torch.cat([generated_ids, next_token.to(generated_ids.dtype)], dim=-1)
        attention_mask = torch.cat([attention_mask, attention_mask.new_ones((1, 1))], dim=-1)
    latency_s = clock.now() - started
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=latency_s,
        used_cache=False,
    )
