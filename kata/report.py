"""The verdict on a step, as a learner reads it: plain lines, the first failure in full, what to do next."""

import difflib
from collections.abc import Callable

from kata import lessons
from kata.causes import cause_of
from kata.check import Result
from kata.look import Look, name_of
from kata.looks_like import looks_like
from kata.output import Section
from kata.source import line_of
from kata.steps import Step, step_of_module
from kata.verdict import Failure, Kind, Outcome

_EXPLAINED = {
    "skip": "pytest.skip or pytest.xfail was called: a check that is skipped proves nothing, so it counts as failed",
    "interrupt": "KeyboardInterrupt was raised by the code itself",
}


def failure_report(result: Result, look: Look, verbose: bool = False, every_line: bool = False) -> list[str]:
    """Why a step has not passed: the first failure, or all of them, and every check's line on wish."""
    first = result.verdict.first
    if first.failure.kind == "todo" and (lines := _todo(result, look)):
        return lines
    lines = _headline(result, look, verbose or every_line)
    if verbose or every_line:
        lines += ["", *check_lines(result, look)]
    failed = [o for o in result.verdict.outcomes if o.result == "failed" and not o.check.stretch]
    for outcome in failed if verbose else [first]:
        lines += ["", *explained(outcome, result, look)]
        if result.verdict.kind is Kind.CANNOT_LOAD:
            break  # every other check says the same
    lines += ["", *_still_open(result, look), *_without_return(result, look)]
    if not result.file.exists() or (result.source and not result.source.definitions()):
        lines += look.labelled("help", look.verb("reset", result.step.number) + " puts the stub back")
    if first.failure.kind == "time":
        lines += look.labelled("if slow", look.verb("check", result.step.number, "limit", "60") + " waits longer")
    lines += look.labelled("hint", look.verb("hint", result.step.number))
    if not (verbose or every_line) and result.verdict.kind is Kind.FAILED:
        lines += look.labelled("more", look.verb("check", result.step.number, "all") + " runs the rest as well")
    return lines


def check_lines(result: Result, look: Look) -> list[str]:
    """One line for each check."""
    lines = []
    for outcome in result.verdict.outcomes:
        words = {"passed": "star", "failed": "no star"} if outcome.check.stretch else {"failed": "FAILED"}
        lines += look.labelled(words.get(outcome.result, outcome.result), outcome.check.sentence)
    return lines


def pass_report(result: Result, look: Look, verbose: bool = False, every_line: bool = False) -> list[str]:
    """The headline of a pass, every check's line on wish, and the stars that are still to be had."""
    verdict = result.verdict
    done, total = verdict.count("passed", False), verdict.total(False)
    line = f"step {result.step.number} passed  {done} of {total} checks"
    if stars := verdict.total(True):
        line += f", stars {verdict.count('passed', True)} of {stars}"
    lines = _painted(look.paragraph(line), "passed", look.good)
    lines += ["", *check_lines(result, look)] if verbose or every_line else []
    for outcome in verdict.outcomes:
        if outcome.check.stretch and outcome.result != "passed":
            if verbose and outcome.failure:
                lines += ["", *explained(outcome, result, look)]
            elif not every_line:
                lines += look.labelled("no star", _lost_star(outcome))
    if verdict.count("passed", True) < stars and not (verbose or every_line):
        lines += look.labelled("more", look.verb("check", result.step.number, "all") + " tells why")
    return lines


def _lost_star(outcome: Outcome) -> str:
    """The sentence of a star that is still to be had, and why it was not judged where it was not."""
    sentence, failure = outcome.check.sentence, outcome.failure
    if outcome.result == "not run":
        return f"{sentence} (It was not run: a star before it never came to its end.)"
    return f"{sentence} ({failure.message}.)" if failure.kind in ("time", "died") else sentence


