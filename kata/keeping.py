"""The verbs reset, reset-all, backups and restore: what they say, and what else goes with them."""

from collections.abc import Sequence

from kata import backups, pages, progress
from kata.backups import Backup, NotOne
from kata.look import Look, name_of, say
from kata.progress import Progress
from kata.steps import EXERCISES, STEPS, Step, get_step
from kata.stubs import is_stub

WRONG_USE = 2


def reset(number: int, look: Look) -> int:
    """One step's stub again, and its hints from the first on."""
    step = get_step(number)
    file = name_of(step.file_in(EXERCISES))
    try:
        done = backups.reset(step)
    except OSError as error:
        return _left_as_it_is(step, error, look)
    say(f"{file} is the stub {'already' if done.was_so else 'again'}")
    if done.backup:
        say([*look.labelled("kept", name_of(done.backup)), *look.labelled("undo", look.verb("restore", number))])
    _forget_hints([step])
    return 0


def reset_all(look: Look) -> int:
    """Nine stubs, and all hints from the first on."""
    stubs = [step for step in STEPS if is_stub(step.file_in(EXERCISES), step)]
    if stubs:
        told = pages.numbered([step.number for step in stubs])
        say(look.paragraph("every step has its stub already" if len(stubs) == len(STEPS) else f"stubs already: {told}"))
    status = put_stubs([step for step in STEPS if step not in stubs], look)
    if status == 0:
        _forget_hints(STEPS)
    return status


def put_stubs(steps: Sequence[Step], look: Look) -> int:
    """The stubs of these steps again, a line for each."""
    status, kept = 0, False
    for step in steps:
        try:
            done = backups.reset(step)
        except OSError as error:
            status = _left_as_it_is(step, error, look)
            continue
        backup = backups.as_backup(done.backup) if done.backup else None
        say(f"step {step.number} is the stub again" + (f"; yours is kept: {backup.name}" if backup else ""))
        kept = kept or backup is not None
    if kept:
        say(look.labelled("undo", f"{look.verb('backups')} says how each is brought back"))
    return status


def show_backups(look: Look) -> int:
    """Each backup in a line, the oldest first, and how one is brought back."""
    kept = backups.all_backups()
    if not kept:
        say(look.paragraph(f"there are no backups yet: {look.verb('reset', 3)} makes one of your step 3, for example"))
        return 0
    say([*look.paragraph(f"your files as they were, in {name_of(backups.FOLDER)}, the newest last:"), ""])
    say([line for backup in kept for line in _line_of(backup, look)])
    say(["", *look.labelled("back", _how(kept[-1], look)), *look.labelled("or", _newest_of(kept[-1], look))])
    return 0


def restore(wanted: str | None, look: Look) -> int:
    """Bring one back; what is in its place is kept first."""
    kept = backups.all_backups()
    if not wanted:
        say(look.paragraph("restore needs to know which backup: a step's number, which means its newest, or a name"))
        say("")
        show_backups(look)
        return WRONG_USE
    try:
        backup = backups.find(wanted, kept)
    except NotOne as error:
        say(look.paragraph(f"{error} ({look.verb('backups')} lists all)" if kept else f"{error}: there are none yet"))
        return WRONG_USE
    file = name_of(backup.step.file_in(EXERCISES))
    try:
        done = backups.restore(backup)
    except OSError as error:
        return _left_as_it_is(backup.step, error, look)
    if done.was_so:
        say(look.paragraph(f"{file} is as it was in {backup.name} already"))
        return 0
    say(look.paragraph(f"{file} is your file of {backup.when} again"))
    if done.backup:
        say(look.labelled("kept", f"{name_of(done.backup)}, which was in its place"))
    say(look.labelled("then", look.verb("check", backup.number)))
    return 0


def _left_as_it_is(step: Step, error: OSError, look: Look) -> int:
    say(look.paragraph(f"{name_of(step.file_in(EXERCISES))} is left as it is: {error}"))
    return 1


def _line_of(backup: Backup, look: Look) -> list[str]:
    first = f"  step {backup.number}  {backup.when}  {_size(backup):>7}"
    return [f"{first}  {backup.name}"] if look.width >= 60 else [first, f"    {backup.name}"]


def _size(backup: Backup) -> str:
    size = backup.file.stat().st_size
    return f"{size} B" if size < 1000 else f"{size / 1000:.1f} kB"


def _how(backup: Backup, look: Look) -> str:
    return f"make restore NAME={backup.name}" if look.make else f"python -m kata restore {backup.name}"


def _newest_of(backup: Backup, look: Look) -> str:
    return f"{look.verb('restore', backup.number)} brings back the newest of step {backup.number}"


def _forget_hints(steps: Sequence[Step]) -> None:
    """Whoever begins a step again begins its hints again. Where that cannot be saved, nothing is lost."""

    def change(standing: Progress) -> None:
        for step in steps:
            for shown in (standing.hints, standing.check_hints, standing.failed):
                shown.pop(step.number, None)

    progress.update(change)
