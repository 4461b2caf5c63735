"""Which checks a step has, read from its file of checks without running it.

The runner takes nobody's word for what was to be run: it reads the file itself and then wants evidence for each name.
"""

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

NOT_HERE = frozenset({"gpu", "real"})  # marks of checks that need a device or weights: they are not part of a verdict
_HINT = re.compile(r"^Hint: (.+?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Check:
    """One check: its function's name, the sentence that a learner reads, whether it only earns a star, its hint."""

    name: str
    sentence: str
    stretch: bool = False
    hint: str = ""  # what `make hint` says where this check failed


def checks_in(test_file: Path) -> list[Check]:
    """The checks of a file, required ones first, each in the order of the file.

    `OSError` where the file cannot be read, `SyntaxError` where it is no Python.
    """
    return list(_checks_in(test_file.read_bytes(), str(test_file)))


@functools.lru_cache(maxsize=16)
def _checks_in(source: bytes, name: str) -> tuple[Check, ...]:
    tree = ast.parse(source, name)
    everywhere = _file_marks(tree)
    checks = {}  # by name: a second function of one name replaces the first, as it does in Python
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            marks = everywhere | _marks(node.decorator_list)
            checks[node.name] = None if marks & NOT_HERE else _check(node, "stretch" in marks)
    return tuple(sorted((check for check in checks.values() if check), key=lambda check: check.stretch))


def _check(node: ast.FunctionDef | ast.AsyncFunctionDef, stretch: bool) -> Check:
    """The docstring's first line is the sentence, its paragraph `Hint: …` the hint."""
    docstring = ast.get_docstring(node) or ""
    sentence = docstring.partition("\n")[0].strip() or node.name.removeprefix("test_").replace("_", " ")
    hint = _HINT.search(docstring)
    return Check(node.name, sentence, stretch, " ".join(hint[1].split()) if hint else "")


def _file_marks(tree: ast.Module) -> set[str]:
    """The marks of `pytestmark = …` at the top of a file."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets):
            return _marks(node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value])
    return set()


def _marks(nodes: list[ast.expr]) -> set[str]:
    """`pytest.mark.stretch` and `pytest.mark.timeout(60)` are the marks `stretch` and `timeout`."""
    names = set()
    for node in nodes:
        target = node.func if isinstance(node, ast.Call) else node
        match target:
            case ast.Attribute(value=ast.Attribute(attr="mark") | ast.Name(id="mark"), attr=name):
                names.add(name)
    return names
