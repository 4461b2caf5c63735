"""What the recorder of a run meets, without a run: `faulthandler`, and a check as pytest has it."""

from types import SimpleNamespace

ITEM_ID, PLACE = "test_a.py::test_a", ("test_a.py", 3, "test_a")


class Handler:
    """In the place of `faulthandler`, whose settings are those of the whole process."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []

    def enable(self, file: int) -> None:
        self.calls.append(("enable", file))

    def dump_traceback_later(self, limit_s: float, repeat: bool, file: int) -> None:
        self.calls.append(("later", limit_s, repeat, file))

    def cancel_dump_traceback_later(self) -> None:
        self.calls.append(("cancel",))


class Item:
    """A check as pytest has it, as far as the recorder looks."""

    def __init__(self, name: str, **marks: tuple) -> None:
        self.name, self.marks, self.nodeid, self.location = name, marks, ITEM_ID, PLACE
        self.session = SimpleNamespace(shouldfail=False)

    def get_closest_marker(self, name: str) -> SimpleNamespace | None:
        if name not in self.marks:
            return None
        args, kwargs = self.marks[name]
        return SimpleNamespace(args=args, kwargs=kwargs)


def call(error: BaseException | None = None) -> SimpleNamespace:
    return SimpleNamespace(excinfo=error and SimpleNamespace(value=error), when="call", duration=0.5)


def raised(error: BaseException) -> BaseException:
    """The error with a place where it was raised."""
    try:
        raise error
    except BaseException as error:
        return error