def fails_newly(result: Result, look: Look) -> list[str]:
    """The checks that fail of a step that had passed, before its checks changed."""
    failed = [o.check for o in result.verdict.outcomes if o.result == "failed" and not o.check.stretch]
    told = f"your file is as it was when step {result.step.number} passed; of its checks, which changed since, "
    lines = look.paragraph(told + ("this one fails now:" if len(failed) == 1 else f"these {len(failed)} fail now:"))
    return [*lines, *(line for check in failed for line in look.labelled("FAILED", check.sentence)), ""]


def explained(outcome: Outcome, result: Result, look: Look) -> list[str]:
    """One failed check: its sentence, what it saw, what was wanted, why, where, and what was printed meanwhile."""
    failure = outcome.failure
    loads = result.verdict.kind is not Kind.CANNOT_LOAD
    lines = look.paragraph(outcome.check.sentence, "  ", most=3) if loads else []
    if failure.kind == "check":
        lines += look.labelled("call", failure.parts["call"], 4)
        lines += look.labelled("got", failure.parts["got"], 12)
        lines += look.labelled("wanted", failure.parts["wanted"], 12)
        if failure.parts["trace"]:
            lines += look.labelled("trace", "\n".join(failure.parts["trace"]), 16)
        lines += look.labelled("why", failure.parts["why"], 8)
        if mistake := looks_like(outcome, result.step, result.verdict):
            lines += look.paragraph(f"this looks like: {mistake}", "  ")
    else:
        lines += look.labelled("what", _what(failure, result), 8)
        if failure.kind == "error" and (cause := cause_of(failure.type, failure.message)):
            lines += look.labelled("why", f"{cause}.", 8)
    lines += _where(failure, result, look)
    if result.output is not None:
        lines += _printed(result.output.of(outcome.check.name), look)
    return lines


def _headline(result: Result, look: Look, all_told: bool) -> list[str]:
    verdict, number = result.verdict, result.step.number
    if verdict.kind is Kind.CANNOT_LOAD:
        return [f"step {number} {look.bad('cannot be loaded')}"]
    passed, total = verdict.count("passed", False), verdict.total(False)
    then = "" if all_told else ", then came this:"
    told = look.paragraph(f"step {number} failed  passed {passed} of {total} checks{then}")
    return _painted(told, "failed", look.bad)


def _painted(lines: list[str], word: str, paint: Callable[[str], str]) -> list[str]:
    """The first line's word in colour: only now, since a colour takes no room and would be counted."""
    return [lines[0].replace(word, paint(word), 1), *lines[1:]]


def _what(failure: Failure, result: Result) -> str:
    if failure.kind in _EXPLAINED:
        return _EXPLAINED[failure.kind]
    if failure.kind == "undefined":
        return _undefined(failure, result)
    if failure.type == "SystemExit":
        return f"sys.exit({failure.message}) was called: it would end whatever program uses this step"
    if failure.type == "BdbQuit" or "Quitting debugger" in failure.message:
        return "breakpoint() was called, and there is nobody to type here: run pytest itself to use the debugger"
    if failure.type == "Exit":
        return "pytest.exit was called: it ends the checks"
    return ": ".join(part for part in (failure.type, failure.message) if part and part != "LeavingRefused")


def _undefined(failure: Failure, result: Result) -> str:
    name, file = failure.parts["name"], failure.parts["file"]
    text = f"{name_of(file)} does not define {name}"
    if result.source is not None and not result.source.tree.body:
        text += "; it is empty"
    if result.source is not None and str(result.file) == file:
        near = difflib.get_close_matches(name, result.source.definitions(), n=1, cutoff=0.5)
        text += f"; it has {near[0]} in line {result.source.definitions()[near[0]]}" if near else ""
    return text


