"""The engine that calls the library: `SamplingParams` alone decides, and nothing of the caller's is changed."""

import copy
import json
from collections.abc import Iterator

import pytest
import torch
from transformers import GenerationConfig

from shared.engine import COLDEST, HuggingFaceEngine, generation_config
from shared.limits import RequestRefused
from shared.metrics import ServingMetrics
from shared.sampling_params import SamplingParams
from tests.doubles.tiny_models import CONTEXT, tiny_qwen3
from tests.doubles.tokenizers import byte_level

TOKENIZER = byte_level()
VOCABULARY = len(TOKENIZER)
PROMPT = "What is the capital?"
HOSTILE = {
    "do_sample": True,
    "temperature": 0.3,
    "top_k": 2,
    "top_p": 0.1,
    "repetition_penalty": 5.0,
    "no_repeat_ngram_size": 2,
    "min_new_tokens": 30,
    "suppress_tokens": list(range(60, 160)),
    "num_beams": 3,
    "num_return_sequences": 3,
    "max_time": 0.0,
}


def _prepare(tokenizer, model, prompt: str) -> dict[str, torch.Tensor]:
    messages = [{"role": "user", "content": prompt}]
    return dict(
        tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    )


@pytest.fixture
def model() -> torch.nn.Module:
    """A model whose own generation config wants everything otherwise."""
    built = tiny_qwen3(3, vocab_size=VOCABULARY)
    built.generation_config = GenerationConfig(eos_token_id=[TOKENIZER.eos_token_id], **HOSTILE)
    return built


@pytest.fixture
def engine(model: torch.nn.Module) -> HuggingFaceEngine:
    return HuggingFaceEngine(model, TOKENIZER, _prepare)


@torch.no_grad()
def _argmax_loop(model: torch.nn.Module, new_tokens: int) -> list[int]:
    """Greedy decoding without the library, the cache, or an end."""
    ids = _prepare(TOKENIZER, model, PROMPT)["input_ids"]
    start = ids.shape[1]
    for _ in range(new_tokens):
        ids = torch.cat([ids, model(input_ids=ids, use_cache=False).logits[:, -1:].argmax(-1)], dim=1)
    return ids[0, start:].tolist()


@torch.no_grad()
def _best_first(model: torch.nn.Module) -> list[int]:
    """All ids for the first new token, the most probable first."""
    return model(**_prepare(TOKENIZER, model, PROMPT)).logits[0, -1].argsort(descending=True).tolist()


GREEDY = [
    None,
    SamplingParams(),
    SamplingParams(temperature=-1.0),
    SamplingParams(temperature=0.0, top_p=0.5, top_k=9),
    SamplingParams(temperature=5.0, top_k=1, top_p=0.9),
    SamplingParams(temperature=1e-40),
    SamplingParams(temperature=2.0, top_p=1e-9),
]


@pytest.mark.parametrize("temperature", [0.0, -0.0, -0.5, -1.0, -2.0])
def test_a_temperature_that_is_not_above_0_is_greedy_in_the_librarys_form(temperature: float) -> None:
    config = generation_config(SamplingParams(temperature, top_k=5), 7, frozenset({3, 2}))
    assert (config.do_sample, config.use_cache, config.pad_token_id) == (False, True, 0)
    assert (config.max_new_tokens, config.eos_token_id) == (7, [2, 3])


@pytest.mark.parametrize(("temperature", "top_k", "wanted"), [(0.5, 1, False), (0.5, 2, True), (1.0, -1, True)])
def test_sampling_is_said_outright_in_the_librarys_form(temperature: float, top_k: int, wanted: bool) -> None:
    config = generation_config(SamplingParams(temperature, top_k, top_p=0.75), 7, frozenset())
    assert (config.do_sample, config.use_cache, config.eos_token_id) == (wanted, True, None)
    if wanted:
        assert (config.temperature, config.top_k, config.top_p) == (temperature, max(top_k, 0), 0.75)


def test_the_coldest_temperature_is_one_that_float32_can_divide_by() -> None:
    config = generation_config(SamplingParams(1e-40), 7, frozenset({2}))
    assert config.temperature == COLDEST == 1e-6
    assert generation_config(SamplingParams(ignore_eos=True), 7, frozenset({2})).eos_token_id is None


