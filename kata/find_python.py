"""Finds a Python that the kata runs on. An older Python (3.6 and later) can read this file too."""

import os
import subprocess
import sys

OLDEST, NEWEST = (3, 11), (3, 13)  # all between are tested; a newer one is taken where there is no other


def run_with_newer_python(arguments):
    """Go on with `python -m kata ARGUMENTS` on a Python that is new enough; the exit status."""
    command = find_python()
    if command is None:
        version = sys.version.split()[0]
        print(f"the kata needs Python 3.11 or newer, and this one is {version}: install one", file=sys.stderr)
        return 2
    return subprocess.call([*command, "-m", "kata", *arguments])


def find_python():
    """The command of a Python with `venv`, as a list; None where there is none."""
    newer = None
    for command in _candidates():
        version = _version_of(command)
        if version is not None and OLDEST <= version <= NEWEST:
            return command
        if version is not None and version > NEWEST:
            newer = newer or command
    return newer


def _candidates():
    here = getattr(sys, "_base_executable", None) or sys.executable  # in an environment, the Python it was made from
    versions = [f"3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    launcher = [["py", f"-{version}"] for version in versions] if os.name == "nt" else []
    return [[here], *launcher, *([f"python{version}"] for version in versions), ["python3"], ["python"]]


def _version_of(command):
    """(major, minor) of a Python that can make an environment, or None."""
    code = "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])"
    try:
        run = subprocess.run([*command, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30)
        major, minor = run.stdout.split()
        return (int(major), int(minor)) if run.returncode == 0 else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
