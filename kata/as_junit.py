"""Verdicts and progress as JUnit's XML, which CI systems read: `check --junit FILE` and `progress --junit FILE`.

A check that was not run, and a star that was not earned, are skipped and not failed: neither holds a step up.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from kata.as_json import message_of, outcome_of, versions
from kata.check import Result
from kata.files import write_atomically
from kata.look import harmless, name_of
from kata.path import Place, State
from kata.source import digest_of
from kata.steps import EXERCISES
from kata.verdict import Failure, Kind, Outcome


def write_check(results: Sequence[Result], file: Path) -> None:
    """A suite for each step that was checked. `OSError` where it cannot be written."""
    root = Element("testsuites", name="inference-kata")
    for result in results:
        _add_step(root, result)
    _write(root, file)


def write_progress(places: Sequence[Place], file: Path) -> None:
    """One suite, a case for each step; what has not passed is skipped, with its state."""
    root = Element("testsuites", name="inference-kata")
    suite = SubElement(root, "testsuite", name="progress")
    for place in places:
        case = SubElement(suite, "testcase", classname="progress", name=f"step {place.step.number}: {place.step.title}")
        case.set("file", name_of(place.step.file_in(EXERCISES)))
        if place.state is not State.PASSED:
            SubElement(case, "skipped", message=place.state.value)
    _count(suite)
    _write(root, file)


def _add_step(root: Element, result: Result) -> None:
    step = result.step
    suite = SubElement(root, "testsuite", name=f"step {step.number}: {step.title}")
    properties = SubElement(suite, "properties")
    digest = result.source.digest if result.source else digest_of(result.file)
    told = {"file": name_of(result.file), "sha256": digest, "outcome": outcome_of(result), **versions()}
    for name, value in told.items():
        SubElement(properties, "property", name=name, value=str(value))
    for outcome in result.verdict.outcomes:
        _add_case(suite, outcome, result)
    if result.verdict.kind is Kind.BROKEN:
        _add_trouble(suite, result, "error", "the checks could not be run", result.verdict.broken)
    elif result.changed_meanwhile and result.verdict.kind is Kind.PASSED:
        _add_trouble(suite, result, "failure", "the file changed while it was checked", "")
    _count(suite)


def _add_case(suite: Element, outcome: Outcome, result: Result) -> None:
    case = SubElement(suite, "testcase", classname=result.step.module, name=outcome.check.name)
    case.set("time", f"{outcome.seconds or 0:.4f}")
    if outcome.failure and not outcome.check.stretch:
        failure = SubElement(case, "failure", message=_clean(message_of(outcome.failure)), type=outcome.failure.kind)
        failure.text = _clean(_whole(outcome, outcome.failure))
    elif outcome.failure:
        SubElement(case, "skipped", message=_clean(f"no star: {message_of(outcome.failure)}"))
    elif outcome.result == "not run":
        SubElement(case, "skipped", message="not run")


def _add_trouble(suite: Element, result: Result, kind: str, message: str, text: str) -> None:
    case = SubElement(suite, "testcase", classname=result.step.module, name="the run of the checks", time="0.0000")
    SubElement(case, kind, message=message).text = _clean(text)


def _whole(outcome: Outcome, failure: Failure) -> str:
    """The check's sentence, what it saw, and where in the solution."""
    parts = [(name, failure.parts.get(name)) for name in ("call", "got", "wanted", "why")]
    lines = [outcome.check.sentence, *(f"{name}: {text}" for name, text in parts if text)]
    lines += [] if failure.kind == "check" else [message_of(failure)]
    return "\n".join(lines + [f"{name_of(frame['file'])}:{frame['line']}" for frame in failure.frames])


def _count(suite: Element) -> None:
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("time", f"{sum(float(case.get('time', 0)) for case in suite.findall('testcase')):.4f}")


def _clean(text: str) -> str:
    """XML has no way to write most control characters."""
    return harmless(text)


def _write(root: Element, file: Path) -> None:
    ElementTree.indent(root)
    write_atomically(file, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
