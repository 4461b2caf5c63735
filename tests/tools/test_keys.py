"""An end from outside is never lost."""

import os
import signal

import pytest

from kata.keys import Ends, NoKeys, keys_of


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_end_is_raised_where_it_comes_and_at_every_look(number: signal.Signals) -> None:
    ends = Ends()
    keys = NoKeys(ends)
    assert keys.read() == ""
    with pytest.raises((KeyboardInterrupt, SystemExit)) as first:
        ends.come(number)
    with pytest.raises(type(first.value)) as again:
        keys.read()
    assert again.value is first.value


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to a process of its own")
def test_an_end_that_fell_into_a_callback_is_raised_at_the_next_look() -> None:
    class Dropping:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    with open(os.devnull) as nobody, keys_of(nobody) as keys:
        dropping = Dropping()
        del dropping
        with pytest.raises(SystemExit, match=str(128 + signal.SIGTERM)):
            keys.read()
