"""Hands over the first sentence, since that answers the question.

Caught by: test_the_model_that_ships_is_heard_out
Says: only the first sentence of theirs
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
    """The completion of a prompt, one call of the model on the whole sequence for each new token, no cache.

    `max_new_tokens` defaults to `params.max_tokens` and wins over it where given. Exactly as many calls as tokens.
    An EOS of the model's or the tokenizer's ends it and is kept, unless `params.ignore_eos`.
    Raises `RequestRefused` for a limit below 1 or beyond the model's context.

    Stretch: only the last position's logits are made.
    """
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
        # BEGIN SOLUTION: run the model on `generated_ids`, sample `next_token` from its last row (about 4 lines)
        logits = model(input_ids=generated_ids, attention_mask=attention_mask, use_cache=False, logits_to_keep=1).logits
        next_token = sample_next_token(logits[:, -1, :], params)
        # END SOLUTION
        output_ids.append(next_token.item())
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        # BEGIN SOLUTION: stop on one of `stop_ids` unless EOS is ignored; grow ids and mask (about 4 lines)
        if output_ids[-1] in stop_ids and not params.ignore_eos:
            break
        generated_ids = torch.cat([generated_ids, next_token], dim=-1)
        attention_mask = torch.cat([attention_mask, attention_mask.new_ones(next_token.shape)], dim=-1)
        # END SOLUTION

    latency_s = clock.now() - started
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False).split(". ")[0],
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=latency_s,
        used_cache=False,
    )
