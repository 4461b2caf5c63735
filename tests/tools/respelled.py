"""The same program in other words: other names for its variables, no comments, no docstrings, lines cut anew.

Parameters, what stands at the top of the file, and the fields of classes keep their names: others call them by these.
"""

import ast


def respelled(text: str) -> str:
    """The text of a module, written otherwise."""
    tree = ast.parse(text)
    own = _variables(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f"my_{node.id}"
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_text(line)] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def _variables(tree: ast.Module) -> set[str]:
    """What is only ever a variable of functions."""
    inside, others = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inside |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            case ast.Module() | ast.ClassDef():
                others |= {name for line in node.body for name in _set_by(line)}
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                others.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                others |= set(names)
    return inside - others


def _set_by(line: ast.stmt) -> set[str]:
    """The names that a line of a module or class sets, those inside of its functions aside."""
    if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {line.name}
    if isinstance(line, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in line.names}
    return {node.id for node in ast.walk(line) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
