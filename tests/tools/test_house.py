"""The map of the runner names every room, and no room that is not there."""

import re

import kata
from kata.steps import ROOT


def test_the_map_names_every_module_of_the_runner_once() -> None:
    rooms = re.findall(r"^ {4}(?:\S.{14}| {16})(.*)$", kata.__doc__, re.MULTILINE)
    named = [name for line in rooms for name in re.findall(r"\w+", line)]
    there = {
        path.stem for path in (ROOT / "kata").glob("*") if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert sorted(named) == sorted(there - {"__init__", "__main__"})
