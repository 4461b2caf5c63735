"""What a caller may ask for, and how a refusal reads."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from kata.steps import ROOT
from shared.limits import RequestRefused, check_fits, context_length


def _model(**config: object) -> SimpleNamespace:
    return SimpleNamespace(config=SimpleNamespace(**config))


MODEL = _model(max_position_embeddings=100)


@pytest.mark.parametrize("fitting", [1, 60, np.int64(60)])
def test_what_fits_passes_an_exact_fit_too(fitting: int) -> None:
    check_fits(MODEL, 40, fitting)


def test_one_token_beyond_the_context_is_refused_with_all_three_numbers() -> None:
    with pytest.raises(RequestRefused, match=r"40 .*61 .*101.* 100"):
        check_fits(MODEL, 40, 61)
    with pytest.raises(RequestRefused, match=r"250 .*1 .*251.* 100"):
        check_fits(MODEL, 250, 1)


@pytest.mark.parametrize("value", [0, -1, -1024])
def test_below_1_is_refused_with_the_value(value: int) -> None:
    with pytest.raises(RequestRefused, match=f"max_new_tokens must be at least 1, not {value}$"):
        check_fits(MODEL, 40, value)


@pytest.mark.parametrize("value", [True, False, 2.0, "5", None, float("nan"), [5]])
def test_what_is_no_whole_number_is_refused_with_the_value(value: object) -> None:
    with pytest.raises(RequestRefused) as refusal:
        check_fits(MODEL, 40, value)
    assert str(refusal.value) == f"max_new_tokens must be a whole number, not {value!r}"


def test_a_model_without_a_context_has_no_limit() -> None:
    for model in (_model(), _model(max_position_embeddings=None), SimpleNamespace()):
        assert context_length(model) is None
        check_fits(model, 10**6, 10**6)
        with pytest.raises(RequestRefused):
            check_fits(model, 1, 0)


def test_the_context_is_that_of_the_text_part() -> None:
    config = SimpleNamespace(
        max_position_embeddings=5, get_text_config=lambda: SimpleNamespace(max_position_embeddings=50)
    )
    assert context_length(SimpleNamespace(config=config)) == 50


def test_gpt2_calls_its_context_otherwise() -> None:
    from transformers import GPT2Config, Qwen3Config

    assert context_length(SimpleNamespace(config=GPT2Config(n_positions=77))) == 77
    assert context_length(SimpleNamespace(config=Qwen3Config(max_position_embeddings=78))) == 78


def test_a_refusal_is_a_value_error_that_can_be_told_from_ours() -> None:
    assert issubclass(RequestRefused, ValueError)


def test_importing_what_steps_and_runner_need_is_cheap() -> None:
    modules = "clock engine generation limits metrics pretrained result runtime sampling_params smollm2 stopping"
    code = (
        f"import sys, {', '.join(f'shared.{name}' for name in modules.split())}; "
        "print([heavy for heavy in ('torch', 'transformers', 'tokenizers', 'numpy') if heavy in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
