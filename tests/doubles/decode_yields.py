"""What `decode_tokens` yields: which tokens, when, how many, and where it ends. Judged on a scripted model.

Each function is handed a solution's step 4 and raises a `CheckFailure` where it breaks the promise.
"""

from threading import enumerate as enumerate_threads
from types import ModuleType

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.decode_runs import IDS, decode, decoded, none_kept
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_results import take
from tests.doubles.loop_runs import stopping_after
from tests.doubles.loop_verdicts import counted, expect_counts, expect_ids
from tests.doubles.scripted_model import Script, ScriptedModel
from tests.doubles.scripts import expected_reply, hashed

CONFIG_EOS, CONFIG_PAD = 21, 23  # ids that only the model's config names


def is_lazy(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    threads = set(enumerate_threads())
    tokens, call = decode(step, model)
    for taken in range(5):
        if taken:
            take(tokens, 1, call)
        others = set(enumerate_threads()) - threads
        for thread in others:
            thread.join(0.05)  # one that works ahead gets the time to do so
        expect(
            len(model.calls) == taken or not others,
            call=f"{call}, not all of it taken",
            got="calls of the model ahead of the tokens taken, made by another thread",
            wanted="no call before its token is asked for",
            why="a thread works ahead of a consumer, who may never come back: make each token when it is asked for.",
        )
        expect(
            len(model.calls) == taken,
            call=f"{call}, of which {counted(taken, 'token')} {'was' if taken == 1 else 'were'} taken",
            got=f"{counted(len(model.calls), 'call')} of the model",
            wanted=counted(taken, "call"),
            why="a token costs one call of the model, made when it is asked for: yield it before the next call.",
            trace=trace(model.calls, min(len(model.calls), taken)),
        )


def is_not_ended_by_the_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model, stop_ids={IM_END, 10, IDS[-1]})
    got, shown = f"{counted(len(ids), 'token')}, although the model never said a stop id", trace(model.calls, len(ids))
    why = "look for stop ids in new tokens only: the chat template ends each turn of the prompt with an EOS, and its "
    why += "last id, here 63, may be one as well."
    if len(ids) <= 1 and len(decoded(step, ScriptedModel(hashed()), stop_ids={7})[0]) <= 1:  # 7 is not in the prompt
        why = "a token that is no stop id ends nothing: is `in` meant, where `not in` stands?"
    expect(len(ids) > 1, call=call, got=got, wanted="6 tokens", why=why, trace=shown)


def takes_the_best_of_the_last_row(step: ModuleType) -> None:
    for seed in (1, 2, 3):
        model = ScriptedModel(hashed(seed))
        ids, call = decoded(step, model, 16)
        why = "each token is the best of the last row of logits, the newest position's: `logits[:, -1, :]`."
        why = none_kept(model, IDS, why)
        expect_ids(ids, expected_reply(hashed(seed), IDS, 16), call=call, why=why, calls=model.calls)


def makes_exactly_as_many(step: ModuleType) -> None:
    for new_tokens in (1, 2, 16):
        model = ScriptedModel(hashed())
        ids, call = decoded(step, model, new_tokens)
        expect_counts(model.calls, len(ids), new_tokens, call=f"list({call})")
    ids, call = decoded(step, ScriptedModel(hashed()), 0)
    why = "the limit is asked before each token, the first one too."
    expect(not ids, call=f"list({call})", got=counted(len(ids), "token"), wanted="none", why=why)


def stops_at_the_stop_ids(step: ModuleType) -> None:
    cases = (7, {7, 0}, 4), (0, (7, 0), 4), (7, {7, 0}, 1), (10, {7}, 4), (IM_END, {7}, 4), (7, set(), 4)
    others = (0, {7}, 4), (CONFIG_EOS, {7}, 4), (CONFIG_PAD, {7}, 4)
    for stop_id, stop_ids, at in cases + others:
        model = _model_with_ids_of_its_own(stopping_after(at, stop_id, IDS))
        ids, call = decoded(step, model, 9, stop_ids=stop_ids)
        why = "decode_tokens goes by the `stop_ids` that its caller hands in, by nothing else: yield the one that ends "
        why += "the answer, then stop, without another call of the model."
        wanted = expected_reply(model.script, IDS, 9, stop_ids)
        if ids != wanted and at > 1:
            ends = [end for end in (0, 7, 10, CONFIG_EOS, CONFIG_PAD, IM_END) if _stops_at(step, end)]
            why += f" Handed {{7}}, yours stops at {' and '.join(map(str, ends)) or 'nothing'}; the model's own EOS is "
            why += f"10, the tokenizer's {IM_END}."
            why += f" The model's config has {CONFIG_EOS} as EOS and {CONFIG_PAD} for padding."
            if stop_id in stop_ids and len(ids) > len(wanted):
                why += " 0 is an id like any other." * (stop_id == 0)
                why += " Any of the ids ends the answer, not just one of them." * (stop_id != 0 and stop_id in ends)
            why = none_kept(model, IDS, why)
        expect_ids(ids, wanted, call=f"{call}, where token {at} is {stop_id}", why=why, calls=model.calls)
        right, shown = len(model.calls) == len(wanted), trace(model.calls, len(wanted))
        got = f"{counted(len(model.calls), 'call')} for {counted(len(wanted), 'token')}"
        expect(right, call=call, got=got, wanted=f"{len(wanted)} calls", why=why, trace=shown)


def _model_with_ids_of_its_own(script: Script) -> ScriptedModel:
    """Its generation config and its config name ids that nobody hands in: none of them may end an answer."""
    model = ScriptedModel(script, eos_token_id=[10])
    model.config.eos_token_id, model.config.pad_token_id = CONFIG_EOS, CONFIG_PAD
    return model


def _stops_at(step: ModuleType, said: int) -> bool:
    """Whether this id ends an answer whose stop id is 7."""
    model = _model_with_ids_of_its_own(stopping_after(4, said, IDS))
    return len(decoded(step, model, 9, stop_ids={7})[0]) <= 4


def can_ignore_stop_ids(step: ModuleType) -> None:
    for at in (2, 1):
        model = ScriptedModel(stopping_after(at, 7, IDS))
        ids, call = decoded(step, model, 6, params=SamplingParams(ignore_eos=True), stop_ids={7})
        why = "with ignore_eos a stop id is a token like any other, the first one too, yielded and fed back: only the "
        why += "limit ends the answer."
        call = f"{call}, where token {at} is 7"
        if 7 not in ids and len(ids) > at:
            why += " Nor is it ruled out of the logits, or drawn again."
        expect_ids(ids, expected_reply(model.script, IDS, 6), call=call, why=why, calls=model.calls)


def yields_what_the_sampler_says(step: ModuleType, said: list[int]) -> None:
    """said: what the `step_2_giving` under the step answers with; none of it is the model's own choice."""
    model = ScriptedModel(lambda seen: len(seen) % 100, vocab_size=max(said) + 1)
    params = SamplingParams(temperature=0.8, top_k=40, ignore_eos=True)
    ids, call = decoded(step, model, len(said), params=params, stop_ids={IM_END})
    why = "the token is the sampler's answer, whatever the logits' own favourite is, and an EOS too where it is to be "
    why += "ignored: yield it, and feed it back."
    expect_ids(ids, said, call=call, why=why, calls=model.calls)
    seen, wanted = model.calls[-1].seen, IDS + said[:-1]
    expect_ids(seen, wanted, call=f"all that the model has seen in {call}", why=why, calls=model.calls)
