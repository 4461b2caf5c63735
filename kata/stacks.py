"""Reads the stacks that Python's faulthandler dumps when a time limit passes or the interpreter crashes."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

_DUMP = re.compile(r"^(?=Timeout \(|Fatal Python error|Windows fatal exception)", re.MULTILINE)
_THREAD = re.compile(r"^(?=(?:Current thread|Thread) )", re.MULTILINE)
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)


@dataclass(frozen=True)
class Frame:
    """A place in a file."""

    file: str
    line: int
    function: str


def solution_frames(dump: str, files: Collection[str]) -> list[Frame]:
    """Where in these files the program was, outermost call first; nothing where it was elsewhere."""
    for stack in _stacks(dump, files):
        if own := [frame for frame in stack if frame.file in files]:
            return own[::-1]
    return []


def is_importing(dump: str, files: Collection[str]) -> bool:
    """Whether the solution waits for a library's import: libraries are large, disks may be slow, and it is no loop."""
    stacks = _stacks(dump, files)
    stack = next((stack for stack in stacks if any(frame.file in files for frame in stack)), next(iter(stacks), []))
    for frame in stack:
        if frame.file in files:
            return False
        if frame.file.startswith("<frozen importlib"):
            return True
    return False


def _stacks(dump: str, files: Collection[str]) -> list[list[Frame]]:
    """The stacks of one dump, innermost frame first: the one that crashed, then the main thread, then others.

    It is the last dump that names the solution, since the very last may be cut off by the end of the process.
    faulthandler writes names in ASCII, so they are turned back where they are the solution's.
    """
    names = {file.encode("ascii", "backslashreplace").decode(): file for file in files}
    dumps = _DUMP.split(dump)
    last = next((one for one in reversed(dumps) if any(f'"{name}"' in one for name in names)), dumps[-1])
    threads = _THREAD.split(last)[1:]
    threads.sort(key=lambda thread: not thread.startswith("Current"))
    if threads and not threads[0].startswith("Current"):
        threads.reverse()  # the main thread is written last
    stacks = [
        [Frame(match["file"], int(match["line"]), match["function"]) for match in _FRAME.finditer(thread)]
        for thread in threads
    ]
    return [[replace(frame, file=names.get(frame.file, frame.file)) for frame in stack] for stack in stacks]
