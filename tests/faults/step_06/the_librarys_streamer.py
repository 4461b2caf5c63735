"""The library's `generate` makes the tokens in a thread, and its streamer hands out the text.

Caught by: test_the_prompt_goes_in_as_step_1_has_it
Says: neither `generate` nor its streamer is needed
"""

from threading import Thread

from transformers import TextIteratorStreamer

from shared.limits import check_fits
from shared.sampling_params import SamplingParams

from .step_01_chat_template import prepare_inputs


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True)
    options = {"max_new_tokens": limit, "do_sample": not params.is_greedy, "streamer": streamer}
    Thread(target=model.generate, kwargs={**inputs, **options}).start()
    for text in streamer:
        if text:
            yield text
