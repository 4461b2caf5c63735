"""Reads a test that let broken servers through, and says why it cannot tell them from right ones.

Only a help for the reader: the verdict comes from the duel. Each habit is one that people were seen with.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

Test = ast.FunctionDef | ast.AsyncFunctionDef


def diagnose(file: Path, family: str) -> str:
    """The first known habit in the tests of the family, with its line; "" where there is none."""
    tree = ast.parse(file.read_bytes())
    tests = [node for node in ast.walk(tree) if isinstance(node, Test) and node.name.startswith(family)]
    for line, name in _replaced(tree, tests):
        return f"Line {line}: this second `{name}` replaces the first, which never runs."
    for habit in HABITS:
        for test in tests:
            for line, what in habit(test):
                return f"Line {line}: {what}"
    if tests and not any(_may_fail(test, tree) for test in tests):
        for line in (line for test in tests for line in _reports(test)):
            return f"Line {line}: what is printed or logged fails no test: assert."
        return f"{family} has no assert: to send a request is not to test the answer."
    return ""


def _replaced(tree: ast.Module, tests: list[Test]) -> Iterator[tuple[int, str]]:
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))):
        seen = set()
        for test in (each for each in scope.body if each in tests):
            if test.name in seen:
                yield test.lineno, test.name
            seen.add(test.name)


def _may_fail(test: Test, tree: ast.Module) -> bool:
    """Whether the test asserts or raises, or uses a function or fixture of the file, which may."""
    words = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    words |= {node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)}
    words |= {node.arg for node in ast.walk(test) if isinstance(node, ast.arg)}
    helpers = {node.name for node in ast.walk(tree) if isinstance(node, Test)}
    return (
        any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(test))
        or bool(words & (helpers | {"fail", "raise_for_status"}))
        or any(word.startswith("assert") for word in words)
    )


def _reports(test: Test) -> Iterator[int]:
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and re.match(r"print$|log(ging|ger)?\.", ast.unparse(node.func)):
            yield node.lineno


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
            if is_true := ALWAYS_TRUE.get(type(part)):
                yield node.lineno, f"{is_true}, whatever stands in it."
            elif isinstance(part, ast.Constant) and part.value:
                how = "is" if len(parts) == 1 else f"ends in `or {part.value!r}`, which is"
                yield node.lineno, f"what is asserted {how} always true."


ALWAYS_TRUE = {
    ast.List: "a list with something in it is true",
    ast.Dict: "a dictionary with something in it is true",
    ast.Set: "a set with something in it is true",
    ast.Lambda: "a lambda is true, since nobody calls it",
    ast.GeneratorExp: "a generator is true, since nobody runs it",
}


def _after_the_comma(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        if isinstance(node.msg, ast.Compare | ast.BoolOp):
            yield node.lineno, "what stands after the comma is the assert's message, and not looked at: say `and`."


def _never_heard(test: Test) -> Iterator[tuple[int, str]]:
    called = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    for node in ast.walk(test):
        match node:
            case ast.FunctionDef(name=name) if node is not test and name not in called:
                yield node.lineno, f"nobody calls `{name}`, so nothing in it is asserted."
            case ast.Try(finalbody=[*_, ast.Return()]):
                yield node.finalbody[-1].lineno, "a `return` in `finally` throws the failed assert away."
            case ast.Expr(value=ast.Call(func=ast.Name(id="map" | "filter" as name))):
                yield node.lineno, f"`{name}` calls nothing before somebody takes its items: use a loop."
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="warn") | ast.Name(id="warn"))):
                yield node.lineno, "a warning fails no test: assert."
            case ast.Call(func=ast.Name(id="Thread") | ast.Attribute(attr="Thread")):
                yield node.lineno, "an assert that fails in a thread of its own ends the thread, and not the test."


def _only_if(test: Test) -> Iterator[tuple[int, str]]:
    for node in ast.walk(test):
        if isinstance(node, ast.If) and not node.orelse and any(isinstance(each, ast.Assert) for each in node.body):
            yield node.lineno, "where this `if` does not hold, nothing is asserted."


def takes_text_for_a_number(file: Path, family: str) -> str:
    """What in the file makes a number of a text before anybody looks at it; "" where nothing is known to."""
    tree = ast.parse(file.read_bytes())
    for test in (node for node in ast.walk(tree) if isinstance(node, Test) and node.name.startswith(family)):
        for node in ast.walk(test):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("int", "float"):
                return (
                    f"Line {node.lineno}: `{node.func.id}(…)` makes a number of a text: look at the count as it came."
                )
    models = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.bases)
    for node in (each for model in models for each in model.body):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "output_tokens":
            return f"Line {node.lineno}: pydantic makes a number of a text, unless the field is strict."
    return ""


def makes_a_client(file: Path, name: str) -> bool:
    """Whether the test of this name makes a client of its own."""
    tests = (node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, Test) and node.name == name)
    calls = (node for test in tests for node in ast.walk(test) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func).endswith("Client") for call in calls)


def class_left_out(file: Path, name: str) -> str:
    """The class in which pytest does not look for the test, for its name or its `__init__`; "" where there is none."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        methods = {each.name for each in node.body if isinstance(each, Test)} if isinstance(node, ast.ClassDef) else ()
        if name in methods and ("__init__" in methods or not node.name.startswith("Test")):
            return node.name
    return ""


