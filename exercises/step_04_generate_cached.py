"""Step 4: generate with a KV cache: the prompt goes through once (prefill), then one token a step (decode)."""

from collections.abc import Collection, Iterator, Mapping

import torch
from torch import Tensor

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(
    model, inputs: Mapping[str, Tensor], max_new_tokens: int, params: SamplingParams, stop_ids: Collection[int]
) -> Iterator[int]:
    """Yield the completion's ids one by one, the stopping one included; lazily: n ids taken are n calls of the model.

    The first call takes the whole prompt. Every later one takes the newest token alone, the cache that the call before
    returned, and a mask as long as what is cached and one more. Knows nothing of text.

    Stretch: positions come from the mask, so a prompt padded on the left is right on learned positions as well.
    """
    # TODO 4: prefill with the prompt, then feed each new token alone, with cache and mask (about 11 lines)
    raise NotImplementedError("TODO 4: prefill with the prompt, then feed each new token alone, with cache and mask")


def generate_cached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
    """As `generate_uncached`, and the same tokens, on top of `decode_tokens`.

    `ttft_s` is read as the first token is there.
    """
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    input_tokens = inputs["input_ids"].shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)

    output_ids: list[int] = []
    ttft_s = None
    # TODO 4: collect the ids of `decode_tokens`, read `ttft_s` at the first (about 3 lines)
    raise NotImplementedError("TODO 4: collect the ids of `decode_tokens`, read `ttft_s` at the first")

    latency_s = clock.now() - started
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=latency_s,
        used_cache=True,
    )
