"""Asks step 6 for a stream whose answer is known, and reads it with an eye on the forwards behind each chunk."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from types import ModuleType
from typing import Any

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.stream_record import Chunk, Told

LEFT_OUT = object()
PROMPT = " Hi\n"  # word for word: nothing of it is stripped


def called(**options: Any) -> str:
    """The call as a learner would write it: of params only what is not the default."""
    told = "".join(f", {name}={_short_params(value)}" for name, value in options.items())
    return f"generate_stream(model, tokenizer, {PROMPT!r}{told})"


def _short_params(value: Any) -> str:
    if not isinstance(value, SamplingParams):
        return repr(value)
    default = asdict(SamplingParams())
    changed = {name: field for name, field in asdict(value).items() if field != default[name]}
    return f"SamplingParams({', '.join(f'{name}={field!r}' for name, field in changed.items())})"


def answering(tokenizer: FastTokenizer, ids: Sequence[int], **options: Any) -> ScriptedModel:
    """A model that answers `PROMPT` with these ids, and whatever else it sees with question marks.

    Its vocabulary is wider than the tokenizer's.
    """
    prompt, reply, lost = tuple(tokenizer.prompt_ids(PROMPT)), tuple(ids), tokenizer.ids("?")[-1]

    def script(seen: tuple[int, ...]) -> int:
        said = seen[len(prompt) :]
        on_track = seen[: len(prompt)] == prompt and said == reply[: len(said)] and len(said) < len(reply)
        return reply[len(said)] if on_track else lost

    return ScriptedModel(script, vocab_size=len(tokenizer) + 40, **options)


def read(step: ModuleType, tokenizer: FastTokenizer, ids: Iterable[int], model: Any = None, **options: Any) -> Told:
    """Reads the stream of an answer of these ids to its end. The limit is their number unless told otherwise.

    What is `LEFT_OUT` is not handed over at all.
    """
    ids = list(ids)
    model = model or answering(tokenizer, ids)
    options = {"max_new_tokens": len(ids)} | options
    options = {name: value for name, value in options.items() if value is not LEFT_OUT}
    call = f"list({called(**options)})"
    chunks: list[Chunk] = []
    for text in _stream(step, model, tokenizer, call, options):
        expect(
            isinstance(text, str),
            call=call,
            got=f"a chunk of type {type(text).__name__}: {text!r}",
            wanted="chunks of text",
            why="the stream is text: decode the ids, and yield each piece as a str.",
        )
        chunks.append(Chunk(str(text), len(model.calls)))
        expect(
            len(chunks) <= 4 * len(ids) + 64,
            call=call,
            got=f"{len(chunks)} chunks, and no end",
            wanted="the end, after the last token's text",
            why="the stream ends where the answer ends.",
            trace=trace(model.calls),
        )
    if getattr(model, "own_loop", False):
        raise CheckFailure(
            call=call,
            got="model.generate(..., streamer=...), the library's own loop",
            wanted="tokens from step 4's `decode_tokens`",
            why="this step turns the tokens of your own loop into text: take them from `decode_tokens`, one by one; "
            "neither `generate` nor its streamer is needed, nor a thread.",
        )
    return Told(call, tokenizer, model, ids, chunks)


def _stream(
    step: ModuleType, model: Any, tokenizer: FastTokenizer, call: str, options: dict[str, Any]
) -> Iterator[Any]:
    try:
        yield from step.generate_stream(model, tokenizer, PROMPT, **options)
    except TypeError as error:
        why = "the tokens come one by one from a generator, which has neither a length nor places: go over it with "
        why += "`for`, and `detokenize` takes any iterable."
        eos = getattr(model, "generation_config", None) and model.generation_config.eos_token_id
        if isinstance(eos, int) and "'int' object is not iterable" in str(error):
            why = f"the EOS of this model's config is {eos}, without a list around it: an int, a list and None are all "
            why += "in use, and `stop_token_ids` reads each of them."
        elif "'generator'" not in str(error):
            raise
        raise CheckFailure(call=call, got=f"TypeError: {error}", wanted="chunks of text", why=why) from error
