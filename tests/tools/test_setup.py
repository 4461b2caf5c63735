"""The environment that sets itself up: made once, left alone while it is up to date, mended when it is broken."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kata import find_python
from kata.requirements import lacking, name_in
from tests.tools.throwaway import Project, Told

pytestmark = pytest.mark.timeout(300)
PYPROJECT = '[project]\nname = "small"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["tiny-dep>=1"]\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A kata that needs one small package, which a folder beside it holds in two versions."""
    project = Project(tmp_path / "a kata")
    (project.root / "pyproject.toml").write_text(PYPROJECT)
    (project.root / "constraints.txt").write_text("tiny-dep==1.0\n")
    for version in ("1.0", "1.1"):
        write_wheel(tmp_path / "wheels", version)
    return project


def write_wheel(folder: Path, version: str) -> None:
    folder.mkdir(exist_ok=True)
    info = f"tiny_dep-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny_dep-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_dep/__init__.py", f"VERSION = {version!r}\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-dep\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(
            f"{info}/RECORD", f"tiny_dep/__init__.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )


def run(project: Project, *words: str, wheels: str = "wheels") -> Told:
    """Runs with the base Python, as on a fresh machine; pip sees the folder of wheels and no index."""
    hidden = ("KATA", "PIP", "VIRTUAL_ENV", "CONDA", "PYTHON")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project.root.parent / wheels)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "COLUMNS": "80"}
    python = getattr(sys, "_base_executable", sys.executable)
    ran = subprocess.run(
        [python, *words], cwd=project.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Told(ran.returncode, ran.stdout)


def in_venv(project: Project, relative: str) -> Path:
    return next((project.root / ".venv").rglob(relative))


def test_the_environment_is_made_once_mended_and_made_anew_where_nothing_else_helps(project):
    (project.root / ".venv").mkdir()  # a half-made environment, which is as good as none
    (project.root / ".venv" / "pyvenv.cfg").write_text("home = /nowhere\n")
    told = run(project, "-m", "kata", "check", "1")
    assert told.status == 1 and "step 1 is not started" in told, told.text
    assert "making the environment" in told and "installing 1 packages" in told and "ready after" in told
    assert len(told.text.splitlines()) < 20
    assert "1.0" in in_venv(project, "tiny_dep/__init__.py").read_text()

    told = run(project, "-m", "kata", "check", "1")
    assert told.status == 1 and "setting up" not in told.text

    (project.root / "constraints.txt").write_text("tiny-dep==1.1\n")
    told = run(project, "-m", "kata", "check", "1")
    assert "installing" in told and "making the environment" not in told.text
    assert "1.1" in in_venv(project, "tiny_dep/__init__.py").read_text()
    assert "setting up" not in run(project, "-m", "kata", "check", "1").text

    in_venv(project, "kata-stamp").unlink()  # as after an interrupted set-up
    told = run(project, "-m", "kata.setup_env")
    assert told.status == 0 and "installing" in told and "making the environment" not in told.text

    shutil.rmtree(in_venv(project, "tiny_dep-1.1.dist-info"))  # a package has gone
    assert "ready after" in run(project, "-m", "kata.setup_env")

    in_venv(project, "kata-stamp").unlink()
    shutil.rmtree(in_venv(project, "tiny_dep"))  # its files have gone, and pip does not know
    told = run(project, "-m", "kata", "check", "1", wheels="nothing")
    assert told.status == 2 and "making the environment" in told, told.text
    assert "pip could not install everything" in told and "tiny-dep" in told
    assert "setup.log" in told and "KATA_PYTHON" in told and "Traceback" not in told.text
    assert not list((project.root / ".venv").rglob("kata-stamp"))
    assert "ERROR" in (project.root / ".kata" / "setup.log").read_text()

    told = run(project, "-m", "kata", "setup")  # it is tried again, with what is there
    assert ".venv is ready" in told and "making the environment" not in told.text
    assert in_venv(project, "tiny_dep/__init__.py").exists()


def test_wrong_use_and_progress_need_no_environment(project):
    assert run(project, "-m", "kata", "check", "0").status == 2
    assert run(project, "-m", "kata", "progress").status == 0
    assert run(project, "-m", "kata", "hint", "1").status == 0
    assert not (project.root / ".venv").exists()


def test_another_python_may_be_named(project):
    told = project.kata("check", "1", KATA_PYTHON=sys.executable)
    assert told.status == 1 and not (project.root / ".venv").exists()
    told = project.kata("check", "1", KATA_PYTHON="no-such-python")
    assert told.status == 2 and "KATA_PYTHON=no-such-python: there is no such program" in told


def test_what_is_lacking_is_seen_from_names_alone(tmp_path):
    for name in ("torch-2.13.0+cpu", "pytest_timeout-2.4.0", "Old_Thing-0.9.1"):
        (tmp_path / f"{name}.dist-info").mkdir()
    wanted = ["torch>=2.6", "pytest-timeout>=2.3", "old.thing>=0.10", "absent", "torch"]
    assert lacking(wanted, [tmp_path, tmp_path / "nothing"]) == ["old.thing", "absent"]
    assert name_in("httpx2>=2.0,<3; python_version > '3'") == "httpx2"


def test_a_tested_python_is_taken_before_a_newer_one(monkeypatch):
    versions = {"python3.12": (3, 12), "python3": (3, 14), "python": (3, 9)}
    monkeypatch.setattr(find_python, "_version_of", lambda command: versions.get(command[-1]))
    assert find_python.find_python() == ["python3.12"]
    del versions["python3.12"]
    assert find_python.find_python() == ["python3"]
    del versions["python3"]
    assert find_python.find_python() is None


def test_the_files_that_an_old_python_reads_are_written_for_it():
    for name in ("__init__.py", "__main__.py", "find_python.py"):
        file = Path(find_python.__file__).with_name(name)
        ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 7))
