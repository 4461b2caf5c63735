"""The clock of every reading.

Checks hand in a fake: it takes the place of `now`, `time.perf_counter` and `time.monotonic` before a step is loaded, so
a step may read any of them. `now` is the best of them, since it waits for the device. The modules of `shared` are not
loaded again for each check, so they call it as `clock.now()`, by its whole name.
"""

import sys
import time


def now() -> float:
    """Seconds on a clock that only goes forward; only differences mean something.

    Where CUDA is in use the device is waited for first, since its work is queued: without that the reading would be
    the time at which a token was asked for, not the time at which it was there.
    """
    torch = sys.modules.get("torch")  # not imported here: where nobody has imported it, nothing is queued
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return time.perf_counter()
