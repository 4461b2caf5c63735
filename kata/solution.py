"""Loads a solution: a mapping from step numbers to files, as one package whose steps import each other relatively.

One loader serves the learner's files, the reference, a fault laid over the reference, and a spy laid under a step.
It knows nothing of checks.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, ModuleType

from kata.steps import STEPS, get_step, step_of_module

Source = Path | ModuleType
_serial = itertools.count(1)


class Solution:
    """Steps from anywhere, under a package name of their own.

    A source is a file, or a module made by a check (a spy). Two solutions never share a module.
    """

    def __init__(self, sources: Mapping[int, Source]) -> None:
        self.sources = dict(sources)
        self.package = f"kata_solution_{next(_serial)}"

    @classmethod
    def in_folder(cls, folder: Path) -> "Solution":
        """The nine steps of one folder; a file that is not there is missed only when its step is loaded."""
        return cls({step.number: step.file_in(folder) for step in STEPS})

    def with_step(self, number: int, source: Source) -> "Solution":
        """A solution like this one, with another source for one step."""
        return type(self)({**self.sources, number: source})

    def load(self, number: int) -> ModuleType:
        """The step's module, and with it the steps that it imports. Whatever its file raises comes through."""
        _finder.make_current(self)
        return importlib.import_module(f"{self.package}.{get_step(number).module}")

    def unload(self) -> None:
        """Forget the modules; objects made from them live on."""
        _finder.forget(self)


class _FreshSourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles the file as it is now: cached bytecode is told apart by whole seconds and size, an edit need not be."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return _compiled(self.get_data(path), path)


@functools.lru_cache(maxsize=64)
def _compiled(source: bytes, path: str) -> CodeType:
    """One text is compiled once, however often it is loaded afresh."""
    return importlib.machinery.SourceFileLoader("", path).source_to_code(source, path)


class _SpyLoader(importlib.abc.Loader):
    """Hands out a module that exists already."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        pass


class _SolutionFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of every living solution.

    A step may also write `from exercises.step_02_sampling import …`: that name means the solution loaded last.
    """

    def __init__(self) -> None:
        self.solutions: dict[str, Solution] = {}
        self.current: Solution | None = None

    def make_current(self, solution: Solution) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        if solution.package not in self.solutions:
            package = ModuleType(solution.package)
            package.__path__ = []
            sys.modules[solution.package] = package
            self.solutions[solution.package] = solution
        if self.current is not solution:
            _drop_exercises()
        self.current = solution

    def forget(self, solution: Solution) -> None:
        self.solutions.pop(solution.package, None)
        for name in (solution.package, *(f"{solution.package}.{step.module}" for step in STEPS)):
            sys.modules.pop(name, None)  # by name: nothing else can be in there, and the list of all is long
        if self.current is solution:
            self.current = None
            _drop_exercises()

    def find_spec(self, fullname: str, path: object = None, target: object = None):
        package, _, name = fullname.rpartition(".")
        step = step_of_module(name)
        if step is None:
            return None
        if package == "exercises" and self.current is not None:
            module = importlib.import_module(f"{self.current.package}.{name}")
            return importlib.util.spec_from_loader(fullname, _SpyLoader(module))
        if package not in self.solutions:
            return None
        source = self.solutions[package].sources.get(step.number)
        if source is None:
            raise ModuleNotFoundError(f"this solution has no step {step.number}", name=fullname)
        if isinstance(source, ModuleType):
            return importlib.util.spec_from_loader(fullname, _SpyLoader(source))
        loader = _FreshSourceLoader(fullname, str(source))
        return importlib.util.spec_from_file_location(fullname, source, loader=loader)


def _drop_exercises() -> None:
    if "exercises" in sys.modules:
        for name in [name for name in sys.modules if name == "exercises" or name.startswith("exercises.")]:
            del sys.modules[name]


_finder = _SolutionFinder()
