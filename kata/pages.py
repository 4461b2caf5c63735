"""What the runner shows besides verdicts: help, the path of nine, a hint, what comes next."""

from collections.abc import Sequence

from kata import lessons
from kata.expected import checks_in
from kata.look import Look, name_of
from kata.path import Place, State, next_step
from kata.steps import EXERCISES, LAST_PAGE, STEPS, Step

_VERBS = (
    ("check-N", "check N", "run the checks of step N; a pass opens the next"),
    ("check", "check", "the first step that is not passed"),
    ("watch", "watch", "check at every save, at once; watch-N for step N"),
    ("hint-N", "hint N", "the next hint of step N"),
    ("progress", "progress", "the path of nine, and where you are on it"),
    ("reset-N", "reset N", "the stub again, or all of them (reset-all); what was yours is kept as a backup"),
    ("backups", "backups", "what is kept, and how to bring it back"),
    ("restore-N", "restore N", "your step N as it was before the last reset"),
    ("solution-N", "solution N", "the reference beside yours, once you have passed"),
    ("jump-N", "jump N", "start at N, on the reference's earlier steps"),
    ("serve", "serve", "your engine behind HTTP"),
    ("chat", "chat", "talk to your engine in the terminal"),
    ("compare", "compare", "with and without the KV cache: table and plot"),
    ("gpu", "gpu", "the checks that need a CUDA device"),
    ("update", "update", "a newer kata; your files stay as they are"),
    ("setup", "setup", "make or mend the environment"),
    ("setup-smollm2", "setup-smollm2", "install a real chat model, 135M parameters"),
    ("help", "help", "this page"),
)
_FOR_CONTRIBUTORS = (
    ("test", "test", "the kata's own tests; they take minutes"),
    ("prove", "prove", "that no wrong solution passes, and no right one fails"),
    ("mutate", "mutate", "that the checks notice what a mutation tester changes"),
    ("bench", "bench", "measure the kata itself, as ratios of one run"),
    ("stubs", "stubs", "the exercises again, from a changed reference"),
)
_MEANING = {
    State.PASSED: "passed",
    State.CHANGED: "changed",
    State.MISSING: "missing",
    State.RECHECK: "recheck",
    State.OPEN: "open",
    State.LOCKED: "locked",
    State.REFERENCE: "reference",
}


def help_page(places: Sequence[Place], look: Look) -> list[str]:
    """Every verb in a line, and where the learner stands."""
    lines = [look.strong("Inference Kata: build an LLM inference server in nine steps"), ""]
    lines += _verb_lines(_VERBS, look)
    lines += ["", "for contributors:", *_verb_lines(_FOR_CONTRIBUTORS, look)]
    lines += ["", *look.paragraph("options: ALL=1 every failure, FORCE=1 although locked, LIMIT=60 seconds a check")]
    lines += look.paragraph("`python -m kata check 3 -v --force --limit 60` is the same without make.")
    lines += look.paragraph(
        "Its exit status: 0 passed, 1 failed or not started, 2 locked or wrong use, 3 the file cannot be loaded. "
        "(make has 2 for all of these and prints the true one as `Error N`.)"
    )
    return [*lines, "", *whats_next(places, look)]


def _verb_lines(verbs: Sequence[tuple[str, str, str]], look: Look) -> list[str]:
    """Each verb with what it does beside it; on a narrow terminal, under it."""
    start = "make " if look.make else "python -m kata "
    beside = len(start) + 14
    narrow = look.width - 2 - beside < 24
    lines = []
    for with_make, without, does in verbs:
        verb = start + (with_make if look.make else without)
        told = look.paragraph(does, " " * (6 if narrow else 2 + beside))
        lines += [f"  {verb}", *told] if narrow else [f"  {verb:<{beside}}{told[0].lstrip()}", *told[1:]]
    return lines


