"""The runs: each engine on each prompt, round after round, no engine always first. It knows an engine by name only.

Greedy and without EOS, so that all make the same number of tokens. What the caller's code raises is a `Failed`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kata.compare.readings import Reading
from kata.compare.trace import Trace, watching
from shared.limits import RequestRefused
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams

if TYPE_CHECKING:
    from torch import nn

    from shared.engine import Engine

WARM_UP_TOKENS = 16
Tell = Callable[[str, str, int, int], None]  # the phase, what runs in it, how many runs are done, and of how many


class Failed(Exception):
    """An engine broke down, or made no answer; its error is the cause, where there is one."""


def warm_up(
    engines: Mapping[str, "Engine"], model: "nn.Module", prompts: Sequence[str], new_tokens: int, tell: Tell
) -> list[Reading]:
    """Each engine once on each prompt, for a few tokens: what breaks, breaks here. Not to be counted."""
    few = min(new_tokens, WARM_UP_TOKENS)
    runs = [(name, at) for at in range(len(prompts)) for name in engines]
    readings = []
    for done, (name, at) in enumerate(runs):
        tell("warming up", f"{name}, prompt {at + 1}", done, len(runs))
        readings.append(run(name, engines[name], model, prompts[at], few, place=(at, 0)))
    return readings


def measure(
    engines: Mapping[str, "Engine"],
    model: "nn.Module",
    prompts: Sequence[str],
    new_tokens: int,
    rounds: int,
    tell: Tell,
) -> list[Reading]:
    """Every round has each prompt through each engine; who begins changes from prompt to prompt."""
    runs = list(_turns(list(engines), len(prompts), rounds))
    readings = []
    for done, (name, at, round_) in enumerate(runs):
        tell(f"round {round_ + 1} of {rounds}", f"{name}, prompt {at + 1}", done, len(runs))
        readings.append(run(name, engines[name], model, prompts[at], new_tokens, place=(at, round_)))
    return readings


def run(
    name: str, engine: "Engine", model: "nn.Module", prompt: str, new_tokens: int, place: tuple[int, int] = (0, 0)
) -> Reading:
    """One request, watched. place: the prompt's number and the round's."""
    with watching(model, most=4 * new_tokens + 16) as trace:
        try:
            result = engine.generate(prompt, new_tokens, SamplingParams(ignore_eos=True))
            latency_s = trace.seconds()
            return Reading(name, *place, _ids_of(result, trace), latency_s, trace.forwards)
        except RequestRefused:
            raise
        except (Exception, SystemExit) as error:
            raise Failed(f"the engine {name} failed on {prompt!r}") from error


def _ids_of(result: object, trace: Trace) -> list[int]:
    if not isinstance(result, GenerateResult):
        raise TypeError(f"its answer is {type(result).__name__}, not a GenerateResult")
    if not result.output_ids or not trace.forwards:
        raise ValueError(
            f"{len(result.output_ids)} tokens out of {len(trace.forwards)} calls of the model: nothing to measure"
        )
    return [int(token) for token in result.output_ids]


def _turns(names: list[str], prompts: int, rounds: int) -> Iterator[tuple[str, int, int]]:
    """Engine, prompt, round."""
    for round_ in range(rounds):
        for prompt in range(prompts):
            first = (round_ * prompts + prompt) % len(names)
            yield from ((name, prompt, round_) for name in names[first:] + names[:first])
