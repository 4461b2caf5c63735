"""What a run printed, check by check, within bounds: the beginning and the end of each, and how much lay between."""

import re
from dataclasses import dataclass, field

HEAD, TAIL = 4000, 1000  # bytes kept of one check's output
_LONGEST_MARK = 400


@dataclass
class Section:
    """The output of one check."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytes = b""
    size: int = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        room = HEAD - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-TAIL:] if len(data) > room else self.tail

    def texts(self) -> tuple[str, int, str]:
        """The beginning, the number of bytes left out after it, and the end (empty where nothing was left out)."""
        left_out = self.size - len(self.head) - len(self.tail)
        if left_out <= 0:
            return _text(bytes(self.head) + self.tail), 0, ""
        return _text(bytes(self.head)), left_out, _text(self.tail)


class Output:
    """Splits a stream at the recorder's marks; `mark` is a word that a solution cannot know."""

    def __init__(self, mark: str) -> None:
        self.sections: dict[str, Section] = {"": Section()}
        self._current, self._rest = "", b""
        self._mark = re.compile(rb"\x1e%b ([^\x1e]{1,200})\x1e" % mark.encode())

    def feed(self, data: bytes) -> None:
        data = self._rest + data
        at = 0
        for match in self._mark.finditer(data):
            self._add(data[at : match.start()])
            self._current, at = match[1].decode(errors="replace"), match.end()
        half = data.rfind(b"\x1e", max(at, len(data) - _LONGEST_MARK))  # perhaps the beginning of a mark
        end = half if half >= 0 else len(data)
        self._add(data[at:end])
        self._rest = data[end:]

    def finish(self) -> None:
        self._add(self._rest)
        self._rest = b""

    def joined_with(self, other: "Output") -> "Output":
        """What two processes printed that shared the checks of a run."""
        joined = Output("")
        joined.sections = other.sections | self.sections
        return joined

    def of(self, check: str) -> Section:
        """What was printed while this check ran; `""` is what came before the first."""
        return self.sections.get(check, Section())

    def _add(self, data: bytes) -> None:
        self.sections.setdefault(self._current, Section()).add(data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n")
