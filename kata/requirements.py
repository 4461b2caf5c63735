"""What the kata needs installed, from `pyproject.toml`, and what of it a folder of packages lacks. It imports none."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from kata.steps import ROOT

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_AT_LEAST = re.compile(r">=\s*([0-9.]+)")


def requirements(root: Path = ROOT) -> list[str]:
    """The dependencies as written, e.g. `torch>=2.6`."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def lacking(wanted: Iterable[str], folders: Iterable[Path]) -> list[str]:
    """The names of those that are not installed in the folders, or too old."""
    versions = _installed(folders)
    return [name for requirement in wanted if not _satisfied(requirement, versions) for name in [name_in(requirement)]]


def name_in(requirement: str) -> str:
    return _NAME.match(requirement)[0]


def _satisfied(requirement: str, versions: dict[str, str]) -> bool:
    version = versions.get(_normal(name_in(requirement)))
    least = _AT_LEAST.search(requirement)
    return version is not None and (least is None or _numbers(version) >= _numbers(least[1]))


def _installed(folders: Iterable[Path]) -> dict[str, str]:
    versions: dict[str, str] = {}
    for folder in folders:
        for info in folder.glob("*.dist-info") if folder.is_dir() else ():
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            versions.setdefault(_normal(name), version)
    return versions


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _numbers(version: str) -> tuple[int, ...]:
    """`2.13.0+cpu` is (2, 13, 0)."""
    return tuple(int(part) for part in re.match(r"[0-9.]*", version)[0].split(".") if part)
