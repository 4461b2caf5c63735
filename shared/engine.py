"""What the server needs of an engine, and the simplest engine of all: the library's own `generate`, one opaque call."""

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from shared import clock
from shared.generation import finish_reason
from shared.limits import check_fits
from shared.metrics import ServingMetrics
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase

PrepareInputs = Callable[..., Mapping[str, "Tensor"]]
COLDEST = 1e-6  # logits divided by less can overflow float32; at this temperature only near-ties are still drawn


class Engine(Protocol):
    """Whatever turns a prompt into an answer. Both calls raise `RequestRefused` for what the caller did wrong."""

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        """The whole answer. `max_new_tokens` wins over `params.max_tokens`; no params means greedy decoding."""
        ...

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        """The same answer in pieces, none of them empty. Joined they are the text that `generate` returns."""
        ...


class HuggingFaceEngine:
    """The library's `generate`, told what to do by `SamplingParams` alone.

    From outside, prefill and decode cannot be told apart, so TTFT and TPOT are not measured and stay 0.0.
    """

    def __init__(
        self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", prepare_inputs: PrepareInputs
    ) -> None:
        """prepare_inputs: step 1 of a solution, called as `prepare_inputs(tokenizer, model, prompt)`."""
        self.model = model
        self.tokenizer = tokenizer
        self.prepare_inputs = prepare_inputs

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        """As in `Engine`; the metrics are `ServingMetrics`, with the latency of the whole call."""
        arrived = clock.now()
        params = SamplingParams() if params is None else params
        limit = params.max_tokens if max_new_tokens is None else max_new_tokens
        inputs = self.prepare_inputs(self.tokenizer, self.model, prompt)
        input_tokens = inputs["input_ids"].shape[1]
        check_fits(self.model, input_tokens, limit)

        stop_ids = stop_token_ids(self.model, self.tokenizer)
        config = generation_config(params, limit, stop_ids)
        sequence = _with_config(self.model, config).generate(**inputs, generation_config=config)
        output_ids = sequence[0, input_tokens:].tolist()
        latency = clock.now() - arrived
        metrics = ServingMetrics(
            throughput=len(output_ids) / latency if latency > 0 else 0.0,
            input_tokens=input_tokens,
            output_tokens=len(output_ids),
            latency_ms=latency * 1000,
            used_cache=True,
            finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        )
        text = self.tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return GenerateResult(text, output_ids, metrics)

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        """The whole answer in one piece: a call that cannot be looked into has nothing to send before its end."""
        text = self.generate(prompt, max_new_tokens, params).text
        if text:
            yield text


def generation_config(params: SamplingParams, max_new_tokens: int, stop_ids: frozenset[int]) -> "GenerationConfig":
    """The library's form of `params`. Everything is said outright: its own default for `top_k` is 50, not "all"."""
    from transformers import GenerationConfig

    choice: dict[str, object] = {"do_sample": False}
    if params.temperature > 0 and params.top_k != 1:
        choice = {
            "do_sample": True,
            "temperature": max(float(params.temperature), COLDEST),
            "top_k": max(params.top_k, 0),  # 0: all of them
            "top_p": float(params.top_p),
        }
    return GenerationConfig(
        max_new_tokens=int(max_new_tokens),
        eos_token_id=None if params.ignore_eos else sorted(stop_ids) or None,
        pad_token_id=0,  # never used: one sequence needs no padding
        use_cache=True,
        **choice,
    )


def _with_config(model: "PreTrainedModel", config: "GenerationConfig") -> "PreTrainedModel":
    """The same model, weights shared, under another generation config; the caller's own stays untouched.

    What a call leaves open, the library fills in from the model's generation config: a repetition penalty, a minimum
    length, forbidden words. Only a model whose config has none of these leaves the choice to `SamplingParams`.
    """
    view = copy.copy(model)
    view.generation_config = config
    return view
