"""A clock that moves only when a check moves it."""


class FakeClock:
    """Starts far from zero, so that a reading never passes for a duration."""

    def __init__(self, start_s: float = 1000.0) -> None:
        self.seconds = start_s

    def advance(self, seconds: float) -> None:
        self.seconds += seconds

    def now(self) -> float:
        """Seconds, as `shared.clock.now` and `time.perf_counter` give them."""
        return self.seconds

    def now_ns(self) -> int:
        """Nanoseconds, as `time.perf_counter_ns` gives them."""
        return round(self.seconds * 1e9)
