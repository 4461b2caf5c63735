"""The memory of a warm process, made ready for many forks."""

import ctypes
import gc
import re
from collections.abc import Iterator
from pathlib import Path

_LARGE_PAGE = 2 * 1024 * 1024  # bytes
_COLLAPSE = 25  # madvise's MADV_COLLAPSE, from Linux 6.1 on
_OWN_MEMORY = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p 0+ \S+ 0 *(?:\[heap\])?")  # a line of /proc/self/maps


def freeze() -> None:
    """What is there by now need not be gone through again and again, in every fork."""
    gc.collect()
    gc.freeze()


def join_pages() -> int:
    """Puts small pages together, so that the table of them, which every fork copies, gets short: a third of its cost.

    Returns how many large pages there are for it: none where the system cannot do that.
    """
    try:
        regions = list(_regions())
        madvise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return 0
    pages = [at for begin, end in regions for at in range(begin, end - _LARGE_PAGE + 1, _LARGE_PAGE)]
    size = ctypes.c_size_t(_LARGE_PAGE)
    return sum(madvise(ctypes.c_void_p(at), size, _COLLAPSE) == 0 for at in pages)


def _regions() -> Iterator[tuple[int, int]]:
    """Begin and end of the private memory that is no file's, from one large page's border on."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if match := _OWN_MEMORY.fullmatch(line):
            begin, end = (int(number, 16) for number in match.groups())
            yield -(-begin // _LARGE_PAGE) * _LARGE_PAGE, end
