"""How a stream behaves towards others: the other streams, the caller, what it was handed, and whoever leaves early.

Each function is handed a solution's step 6 (or the fixture `load`) and raises a `CheckFailure` where it misbehaves.
"""

import gc
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import product
from threading import Thread
from types import ModuleType

import torch

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import END_OF_TEXT, IM_END, FastTokenizer
from tests.doubles.locks import in_another_thread, while_it_works
from tests.doubles.loop_leftovers import SUBMODULES, modes
from tests.doubles.loop_verdicts import expect_no_graph
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import replying
from tests.doubles.stream_record import UNFINISHED
from tests.doubles.streams import PROMPT, answering, called

OTHER_ERRORS = (IndexError, TypeError, AttributeError, OSError, TimeoutError, ArithmeticError, AssertionError)
HELLO = called(max_new_tokens=5)
APART = "a server streams to several people: what a stream remembers lives in that stream, not in the module, nor on "
APART += "the tokenizer."


class DeviceLost(RuntimeError):
    """An error that only these checks know."""


ERRORS = (
    DeviceLost,
    RuntimeError,
    ValueError,
    KeyError,
    MemoryError,
    ConnectionResetError,
    torch.cuda.OutOfMemoryError,
)


def keeps_two_streams_apart(step: ModuleType) -> None:
    tokenizer = FastTokenizer()
    replies = {"one": [*"no 🙂 no 🙂 no".encode()], "two": [*"yes 你好, yes é".encode()]}
    scripts = {prompt: replying(reply, tokenizer.prompt_ids(prompt)) for prompt, reply in replies.items()}
    one = tuple(tokenizer.prompt_ids("one"))
    model = ScriptedModel(lambda seen: scripts["one" if seen[: len(one)] == one else "two"](seen))

    def stream(prompt: str) -> Iterator[str]:
        return iter(step.generate_stream(model, tokenizer, prompt, max_new_tokens=len(replies[prompt])))

    left = stream("one")  # this one is left in the middle
    for _ in range(3):
        next(left, None)
    texts = dict.fromkeys(replies, "")

    def read_in_turns() -> None:
        streams = {prompt: stream(prompt) for prompt in replies}
        for _ in range(40):
            for prompt, each in streams.items():
                texts[prompt] += next(each, "")

    call = "next(one), next(two), next(one), next(two), ... of two streams of one model"
    in_another_thread(read_in_turns, call=call)
    wanted = {prompt: tokenizer.text(reply) for prompt, reply in replies.items()}
    expect(texts == wanted, call=call, got=texts, wanted=wanted, why=APART)

    half = (*one, *replies["one"][:5])
    while_it_works(model, half, lambda: texts.update(two="".join(stream("two"))))
    texts["one"] = "".join(stream("one"))
    call = "list(one), and list(two) in another thread while `one` holds half a character"
    why = f"{APART} What is emptied where a stream begins is emptied for those that run."
    expect(texts == wanted, call=call, got=texts, wanted=wanted, why=why)


def lets_errors_through(step: ModuleType) -> None:
    places = ((b"Hello", 1), (b"Hello", 4), ("a🙂b".encode(), 4))
    late = ((DeviceLost, (b"Hello, how do you do?", 13)), *((kind, places[1]) for kind in OTHER_ERRORS))
    for kind, (reply, fails_at) in (*product(ERRORS, places), *late):
        tokenizer, chunks, got = FastTokenizer(), [], "the end, as if nothing had happened"
        model = answering(tokenizer, reply, on_call=_failing_at(fails_at, kind))
        try:
            for chunk in step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=len(reply)):
                chunks.append(chunk)
        except Exception as error:
            got = type(error).__name__
        whole = tokenizer.text(reply[: fails_at - 1]).rstrip(UNFINISHED)
        expect(
            got == kind.__name__ and "".join(chunks) == whole,
            call=f"list(generate_stream(...)), where the model's forward {fails_at} raises {kind.__name__}",
            got=f"{chunks}, then {got}",
            wanted=f"{list(whole)}, then {kind.__name__}",
            why="half an answer must not look whole: send nothing more, not even what was held back, and let the error "
            "through as it is.",
        )


def _failing_at(forward: int, kind: type[Exception]) -> Callable[[object], None]:
    made = iter(range(1, 1000))

    def fail(_: object) -> None:
        if next(made) == forward:
            raise kind("the device is gone")

    return fail


