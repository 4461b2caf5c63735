"""How long `load_runtime("tiny")` takes in a fresh process, once torch and transformers are imported."""

import json
from dataclasses import dataclass

from bench.measure import python_says
from kata.spread import Spread

FIRST_AND_SECOND = """
import json, time
import torch, transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen3ForCausalLM
import shared.pretrained
from shared.runtime import load_runtime

def seconds():
    started = time.perf_counter()
    load_runtime("tiny", device="cpu")
    return time.perf_counter() - started

print(json.dumps([seconds(), seconds()]))
"""


@dataclass(frozen=True)
class Loading:
    """Seconds of the first call in a process, and of the second one."""

    first: Spread
    second: Spread


def measure_loading(processes: int) -> Loading:
    """A process for each reading: whatever the library imports late is imported by the first call alone."""
    pairs = [json.loads(python_says("-c", FIRST_AND_SECOND).splitlines()[-1]) for _ in range(processes)]
    first, second = zip(*pairs, strict=True)
    return Loading(Spread.of(first), Spread.of(second))