def progress_page(places: Sequence[Place], look: Look) -> list[str]:
    """The path of nine, a line for each step."""
    lines, had, to_have = [], 0, 0
    for place in places:
        stars = stars_of(place.step)
        earned = place.stars if place.state is State.PASSED else 0
        had, to_have = had + earned, to_have + stars
        shown = f"{earned}/{stars}" if stars and place.state is State.PASSED else ""
        state = f"{_MEANING[place.state]:<10}"
        coloured = look.good(state) if place.state is State.PASSED else state
        begin, title = f"  {place.step.number}  {coloured} {shown:<6}", place.step.title
        is_narrow = look.width < 22 + 24
        lines += [begin.rstrip(), *look.paragraph(title, " " * 5)] if is_narrow else [begin + title]
    passed = sum(place.state is State.PASSED for place in places)
    lines.append("")
    lines += look.paragraph(f"passed {passed} of {len(STEPS)} steps, {had} of {to_have} stars")
    if any(place.state is State.CHANGED for place in places):
        lines += look.paragraph("changed: passed, and the file is another since; the next check looks at it again")
    if any(place.state is State.MISSING for place in places):
        lines += look.paragraph("missing: passed, and its file is not there any more")
    if any(place.state is State.RECHECK for place in places):
        lines += look.paragraph("recheck: passed, and the checks changed since; the next check looks at it again")
    if any(place.state is State.REFERENCE for place in places):
        lines += look.paragraph(f"reference: jumped over; the reference stands in ({look.verb('jump', 1)} undoes it)")
    return [*lines, "", *whats_next(places, look)]


def whats_next(places: Sequence[Place], look: Look) -> list[str]:
    """The step to work on, what it asks, and where to write."""
    step = next_step(list(places))
    if step is None:
        lines = look.paragraph(f"every step is passed: {look.verb('serve')} puts your engine behind HTTP")
        return lines + (look.labelled("read", name_of(LAST_PAGE)) if LAST_PAGE.exists() else [])
    place = next(place for place in places if place.step is step)
    if place.state is State.MISSING:
        return [*look.paragraph(stale(place)), *look.labelled("help", _stub_again(step, look))]
    if place.is_stale:
        return look.paragraph(f"{stale(place)}: {look.verb('check', step.number)}")
    lines = look.paragraph(f"step {step.number} is open: {step.title}")
    if about := lessons.what_it_is_about(step):
        lines += look.labelled("about", about, 5)
    lines += look.labelled("write in", name_of(step.file_in(EXERCISES)))
    lines += look.labelled("lesson", name_of(step.lesson)) if step.lesson.exists() else []
    return lines + look.labelled("then", look.verb("check", step.number))


def stale(place: Place) -> str:
    """That a step has passed, but not with the file that is there now, or not these checks."""
    if place.state is State.MISSING:
        return f"step {place.step.number} has passed, and its file is missing now"
    if place.state is State.RECHECK:
        return f"the checks of step {place.step.number} changed since it passed"
    return f"step {place.step.number} changed since it passed"


def _stub_again(step: Step, look: Look) -> str:
    return look.verb("reset", step.number) + f" puts the stub back; {look.verb('backups')} lists earlier files of yours"


def jump_page(number: int, lent: Sequence[int], look: Look) -> list[str]:
    """What a jump to `number` means: whose earlier steps stand, the `lent` ones being the reference's."""
    kept = [n for n in range(1, number) if n not in lent]
    told = f"you start at step {number}: the reference stands in for "
    told += f"{numbered(lent)} until you pass {'them' if len(lent) > 1 else 'it'}" if lent else "no step"
    told += f"; {numbered(kept)} passed, and stay{'' if len(kept) > 1 else 's'} yours" if kept else ""
    lines = look.paragraph(f"{told}. No file was touched.")
    return lines + (look.labelled("undo", look.verb("jump", 1)) if number > 1 else [])


def numbered(numbers: Sequence[int]) -> str:
    """`step 2`, `steps 2, 3`."""
    return f"step{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def locked_page(wanted: Step, blocking: Step, look: Look) -> list[str]:
    """Why a step is not checked yet, and how to go on anyway."""
    lines = look.paragraph(f"step {wanted.number} is {look.bad('locked')}: step {blocking.number} comes first")
    lines += look.labelled("next", f"{look.verb('check', blocking.number)}   {blocking.title}")
    lines += look.labelled("or", f"{look.verb('check', wanted.number, 'force')} to check it on the reference's steps")
    return lines + look.labelled("or", f"{look.verb('jump', wanted.number)} to go on from there")


def stars_of(step: Step) -> int:
    try:
        return sum(check.stretch for check in checks_in(step.test_file))
    except (OSError, SyntaxError):
        return 0