def records_no_graph(step: ModuleType) -> None:
    tokenizer = FastTokenizer()
    model = answering(tokenizer, b"Hello")
    stream = step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=5)
    thread = Thread(target=lambda: list(stream))
    thread.start()
    thread.join()
    why = "a graph that nobody uses fills the memory; the grad mode belongs to a thread, and a server has several: "
    why += "let step 4's loop, or a block around the model's call, switch it off."
    expect_no_graph(model.calls, call=f"list({HELLO}), read in another thread", why=why)


def keeps_the_callers_grad_mode(step: ModuleType) -> None:
    tokenizer = FastTokenizer()
    for before in (True, False):
        with torch.set_grad_enabled(before):
            stream = iter(step.generate_stream(answering(tokenizer, b"Hello"), tokenizer, PROMPT, max_new_tokens=5))
            modes = []
            for _ in zip(range(3), stream, strict=False):
                modes.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
            del stream
        on = {True: "on", False: "off"}
        expect(
            modes == [(before, False)] * 3,
            call=f"between the chunks of {HELLO}",
            got=", ".join(f"grad {on[grad]}{' in inference mode' * inference}" for grad, inference in modes),
            wanted=f"grad {on[before]}, as before",
            why="a `with` block around a `yield` stays open while the caller works: close it before the yield, or "
            "decorate the token loop.",
        )


def leaves_what_it_is_handed(step: ModuleType) -> None:
    params, bare = SamplingParams(max_tokens=2), FastTokenizer(clean_up=True)
    bare.pad_token = bare.pad_token_id = None
    why = "the next request gets the same objects: nothing that is handed in may be changed."
    for training, tokenizer in ((False, FastTokenizer()), (True, FastTokenizer()), (False, bare)):
        model = answering(tokenizer, b"Hello", eos_token_id=[IM_END, END_OF_TEXT])
        model.add_module("adapter", torch.nn.Identity())
        model.train(training).adapter.train(not training)
        model.config.eos_token_id = END_OF_TEXT
        model.config.use_cache = model.generation_config.use_cache = False  # step 4 asks for the cache itself
        before = _state(model, tokenizer, params)
        list(step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=5, params=params))
        after = _state(model, tokenizer, params)
        changed = [name for name in before if before[name] != after[name]]
        expect(
            not changed,
            call=f"list({HELLO}) of a model in {'training' if training else 'evaluation'} mode",
            got=", ".join(f"{name}: {after[name]}" for name in changed),
            wanted=", ".join(f"{name}: {before[name]}" for name in changed),
            why=why + SUBMODULES * any(name.startswith("mode of") for name in changed),
        )


def _state(model: ScriptedModel, tokenizer: FastTokenizer, params: SamplingParams) -> dict[str, str]:
    settings = (
        "clean_up_tokenization_spaces",
        "padding_side",
        "pad_token",
        "pad_token_id",
        "eos_token",
        "chat_template",
    )
    return {
        **{f"tokenizer.{name}": repr(getattr(tokenizer, name)) for name in settings},
        "params": str(params),
        **{name: "training" if mode else "evaluation" for name, mode in modes(model).items()},
        "model.config": str(asdict(model.config)),
        "model.generation_config": str(vars(model.generation_config)),
    }


def closes_the_token_loop(load: Callable[..., ModuleType]) -> None:
    for way in ("close", "drop"):
        inner, loops = load(4), []
        inner.decode_tokens = _noting(inner.decode_tokens, loops)
        tokenizer, step = FastTokenizer(), load(under={4: inner})
        model = answering(tokenizer, b"Hello, you")
        stream = iter(step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=10))
        next(stream), next(stream)
        forwards = len(model.calls)
        if way == "close" and hasattr(stream, "close"):
            stream.close()
            next(stream, None)
        else:
            del stream
            gc.collect()
        expect(
            "open" not in loops and len(model.calls) == forwards,
            call=f"two chunks of {called(max_new_tokens=10)}, then {way} it",
            got=f"a token loop that is {loops[-1] if loops else 'closed'}, {len(model.calls) - forwards} more forwards",
            wanted="a token loop that is closed, 0 more forwards",
            why="a client that leaves must not keep the model busy: the loop over the tokens ends with the stream.",
            trace=trace(model.calls, forwards) if len(model.calls) > forwards else (),
        )


def _noting(decode_tokens: Callable, loops: list[str]) -> Callable:
    """Step 4's loop, which notes in `loops` whether it is open or closed."""

    def noting(*arguments: object, **options: object) -> Iterator[int]:
        loops.append("open")
        try:
            yield from decode_tokens(*arguments, **options)
        finally:
            loops[-1] = "closed"

    return noting