@pytest.mark.parametrize("params", GREEDY)
def test_greedy_is_argmax_whatever_the_models_config_wants(engine: HuggingFaceEngine, params) -> None:
    assert engine.generate(PROMPT, 16, params).output_ids == _argmax_loop(engine.model, 16)


def _draws(engine: HuggingFaceEngine, params: SamplingParams, count: int) -> Iterator[int]:
    torch.manual_seed(0)
    for _ in range(count):
        yield engine.generate(PROMPT, 1, params).output_ids[0]


@pytest.mark.parametrize("top_k", [-1, 0, VOCABULARY, 10_000])
def test_top_k_off_means_all_tokens_not_the_librarys_50(engine: HuggingFaceEngine, top_k: int) -> None:
    # nearly uniform over 262 tokens: 150 draws that stay within the best 50 have odds of about 1e-107
    drawn = set(_draws(engine, SamplingParams(temperature=1000.0, top_k=top_k), 150))
    assert not drawn <= set(_best_first(engine.model)[:50])


def test_only_the_k_best_are_drawn_and_each_of_them(engine: HuggingFaceEngine) -> None:
    drawn = set(_draws(engine, SamplingParams(temperature=1000.0, top_k=3), 60))
    assert drawn == set(_best_first(engine.model)[:3])


def test_a_nucleus_is_kept(engine: HuggingFaceEngine) -> None:
    # a flat distribution over 262 tokens: 2 percent of its mass are about 5 of them
    drawn = set(_draws(engine, SamplingParams(temperature=1000.0, top_p=0.02), 60))
    assert 2 <= len(drawn) <= 8
    assert drawn <= set(_best_first(engine.model)[:8])


def test_an_eos_ends_it_and_is_among_the_ids_but_not_in_the_text(engine: HuggingFaceEngine) -> None:
    free = _argmax_loop(engine.model, 12)
    stop = free[5]
    engine.model.generation_config.eos_token_id = [stop]
    result = engine.generate(PROMPT, 12)
    assert result.output_ids == free[: free.index(stop) + 1]
    assert result.metrics.finish_reason == "stop"
    assert engine.generate(PROMPT, len(result.output_ids)).metrics.finish_reason == "stop", "also as the last permitted"
    assert "<|im_end|>" not in result.text


def test_the_tokenizers_own_eos_ends_it_as_well(engine: HuggingFaceEngine) -> None:
    free = _argmax_loop(engine.model, 12)
    engine.tokenizer = copy.deepcopy(TOKENIZER)
    engine.tokenizer.eos_token = engine.tokenizer.convert_ids_to_tokens(free[5])
    result = engine.generate(PROMPT, 12)
    assert (result.output_ids, result.metrics.finish_reason) == (free[: free.index(free[5]) + 1], "stop")


def test_ignore_eos_goes_on_to_the_limit(engine: HuggingFaceEngine) -> None:
    free = _argmax_loop(engine.model, 12)
    engine.model.generation_config.eos_token_id = [free[5], free[-1]]
    result = engine.generate(PROMPT, 12, SamplingParams(ignore_eos=True))
    assert (result.output_ids, result.metrics.finish_reason) == (free, "length")


def test_the_argument_wins_over_max_tokens_larger_or_smaller(engine: HuggingFaceEngine) -> None:
    params = SamplingParams(max_tokens=4, ignore_eos=True)
    lengths = [len(engine.generate(PROMPT, limit, params).output_ids) for limit in (None, 2, 7)]
    assert lengths == [4, 2, 7]


def test_the_result_is_plain_and_measured_from_the_arrival(engine: HuggingFaceEngine, clock) -> None:
    engine.prepare_inputs = lambda *args: clock.advance(0.5) or _prepare(*args)
    result = engine.generate(PROMPT, 8)
    prompt_ids = _prepare(TOKENIZER, engine.model, PROMPT)["input_ids"][0].tolist()
    assert all(type(token_id) is int for token_id in result.output_ids)
    assert result.text == TOKENIZER.decode(result.output_ids, skip_special_tokens=True)
    assert result.metrics == ServingMetrics(
        16.0, len(prompt_ids), 8, latency_ms=500.0, used_cache=True, finish_reason="length"
    )
    assert json.loads(json.dumps(result.metrics.as_dict())) == {
        "throughput": 16.0,
        "input_tokens": len(prompt_ids),
        "output_tokens": 8,
        "latency_ms": 500.0,
        "used_cache": True,
        "finish_reason": "length",
    }


