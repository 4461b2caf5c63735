"""Reads a test that let broken servers through, and says why it cannot tell them from right ones.

Only a help for the reader: the verdict comes from the duel. Each habit is one that people were seen with.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

Test = ast.FunctionDef | ast.AsyncFunctionDef


def diagnose(file: Path, family: str) -> str:
    """The first known habit in the tests of the family, with its line; "" where there is none."""
    tree = ast.parse(file.read_bytes())
    tests = [node for node in ast.walk(tree) if isinstance(node, Test) and node.name.startswith(family)]
    for habit in HABITS:
        for test in tests:
            for line, what in habit(test):
                return f"Line {line}: {what}"
    if tests and not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return f"{family} has no assert: to send a request is not to test the answer."
    return ""


def _asserts(test: Test) -> Iterator[ast.Assert]:
    return (node for node in ast.walk(test) if isinstance(node, ast.Assert))


def _tuples(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        if isinstance(node.test, ast.Tuple) and node.test.elts:
            yield node.lineno, "an assert on a tuple always passes, since a tuple with something in it is true."


def _always_true(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        is_or = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or)
        parts = node.test.values if is_or else [node.test]
        for part in parts:
            if isinstance(part, ast.Constant) and part.value:
                how = "is" if len(parts) == 1 else f"ends in `or {part.value!r}`, which is"
                yield node.lineno, f"what is asserted {how} always true."


def _swallowed(test: Test) -> Iterator[tuple[int, str]]:
    for node in ast.walk(test):
        if isinstance(node, ast.Try) and any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
            for handler in node.handlers:
                if not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler)):
                    if keyed := _missing(handler.type):
                        yield handler.lineno, f"a {keyed} is your alarm: this `except` swallows it, so the test passes."
                    else:
                        yield handler.lineno, "this `except` swallows the failed assert, so the test passes."


def _missing(*caught: ast.expr | None) -> str:
    """The first of these exceptions, where all are the ones that a missing or wrong field raises."""
    flat = [name for each in caught for name in (each.elts if isinstance(each, ast.Tuple) else [each])]
    names = [name.id if isinstance(name, ast.Name) else "" for name in flat]
    return names[0] if names and set(names) <= {"KeyError", "TypeError", "IndexError"} else ""


def _suppressed(test: Test) -> Iterator[tuple[int, str]]:
    for node in ast.walk(test):
        if not isinstance(node, ast.With):
            continue
        for call in (item.context_expr for item in node.items if "suppress" in ast.unparse(item.context_expr)):
            if keyed := isinstance(call, ast.Call) and _missing(*call.args):
                yield node.lineno, f"a {keyed} is your alarm: here it is suppressed, so the test passes."
            else:
                yield node.lineno, "what is suppressed here includes the failed assert, so the test passes."


def _thrown_away(test: Test) -> Iterator[tuple[int, str]]:
    for node in ast.walk(test):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
            yield node.lineno, "a comparison without `assert` is worked out and thrown away."


def _mere_presence(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        match node.test:
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                yield node.lineno, "`is not None` is true of every answer, and of a count of zero."
            case ast.Name(id=name) if "resp" in name or name in ("r", "res", "answer"):
                yield node.lineno, f"`assert {name}` only says that there was an answer; look at its status_code."
            case ast.Attribute(attr="status_code"):
                yield node.lineno, "every status code is true, 500 too: compare it."


def _lenient_status(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        for inner in ast.walk(node):
            match inner:
                case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple() | ast.List() | ast.Set() as allowed]):
                    codes = [code.value for code in allowed.elts if isinstance(code, ast.Constant)]
                    if any(isinstance(code, int) and code >= 300 for code in codes):
                        yield node.lineno, "a status that means failure is allowed here."


def _many_successes(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        if "is_success" in ast.unparse(node) or "status_code < " in ast.unparse(node):
            yield node.lineno, "other statuses than 200 pass here."


HABITS: tuple[Callable[[Test], Iterator[tuple[int, str]]], ...] = (
    _tuples,
    _always_true,
    _swallowed,
    _suppressed,
    _thrown_away,
    _lenient_status,
    _mere_presence,
    _many_successes,
)
