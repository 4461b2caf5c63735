"""Makes the kata's own environment, `.venv`, and keeps it in step with `pyproject.toml` and `constraints.txt`.

Which Python runs the checks, the first of these:

1. the one that KATA_PYTHON names (nothing is installed then);
2. an active virtual or conda environment that has everything already;
3. `.venv`, made here, mended where it is half made or broken, left alone while its stamp is up to date.

The stamp is written last, after everything was imported once: without it the environment counts as half made.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from kata.files import write_atomically
from kata.find_python import OLDEST, find_python
from kata.requirements import lacking, name_in, requirements
from kata.steps import ROOT

VENV = ROOT / ".venv"
STAMP = VENV / "kata-stamp"
CONSTRAINTS = ROOT / "constraints.txt"
LOG = ROOT / ".kata" / "setup.log"
_IMPORT_ALL = """
import importlib, importlib.metadata, importlib.util, sys
for name in sys.argv[1:]:
    for file in importlib.metadata.files(name) or ():
        if file.suffix in (".py", ".so", ".pyd") and not file.locate().exists():
            sys.exit(f"{name}: {file} is missing")
    if importlib.util.find_spec(name.replace("-", "_")):
        importlib.import_module(name.replace("-", "_"))
"""


class SetupFailed(Exception):
    """There is no environment to run in; the text says why, and what to do."""


def python_to_use() -> Path | None:
    """The Python to go on with, set up where need be; None where it is the running one."""
    if os.environ.pop("KATA_REEXECUTED", None):
        return None
    if chosen := os.environ.get("KATA_PYTHON"):
        found = shutil.which(chosen)
        if found is None:
            raise SetupFailed(f"KATA_PYTHON={chosen}: there is no such program")
        return None if Path(found) == Path(sys.executable) else Path(found)
    if runs_in_venv():
        set_up()
        return None
    if _is_active_environment() and not lacking(requirements(), map(Path, sys.path)):
        return None
    set_up()
    return venv_python()


def set_up() -> None:
    """Bring `.venv` up to date; at once where it is."""
    if is_ready():
        return
    started = time.monotonic()
    try:
        LOG.parent.mkdir(parents=True, exist_ok=True)
        LOG.write_bytes(b"")
        STAMP.unlink(missing_ok=True)
        old = _is_usable()
        if not old:
            _make()
        _install()
        whole = _import_all()
        if old and not whole:  # pip believes that it is
            _make()
            _install()
            whole = _import_all()
        if not whole:
            raise SetupFailed(f"what was installed cannot be imported: {_last_error()}\nAll of it is in {LOG}.")
        write_atomically(STAMP, fingerprint().encode())
    except OSError as error:
        raise SetupFailed(f"{VENV} cannot be set up: {error}") from error
    _tell(f"the environment is ready after {time.monotonic() - started:.0f} s\n")


def is_ready() -> bool:
    """Whether `.venv` is whole and up to date. It reads names and three small files, and starts nothing."""
    try:
        stamped = STAMP.read_text(encoding="utf-8")
    except OSError:
        return False
    return stamped == fingerprint() and venv_python().exists() and not lacking(requirements(), _venv_packages())


def fingerprint() -> str:
    """What the environment was made from: the dependencies, their pinned versions, and its Python."""
    pinned = CONSTRAINTS.read_text(encoding="utf-8") if CONSTRAINTS.exists() else ""
    settings = (VENV / "pyvenv.cfg").read_text(encoding="utf-8") if (VENV / "pyvenv.cfg").exists() else ""
    version = [line for line in settings.splitlines() if line.startswith("version")]
    return hashlib.sha256(json.dumps([requirements(), pinned, version]).encode()).hexdigest()


def runs_in_venv() -> bool:
    return Path(sys.prefix) == VENV


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(packages: Sequence[str], *options: str, python: Path | None = None) -> None:
    """`pip install` within the pinned versions; what pip says goes to the log."""
    command = [str(python or venv_python()), "-m", "pip", "install", "--disable-pip-version-check", *options]
    if CONSTRAINTS.exists():
        command += ["-c", str(CONSTRAINTS)]
    if _logged([*command, *packages]) != 0:
        raise SetupFailed(
            f"pip could not install everything: {_last_error()}\nAll that it said is in {LOG}. Without a network: set "
            f"KATA_PYTHON to a Python that has the packages of pyproject.toml."
        )


def _is_active_environment() -> bool:
    return sys.prefix != sys.base_prefix or os.environ.get("CONDA_PREFIX") == sys.prefix


def _is_usable() -> bool:
    """Whether `.venv` has a Python that runs, is new enough and has pip."""
    code = f"import pip, sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        return venv_python().exists() and _logged([str(venv_python()), "-c", code]) == 0
    except OSError:
        return False


def _make() -> None:
    python = find_python()
    if python is None:
        raise SetupFailed("no Python from 3.11 on with the module venv was found; on Debian: apt install python3-venv")
    _tell(f"setting up {VENV.name}, once: making the environment")
    if _logged([*python, "-m", "venv", "--clear", str(VENV)]) != 0:
        raise SetupFailed(f"{' '.join(python)} -m venv failed: {_last_error()}\nAll that it said is in {LOG}.")


def _install() -> None:
    wanted = requirements()
    _tell(f"setting up {VENV.name}: installing {len(wanted)} packages, torch is the large one (some minutes)")
    install(wanted)


def _import_all() -> bool:
    _tell(f"setting up {VENV.name}: importing everything once")
    return _logged([str(venv_python()), "-c", _IMPORT_ALL, *map(name_in, requirements())]) == 0


def _venv_packages() -> list[Path]:
    return [*VENV.glob("lib/python3.*/site-packages"), VENV / "Lib" / "site-packages"]


def _logged(command: Sequence[str]) -> int:
    with LOG.open("ab") as log:
        log.write(f"\n$ {' '.join(command)}\n".encode())
        log.flush()
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT)


def _last_error() -> str:
    """What the command that ran last has to say: its first line that begins with ERROR, else its last line."""
    _, _, told = LOG.read_text(encoding="utf-8", errors="replace").rpartition("\n$ ")
    lines = [line.strip() for line in told.splitlines()[1:] if line.strip()] or ["it said nothing"]
    return next((line for line in lines if line.startswith("ERROR")), lines[-1])


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    try:
        set_up()
    except SetupFailed as failed:
        sys.exit(str(failed))