def _swallowed(test: Test) -> Iterator[tuple[int, str]]:
    for node in ast.walk(test):
        if not isinstance(node, ast.Try):
            continue
        asserts = any(isinstance(inner, ast.Assert) for inner in ast.walk(node))
        for handler in node.handlers:
            raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))
            if asserts and raises and not any(isinstance(inner, ast.Raise) for inner in handler.body):
                yield handler.lineno, "this `except` swallows the failed assert, unless it comes to its `raise`."
            elif not raises and not asserts and isinstance(handler.body[-1], ast.Return):
                yield handler.lineno, "this `except` ends the test, and so it has passed: let the error through."
            elif not raises and asserts:
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


def _is_the_answer(name: str) -> bool:
    return "resp" in name or name in ("r", "res", "answer")


def _mere_presence(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        match node.test:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]) if (
                _is_the_answer(name)
            ):
                yield node.lineno, "`is not None` is true of every answer; look at its status and its body."
            case ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                yield node.lineno, "`is not None` says that something is there; text, zero and less are something too."
            case ast.Name(id=name) if _is_the_answer(name):
                yield node.lineno, f"`assert {name}` only says that there was an answer; look at its status_code."
            case ast.Attribute(attr="status_code"):
                yield node.lineno, "every status code is true, 500 too: compare it."


def _wanted_status(test: Test) -> int:
    return 422 if test.name.startswith("test_rejects") else 200


def _lenient_status(test: Test) -> Iterator[tuple[int, str]]:
    refuses = _wanted_status(test) == 422
    for node in _asserts(test):
        for inner in ast.walk(node):
            match inner:
                case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple() | ast.List() | ast.Set() as allowed]):
                    codes = [code.value for code in allowed.elts if isinstance(code, ast.Constant)]
                    if refuses and any(code in range(100, 600) and code != 422 for code in codes):
                        yield node.lineno, "a status other than 422 is allowed here."
                    elif not refuses and any(isinstance(code, int) and code >= 300 for code in codes):
                        yield node.lineno, "a status that means failure is allowed here."


def _many_statuses(test: Test) -> Iterator[tuple[int, str]]:
    wanted = _wanted_status(test)
    asserted = [(node.lineno, ast.unparse(node)) for node in _asserts(test)]
    if not any(ONE_STATUS.search(said) for _, said in asserted):
        for line, said in asserted:
            if MANY_STATUSES.search(said):
                yield line, f"other statuses than {wanted} pass here."


ONE_STATUS = re.compile(r"status_code == |== .*status_code$")
MANY_STATUSES = re.compile(r"\bis_(success|error|client_error)\b|status_code (<|>|!=|not in|// 100)")


def _one_is_enough(test: Test) -> Iterator[tuple[int, str]]:
    for node in _asserts(test):
        match node.test:
            case ast.Call(func=ast.Name(id="any")):
                yield node.lineno, "one that holds is enough for `any`, whichever it is: ask for the one that counts."
            case ast.BoolOp(op=ast.Or(), values=sides) if not all("isinstance(" in ast.unparse(side) for side in sides):
                yield node.lineno, "where one side of this `or` holds, the other is not looked at: assert both."


def _returns_unasserted(test: Test) -> Iterator[tuple[int, str]]:
    inner = {each for node in ast.walk(test) if isinstance(node, Test) and node is not test for each in ast.walk(node)}
    for node in (node for node in ast.walk(test) if node is not test and node not in inner):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            match block:
                case [ast.Return(value=None, lineno=line)]:
                    yield line, "a test that comes to this `return` has passed, though nothing is asserted there."


HABITS: tuple[Callable[[Test], Iterator[tuple[int, str]]], ...] = (
    _tuples,
    _always_true,
    _after_the_comma,
    _never_heard,
    _swallowed,
    _suppressed,
    _thrown_away,
    _lenient_status,
    _mere_presence,
    _many_statuses,
    _only_if,
    _one_is_enough,
    _returns_unasserted,
)
