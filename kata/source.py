"""Reads a learner's file as text: whether it compiles, which gaps are still open, what it defines. It runs nothing."""

import ast
import hashlib
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class CannotLoad(ValueError):
    """A file that is no Python module as it stands: where, and what is wrong with it."""

    def __init__(self, what: str, line: int | None = None, text: str = "") -> None:
        super().__init__(what)
        self.what, self.line, self.text = what, line, text


@dataclass(frozen=True)
class Gap:
    """A `raise NotImplementedError("TODO N: …")` that is still there."""

    line: int
    inside: str  # the function or class around it, "" at the top of the file
    task: str


@dataclass(frozen=True)
class Source:
    """A file as it was read: its digest, and its parsed text."""

    file: Path
    digest: str
    tree: ast.Module

    def gaps(self, number: int) -> list[Gap]:
        """The gaps of step `number` that are still open, in the order of the file."""
        return gaps_in(self.tree, number)

    def definitions(self) -> dict[str, int]:
        """Functions, classes and methods to the line where each begins; of two the first."""
        found: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.setdefault(node.name, node.lineno)
        return found

    def without_return(self) -> dict[str, int]:
        """Functions that say they return something, and never do, to the line where each begins."""
        return {
            node.name: node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _promises(node) and not _gives(node)
        }


def _promises(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returns = function.returns
    return returns is not None and not (isinstance(returns, ast.Constant) and returns.value is None)


def _gives(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether its own lines return a value, yield, or end with an error or a `...`."""
    last = function.body[-1]
    if isinstance(last, ast.Raise) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)):
        return True
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value is not None)
        for node in _own(function)
    )


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes in a function that are in no other one within it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from _own(node)


def digest_of(file: Path) -> str | None:
    """The file's sha256, or None where there is nothing to read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def line_of(file: Path | str, line: int | None) -> str:
    """One line of a file, without its indent; empty where it cannot be had or is no text."""
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()[line - 1].strip() if line else ""
    except (OSError, IndexError, ValueError):
        return ""


def read(file: Path) -> Source:
    """The file, read and compiled, not run; `CannotLoad` says why it is none."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise CannotLoad("the file is not there") from None
    except OSError as error:
        raise CannotLoad(f"the file cannot be read: {error.strerror or error}") from None
    _decode(data)
    return Source(file, hashlib.sha256(data).hexdigest(), _parse(data, file))


def _decode(data: bytes) -> None:
    if data.startswith(_UTF16):
        raise CannotLoad("the file is saved as UTF-16; Python reads UTF-8: save it again as UTF-8", 1)
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise CannotLoad("there are null bytes in the file: it is no text, or no UTF-8; save it again as UTF-8", line)
    try:
        encoding = _encoding(data)
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        bad = f"byte 0x{data[error.start]:02x}"
        raise CannotLoad(f"{bad} is no {error.encoding} text: save the file again as UTF-8", line) from None


def _encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        data.decode("utf-8")  # a byte that is no UTF-8 is the commoner reason, and is said better
        raise CannotLoad(f"the file's `coding:` line cannot be followed: {error.msg}", 1) from None


def _parse(data: bytes, file: Path) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data, str(file))
            compile(tree, str(file), "exec")
    except SyntaxError as error:
        if (at := _conflict(data)) is not None:
            told = "git has left a conflict here: keep the lines that you want, and delete the others and git's marks"
            raise CannotLoad(told, at) from None
        text = (error.text or "").strip()
        raise CannotLoad(f"{type(error).__name__}: {error.msg}", error.lineno, text) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CannotLoad(f"Python cannot compile it: {type(error).__name__} {error}".rstrip()) from None
    return tree


def _conflict(data: bytes) -> int | None:
    """The line where git marks the first of two versions, where it has left both."""
    lines = data.splitlines()
    if not all(any(line.startswith(mark) for line in lines) for mark in (b"<<<<<<< ", b"=======", b">>>>>>> ")):
        return None
    return next(at for at, line in enumerate(lines, start=1) if line.startswith(b"<<<<<<< "))


def gaps_in(tree: ast.Module, number: int) -> list[Gap]:
    """The open gaps of step `number` in a parsed file, in order."""
    return sorted(_gaps(tree, number, ""), key=lambda gap: gap.line)


def _gaps(node: ast.AST, number: int, inside: str) -> list[Gap]:
    gaps = []
    for child in ast.iter_child_nodes(node):
        name = getattr(child, "name", None)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and name:
            gaps += _gaps(child, number, f"{inside}.{name}" if inside else name)
        elif isinstance(child, ast.Raise):
            message = _message_of(child)
            if re.match(rf"TODO {number}\b", message):
                gaps.append(Gap(child.lineno, inside, message.partition(": ")[2]))
        else:
            gaps += _gaps(child, number, inside)
    return gaps


def _message_of(node: ast.Raise) -> str:
    """The text of `raise NotImplementedError("text")`, else an empty one."""
    match node.exc:
        case ast.Call(func=ast.Name(id="NotImplementedError"), args=[ast.Constant(value=str(text))]):
            return text
    return ""
