"""Makes the mutants of a Python file: cosmic-ray and mutmut, which know nothing of the kata, each change one place.

Knows nothing of checks. Only the operators of the two are used, not their runners: theirs would start from nothing for
each mutant, and mutmut leaves out every function that has a decorator.
"""

import ast
import difflib
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

TOOLS = ("cosmic_ray", "mutmut")
HARMFUL = re.compile(r"\bkill(pg)?\(")
MISSING = 'mutation needs cosmic-ray and mutmut, which set-up leaves out: python -m pip install ".[mutate]"'


@dataclass(frozen=True)
class Mutant:
    """The text of a file that one operator of a tool has changed, and what it changed."""

    file: str  # from the project's root: `reference/step_05_metrics.py`
    operator: str  # `cosmic-ray NumberReplacer`
    text: str
    line: int  # of the original, counted from 1
    where: str  # the function or class around it, `CachedEngine.generate`; `module` outside of all
    before: str  # the lines that are changed, as they were; blanks count as one
    after: str

    @cached_property
    def key(self) -> tuple[str, str, str, str]:
        """What it is, wherever its lines have moved to."""
        return self.file, self.where, self.before, self.after


def why_missing() -> str:
    """Why there can be no mutants here, in a line; "" where all is well."""
    try:
        for name in TOOLS:
            importlib.import_module(name)
    except ImportError:
        return MISSING
    return ""


def mutants_of(file: str, text: str) -> list[Mutant]:
    """All mutants that differ from the text and from each other once it runs, from top to bottom.

    What is no Python is left out, and so is what changes nothing but a docstring or the annotation of a function. A
    line that sends a signal is left alone: its mutants might end what is none of their business.
    """
    seen, found = {_meaning(text)}, []
    for operator, mutated in [*_cosmic_ray(text), *_mutmut(text)]:
        try:
            meaning = _meaning(mutated)
        except SyntaxError:
            continue
        if meaning not in seen:
            seen.add(meaning)
            found.append(_mutant(file, text, operator, mutated))
    return sorted((one for one in found if not HARMFUL.search(one.before)), key=lambda mutant: mutant.line)


def _cosmic_ray(text: str) -> Iterator[tuple[str, str]]:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    for name in operator_names():
        operator, occurrence = get_operator(name), 0
        if operator.arguments():
            continue  # these put a number at random in the place of a variable that must be named
        while (mutated := mutate_code(text, operator(), occurrence)) is not None:
            yield f"cosmic-ray {name.rpartition('/')[2]}", mutated
            occurrence += 1


def _mutmut(text: str) -> Iterator[tuple[str, str]]:
    import libcst
    from libcst.metadata import MetadataWrapper
    from mutmut.mutation.mutators import mutation_operators

    module = MetadataWrapper(libcst.parse_module(text)).module  # in which no node stands twice
    nodes: list[libcst.CSTNode] = [module]
    while nodes:
        node = nodes.pop()
        nodes += reversed(node.children)
        for kind, operator in mutation_operators:
            for changed in operator(node) if isinstance(node, kind) else ():
                yield f"mutmut {operator.__name__.removeprefix('operator_')}", module.deep_replace(node, changed).code


def _meaning(text: str) -> str:
    """What of the text has an effect; `SyntaxError` where it is no Python."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
            for line in ast.walk(node):  # annotations that are never evaluated
                if isinstance(line, ast.AnnAssign):
                    line.annotation = ast.Constant(None)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            node.body = [line for line in node.body if not _is_docstring(line)]
    return ast.dump(tree)


def _is_docstring(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def _mutant(file: str, text: str, operator: str, mutated: str) -> Mutant:
    old, new = text.splitlines(), mutated.splitlines()
    matches = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [change for change in matches if change[0] != "equal"]
    first, last = changes[0], changes[-1]
    before, after = old[first[1] : last[2]], new[first[3] : last[4]]
    return Mutant(file, operator, mutated, first[1] + 1, _around(text, first[1] + 1), _plain(before), _plain(after))


def _around(text: str, line: int) -> str:
    """The names of the functions and classes that hold a line, outermost first."""
    names, nodes = [], ast.parse(text).body
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= node.end_lineno:
                names.append(node.name)
                nodes = list(node.body)
    return ".".join(names) or "module"


def _plain(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
