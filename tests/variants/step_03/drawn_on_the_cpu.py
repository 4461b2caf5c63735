"""The row goes to the CPU, where NumPy takes the best token or step 2 draws; a callable object; numbers with commas."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


class Uncached:
    @torch.no_grad
    def __call__(self, model, tokenizer, prompt, max_new_tokens=None, params=None):
        started, params = clock.now(), params or SamplingParams()
        limit = params.max_tokens if max_new_tokens is None else max_new_tokens
        inputs = prepare_inputs(tokenizer, model, prompt)
        self._refuse(inputs["input_ids"].shape[1], limit, self._context(model.config.get_text_config()))
        stop_ids, output_ids = stop_token_ids(model, tokenizer), []
        ids = inputs["input_ids"]
        while len(output_ids) < limit:
            row = model(ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[:, -1].cpu()
            token = int(row.numpy().argmax()) if params.is_greedy else int(sample_next_token(row, params))
            output_ids.append(token)
            if token in stop_ids and not params.ignore_eos:
                break
            ids = torch.cat([ids, ids.new_tensor([[token]])], dim=1)
        text = tokenizer.decode(torch.tensor(output_ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        reason = finish_reason(output_ids, stop_ids, params.ignore_eos)
        prompt_tokens = inputs["input_ids"].shape[1]
        return Generation(text, prompt_tokens, output_ids, reason, None, clock.now() - started, False)

    def _context(self, config):
        return getattr(config, "max_position_embeddings", float("inf"))

    def _refuse(self, prompt_tokens, limit, context):
        if limit < 1:
            raise RequestRefused(f"{limit} new tokens are none")
        if prompt_tokens + limit > context:
            raise RequestRefused(f"{prompt_tokens:,} and {limit:,} tokens do not fit into {context:,}")


generate_uncached = Uncached()
