"""A clock that moves only when a check moves it."""

from threading import get_ident


class FakeClock:
    """Starts far from zero, so that a reading never passes for a duration."""

    def __init__(self, start_s: float = 1000.0) -> None:
        self.seconds = start_s
        self.readers: set[int] = set()  # threads

    def advance(self, seconds: float) -> None:
        self.seconds += seconds

    def now(self) -> float:
        """Seconds, as `shared.clock.now` and `time.perf_counter` give them."""
        self.readers.add(get_ident())
        return self.seconds

    def now_ns(self) -> int:
        """Nanoseconds, as `time.perf_counter_ns` gives them."""
        return round(self.now() * 1e9)
