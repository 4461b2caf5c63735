"""What the checks need and a warm process can have before there is a solution to check: `kata/warm.py` asks for it."""

import contextlib
import importlib
import os
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from kata.solution import Solution
from kata.steps import REFERENCE, step_number

LIBRARIES = (  # what a first request, or a first check, would import
    "fastapi.testclient",
    "anyio._backends._asyncio",
    "pydantic.v1",
    "uvicorn.lifespan.on",
    "jsonschema",
    "encodings.idna",
    "shared.responses",
    "shared.worker",
)
OF_SERVERS, OF_MODELS, WITHOUT_TORCH = {7, 8, 9}, {1, 3, 4, 6}, {5, 7}  # numbers of steps
WITH_THE_LIBRARY = (  # checks whose costs are in the models they build and in the library's own answers
    (1, "test_a_real_model_gets_its_inputs_where_it_is"),
    (3, "test_the_answer_is_the_librarys_on_qwen3"),
    (3, "test_the_answer_is_the_librarys_on_llama_and_gpt2"),
    (3, "test_it_stops_where_the_library_stops"),
    (3, "test_the_model_that_ships_is_heard_out"),
    (4, "test_the_cache_keeps_all_of_a_long_prompt"),
    (4, "test_a_prompt_padded_on_the_left"),
    (4, "test_the_model_that_ships_is_heard_out"),
    (6, "test_a_real_model_streams_what_the_library_says"),
    (6, "test_the_model_that_ships_streams_its_story"),
)


def import_libraries(numbers: Collection[int]) -> None:
    """What the checks of these steps import, in one thread, and so that none is made: forks are to find it done."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    for name in LIBRARIES if not OF_SERVERS.isdisjoint(numbers) else ():
        with contextlib.suppress(ImportError):  # some are inner parts that another version has not
            importlib.import_module(name)
    if not WITHOUT_TORCH.issuperset(numbers):
        import torch

        torch.set_num_threads(1)
    if not OF_MODELS.isdisjoint(numbers):
        from transformers import GPT2LMHeadModel, LlamaForCausalLM, PreTrainedTokenizerFast, Qwen3ForCausalLM  # noqa: F401  # noqa: F401
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork.*", category=DeprecationWarning)


def jobs(items: Sequence[pytest.Item]) -> list[Callable[[], None]]:
    """What can be made ready for these checks, piece by piece, none of which takes long."""
    found = [(step_number(item.path), item) for item in items if isinstance(item, pytest.Function)]
    return [_learn(number, item.obj) for number, item in found if (number, item.name) in WITH_THE_LIBRARY]


def in_fork(checks: Path) -> None:
    """What a single run of these checks can have ahead of its solution: step 9's duel, the arena that it needs."""
    if step_number(checks) == 9:
        from tests.tools.warm_arena import keep_one_waiting

        keep_one_waiting()


def _learn(number: int, check: Callable[[ModuleType], None]) -> Callable[[], None]:
    """Run the check on the reference, for what it builds and what it asks."""

    def job() -> None:
        from tests.doubles import known

        solution = Solution.in_folder(REFERENCE)
        known.learn(lambda: check(solution.load(number)))
        solution.unload()

    return job
