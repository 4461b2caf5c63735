"""The tokens come from the library's `generate`, which runs in a thread and has a streamer.

Caught by: test_the_first_call_takes_the_whole_prompt
Says: the loop that the library's generate() hides
"""

from queue import Queue
from threading import Thread

from transformers.generation.streamers import BaseStreamer

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs


class TokenQueue(BaseStreamer):
    def __init__(self):
        self.queue = Queue()

    def put(self, value):
        self.queue.put(value.flatten())

    def end(self):
        self.queue.put(None)


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    streamer = TokenQueue()
    options = {"max_new_tokens": max_new_tokens, "do_sample": params.temperature > 0, "streamer": streamer}
    Thread(target=model.generate, kwargs={**inputs, **options}, daemon=True).start()
    for at, token in enumerate(iter(streamer.queue.get, None)):
        if at:  # the prompt comes first
            yield token.item()


def generate_cached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    input_tokens = inputs["input_ids"].shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)

    output_ids: list[int] = []
    ttft_s = None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        output_ids.append(token)
        if ttft_s is None:
            ttft_s = clock.now() - started

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
