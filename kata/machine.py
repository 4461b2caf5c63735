"""What a measurement holds for: this machine, its system, the versions installed, the commit, and when it was."""

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kata.steps import ROOT

PACKAGES = ("torch", "transformers", "tokenizers")


def made_with(packages: Sequence[str] = PACKAGES) -> dict[str, object]:
    """The card of this machine, for JSON; None where something cannot be had.

    threads: what torch computes on where it is imported, else what OMP_NUM_THREADS says.
    """
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "threads": _threads(),
    } | {package: _version(package) for package in packages}


def _threads() -> int | str | None:
    torch = sys.modules.get("torch")  # not imported for this: a card of a run without it needs none
    return torch.get_num_threads() if torch is not None else os.environ.get("OMP_NUM_THREADS")


def _cpu() -> str | None:
    """The processor's name, from where each system keeps it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    named = _said_by("sysctl", "-n", "machdep.cpu.brand_string") if sys.platform == "darwin" else None
    return named or platform.processor() or platform.machine() or None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    return _said_by("git", "rev-parse", "--short", "HEAD")


def _said_by(*command: str) -> str | None:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None