def test_a_long_wait_is_measured_whole(engine: HuggingFaceEngine, clock) -> None:
    engine.prepare_inputs = lambda *args: clock.advance(1250.0) or _prepare(*args)
    metrics = engine.generate(PROMPT, 8).metrics
    assert (metrics.latency_ms, metrics.throughput) == (1_250_000.0, 0.0064)


def test_the_prompt_is_prepared_and_the_answer_decoded_as_the_steps_do_it(engine: HuggingFaceEngine) -> None:
    prepared, decoded = [], []
    engine.prepare_inputs = lambda *args: prepared.append(args) or _prepare(*args)
    engine.tokenizer = copy.deepcopy(TOKENIZER)
    engine.tokenizer.decode = lambda ids, **how: decoded.append((ids, how)) or "text"
    result = engine.generate(PROMPT, 3)
    assert prepared == [(engine.tokenizer, engine.model, PROMPT)] and result.text == "text"
    assert decoded == [(result.output_ids, {"skip_special_tokens": True, "clean_up_tokenization_spaces": False})]


def test_a_call_that_takes_no_time_has_a_finite_throughput(engine: HuggingFaceEngine, clock) -> None:
    assert engine.generate(PROMPT, 2).metrics.throughput == 0.0


@pytest.mark.parametrize("limit", [0, -3, True, 2.5, CONTEXT])
def test_what_cannot_be_served_is_refused_before_the_model_runs(engine: HuggingFaceEngine, limit) -> None:
    engine.model.forward = None
    with pytest.raises(RequestRefused):
        engine.generate(PROMPT, limit)
    with pytest.raises(RequestRefused):
        next(engine.stream(PROMPT, limit))


def test_the_refusal_names_prompt_new_tokens_and_context(engine: HuggingFaceEngine) -> None:
    prompt_tokens = _prepare(TOKENIZER, engine.model, PROMPT)["input_ids"].shape[1]
    with pytest.raises(RequestRefused, match=rf"\b{prompt_tokens}\b.*\b1020\b.*\b1024\b"):
        engine.generate(PROMPT, 1020)


def test_a_stream_joined_is_the_text(engine: HuggingFaceEngine) -> None:
    chunks = list(engine.stream(PROMPT, 9))
    assert "".join(chunks) == engine.generate(PROMPT, 9).text
    assert all(chunks)
    params = SamplingParams(max_tokens=3)
    assert "".join(engine.stream(PROMPT, params=params)) == engine.generate(PROMPT, params=params).text


def test_an_empty_text_is_streamed_as_nothing(engine: HuggingFaceEngine) -> None:
    with torch.no_grad():
        engine.model.lm_head.weight.zero_()  # all logits equal
        engine.model.generation_config.eos_token_id = [0, TOKENIZER.eos_token_id]
    engine.tokenizer = copy.deepcopy(TOKENIZER)
    engine.tokenizer.decode = lambda *args, **kwargs: ""
    assert list(engine.stream(PROMPT, 1)) == []
    assert engine.generate(PROMPT, 1).metrics.output_tokens == 1


@pytest.mark.parametrize("params", [SamplingParams(), SamplingParams(temperature=0.7, top_k=5, top_p=0.9)])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("grad", [False, True])
def test_nothing_of_the_callers_is_changed(model: torch.nn.Module, params, training: bool, grad: bool) -> None:
    model.train(training)
    engine = HuggingFaceEngine(model, TOKENIZER, _prepare)
    settings, config = copy.deepcopy(params), model.generation_config
    before = (config.to_dict(), model.config.to_dict(), set(vars(model)))
    with torch.set_grad_enabled(grad):
        engine.generate(PROMPT, 3, params)
        list(engine.stream(PROMPT, 3, params))
        assert torch.is_grad_enabled() is grad
    assert model.generation_config is config
    assert (config.to_dict(), model.config.to_dict(), set(vars(model))) == before
    assert params == settings
    assert all(part.training is training for part in model.modules())


def test_a_seed_set_by_the_caller_counts_and_is_not_set_again(engine: HuggingFaceEngine) -> None:
    params = SamplingParams(temperature=1.5)
    torch.manual_seed(7)
    first, second = (engine.generate(PROMPT, 12, params).output_ids for _ in range(2))
    torch.manual_seed(7)
    assert engine.generate(PROMPT, 12, params).output_ids == first != second
