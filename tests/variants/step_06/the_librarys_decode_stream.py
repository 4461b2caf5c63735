"""The `DecodeStream` of the tokenizers library, and a flush at the end, which it has not."""

from tokenizers.decoders import DecodeStream

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    stream, ids, sent = DecodeStream(skip_special_tokens=True), [], []
    for token in tokens:
        ids.append(token)
        if piece := stream.step(tokenizer.backend_tokenizer, token):
            sent.append(piece)
            yield piece
    rest = decode(tokenizer, ids)[len("".join(sent)) :]
    if rest:
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
