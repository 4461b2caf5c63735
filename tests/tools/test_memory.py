"""The memory of a warm process: large pages hold what the small ones held, and where there are none nothing happens."""

import subprocess
import sys

import pytest

from kata import memory
from kata.forks import FORKS
from kata.steps import ROOT

JOIN = """
import hashlib, os
from kata.memory import join_pages
data = bytearray(os.urandom(4096) * 4096)
before = hashlib.sha256(data).digest()
pages = join_pages()
child = os.fork()
if child == 0:
    data[::4096] = bytes(4096)
    os._exit(0)
os.waitpid(child, 0)
print(pages, hashlib.sha256(data).digest() == before)
"""


@pytest.mark.skipif(not FORKS, reason="only what is forked needs it")
def test_what_is_in_memory_stays_as_it_was() -> None:
    told = subprocess.run([sys.executable, "-c", JOIN], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages, is_same = told.split()
    assert is_same == "True"
    assert 0 <= int(pages) < 1000


def test_where_the_system_tells_nothing_of_it_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def regions() -> list[tuple[int, int]]:
        raise FileNotFoundError("/proc/self/maps")

    monkeypatch.setattr(memory, "_regions", regions)
    assert memory.join_pages() == 0
