"""The manifest: the nine steps, their numbers, names and titles, and where each one's files lie."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
REFERENCE = ROOT / "reference"
TESTS = ROOT / "tests"
LAST_PAGE = EXERCISES / "what_you_built.md"  # what comes after the ninth step


@dataclass(frozen=True)
class Step:
    """One step of the path; one number and one name tie its files together."""

    number: int
    name: str
    title: str
    check_name: str = ""  # only where the file of checks is called otherwise than the step

    @property
    def module(self) -> str:
        """The module's name, e.g. `step_04_generate_cached`."""
        return f"step_{self.number:02d}_{self.name}"

    @property
    def lesson(self) -> Path:
        return EXERCISES / f"{self.module}.md"

    @property
    def test_file(self) -> Path:
        return TESTS / f"test_{self.number:02d}_{self.check_name or self.name}.py"

    def file_in(self, folder: Path) -> Path:
        """This step's file in a folder of solutions."""
        return folder / f"{self.module}.py"


STEPS = (
    Step(1, "chat_template", "Turn a prompt into model inputs"),
    Step(2, "sampling", "Choose the next token"),
    Step(3, "generate_uncached", "Generate, the slow and obvious way"),
    Step(4, "generate_cached", "Generate with a KV cache"),
    Step(5, "metrics", "Turn readings into serving metrics"),
    Step(6, "streaming", "Stream the text as it comes"),
    Step(7, "schemas", "Say what a request may be"),
    Step(8, "server", "Serve it over HTTP"),
    Step(9, "server_test", "Test the server", check_name="server"),
)


def get_step(number: int) -> Step:
    """The step with that number; `ValueError` where there is none."""
    if not 1 <= number <= len(STEPS):
        raise ValueError(f"there is no step {number}: the steps are 1 to {len(STEPS)}")
    return STEPS[number - 1]


def step_of_module(name: str) -> Step | None:
    """The step whose module has that name (`step_04_generate_cached`), or None."""
    return next((step for step in STEPS if step.module == name), None)


def step_number(test_file: Path) -> int:
    """The step that a file of checks belongs to, from its name: `test_04_generate_cached.py` is 4."""
    match = re.match(r"test_(\d\d)_", test_file.name)
    if not match:
        raise ValueError(f"{test_file.name} is no file of checks: say which step to load")
    return int(match[1])