def _where(failure: Failure, result: Result, look: Look) -> list[str]:
    """The solution's own frames; without one, the definition that was called."""
    lines: list[str] = []
    for frame in failure.frames[-3:]:
        place = _place(frame["file"], frame["line"])
        inside = "" if frame["function"] in ("", "<module>") else f", in {frame['function']}"
        text = frame["text"] or line_of(frame["file"], frame["line"])
        label = "where" if not lines else ""
        lines += look.labelled(label, f"{place}{inside}" + (f"\n    {text}" if text else ""), 4)
    if lines:
        return lines
    called = failure.parts.get("call", "").partition("(")[0].strip().rpartition(".")[2]
    line = result.source.definitions().get(called) if result.source else None
    return look.labelled("where", _place(str(result.file), line) + (f", {called}" if line else ""))


def _place(file: str, line: int | None) -> str:
    return name_of(file) + (f", line {line}" if line else "")


def _printed(section: Section, look: Look) -> list[str]:
    head, left_out, tail = section.texts()
    lines = [line for line in head.strip("\n").split("\n") if line.strip()]
    if not lines:
        return []
    last = [line for line in tail.strip("\n").split("\n") if line.strip()][-2:] if left_out else []
    shown = lines[:6] if left_out or len(lines) > 8 else lines
    if not left_out and len(lines) > len(shown):
        last = lines[-2:]
    room = look.width * 2
    shown, last = [_short(line, room) for line in shown], [_short(line, room) for line in last]
    rest = section.size - sum(len(line.encode()) + 1 for line in (*shown, *last))
    if last or rest > 10:
        shown += [f"… and {rest:,} more characters" + (", the last of them:" if last else ""), *last]
    return look.labelled("printed", "\n".join(shown), 16)


def _short(line: str, most: int) -> str:
    return line if len(line) <= most else line[:most]


def _still_open(result: Result, look: Look) -> list[str]:
    gaps = result.source.gaps(result.step.number) if result.source else []
    places = ", ".join(f"line {gap.line}" + (f" ({gap.inside})" if gap.inside else "") for gap in gaps)
    return look.labelled("open", places) if gaps else []


def _without_return(result: Result, look: Look) -> list[str]:
    """Functions that give None because their last line is missing."""
    never = result.source.without_return() if result.source else {}
    places = ", ".join(f"{name} in line {line}" for name, line in never.items())
    return look.labelled("note", f"no value is ever returned by {places}: is a `return` missing?") if never else []


def _todo(result: Result, look: Look) -> list[str]:
    """Not started, or not finished; an empty list where it is neither (the learner's own NotImplementedError)."""
    failure, step = result.verdict.first.failure, result.step
    frame = failure.frames[-1] if failure.frames else {"file": str(result.file), "line": None}
    other = step_of_module(name_of(frame["file"]).rpartition("/")[2].removesuffix(".py"))
    place = _place(frame["file"], frame["line"])
    if other is not None and other != step:
        lines = [f"step {step.number} needs step {other.number}, which is {look.bad('not started')}: {place}"]
        return lines + _start_lines(other, look)
    gaps = result.source.gaps(step.number) if result.source else []
    passed = result.verdict.count("passed", False)
    if not passed and len(gaps) >= result.gaps_of_stub:
        lines = look.paragraph(f"step {step.number} is {look.bad('not started')}: {place}")
        lines += look.labelled("about", lessons.what_it_is_about(step) or step.title, 5)
    else:
        done = f"passed {passed} of {result.verdict.total(False)} checks"
        lines = look.paragraph(f"step {step.number} is {look.bad('not finished')}  {done}: {place}")
        lines += _still_open(result, look)
    lines += look.labelled("to write", failure.message.partition(": ")[2] or failure.message, 3)
    return lines + _start_lines(step, look)


def _start_lines(step: Step, look: Look) -> list[str]:
    lesson = look.labelled("lesson", name_of(step.lesson)) if step.lesson.exists() else []
    hint = look.labelled("hint", look.verb("hint", step.number))
    return [*lesson, *hint, *look.labelled("then", look.verb("check", step.number))]
