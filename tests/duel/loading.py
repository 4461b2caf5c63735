"""Loads the learner's file for the duel: as a step of its solution, and with asserts that tell what they saw."""

import ast
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest import mock

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from kata.solution import Solution

STEP = 9


class Loader:
    """Gives a fresh module each time. The steps it imports are fresh too, and are the learner's own."""

    def __init__(self, sources: dict[int, Path]) -> None:
        self.sources, self.file = sources, str(sources[STEP])
        self.code: CodeType | None = None

    def load(self, config: pytest.Config) -> ModuleType:
        as_usual = SourceFileLoader.source_to_code

        def telling(loader: SourceFileLoader, data: bytes, path: str, **options: Any) -> CodeType:
            return self._code(data, config) if path == self.file else as_usual(loader, data, path, **options)

        with mock.patch.object(SourceFileLoader, "source_to_code", telling):
            return Solution(self.sources).load(STEP)

    def _code(self, data: bytes, config: pytest.Config) -> CodeType:
        """The file's code after pytest has rewritten its asserts, which it does to files that it imports itself."""
        if self.code is None:
            tree = ast.parse(data, self.file)
            rewrite_asserts(tree, data, self.file, config)
            self.code = compile(tree, self.file, "exec", dont_inherit=True)
        return self.code


def attributes_in(file: Path) -> set[str]:
    """Every name after a dot; none where the file cannot be read, which loading it will tell better."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
