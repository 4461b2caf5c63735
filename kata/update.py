"""The verb update: a newer kata by way of git, while everything in `exercises/` that is the learner's stays as it is.

git alone would refuse where a stub changed that the learner has filled, or mix the two. So what is theirs is put aside
(git's own stash has it too, until all is well), the newer kata is merged, and then it is written back word for word.
"""

import contextlib
import subprocess
import sys
from pathlib import Path

from kata.files import write_atomically
from kata.look import Look, say
from kata.steps import EXERCISES, ROOT, STEPS, Step

_FAILED, _CANNOT = 1, 2
_MINE = f"{EXERCISES.name}/"
_BY_HAND = "unpack a newer copy of the kata beside this one, and copy exercises/step_*.py and the folder .kata over"


class GitFailed(Exception):
    """What git said, in a line."""


def update(look: Look) -> int:
    """Fetch and merge what is new; the exit status."""
    try:
        if trouble := _in_the_way(look):
            say(look.paragraph(trouble))
            return _CANNOT
        _git("fetch")
        before, count = _git("rev-parse", "HEAD"), _git("rev-list", "--count", "HEAD..@{upstream}")
        if count == "0":
            say("there is nothing newer than this kata")
            return 0
        _merge_around(_learners_files())
    except GitFailed as error:
        say(look.paragraph(f"the kata is not updated, and your files are as they were; git says: {error}"))
        return _FAILED
    except OSError as error:
        say(look.paragraph(f"a file of yours could not be written back ({error}); `git stash pop` has all of them"))
        return _FAILED
    commits = f"{count} commits" if count != "1" else "1 commit"
    say(look.paragraph(f"the kata is newer by {commits}; your files are as they were"))
    for step in _steps_with_another_stub(before):
        say(look.labelled("stub", f"step {step.number} has another one now; this shows what is new in it:"))
        say(f"    git diff {before[:9]} HEAD {_MINE}{step.module}.py")  # in one piece, to be copied
    return subprocess.call([sys.executable, "-m", "kata", "progress"], cwd=ROOT)  # the newer kata says where you stand


def _in_the_way(look: Look) -> str:
    """Why nothing can be fetched or merged as things stand; empty where it can."""
    try:
        _git("rev-parse", "--git-dir")
    except GitFailed:
        told = f"this kata is no git checkout, or there is no git here: {_BY_HAND}"
        return f"{told}; {look.verb('check')} goes on from there"
    try:
        _git("rev-parse", "@{upstream}")
    except GitFailed:
        return "this branch follows no other, so nobody knows where a newer kata is: git branch --set-upstream-to=…"
    if _succeeds("rev-parse", "--verify", "MERGE_HEAD") or _succeeds("rev-parse", "--verify", "REBASE_HEAD"):
        return "git is in the middle of a merge or a rebase (git status tells): end that first"
    if not _succeeds("diff", "--cached", "--quiet"):
        return "some changes are staged (git status lists them), and a merge would mix them in: commit them first"
    return ""


def _learners_files() -> dict[Path, bytes]:
    """What is in `exercises/` and not as the kata that this one began from had it, committed since or not."""
    begun_from = _git("merge-base", "HEAD", "@{upstream}")
    files = [_root() / name for name in _git("diff", "--name-only", begun_from, "--", _MINE).splitlines()]
    return {file: file.read_bytes() for file in files if file.is_file()}


def _merge_around(kept: dict[Path, bytes]) -> None:
    """Merge what is new; what is kept is written back whatever happens."""
    if stash := _git("stash", "create"):
        _git("stash", "store", "-m", "your files before make update", stash)
    try:
        changed = _git("diff", "--name-only", "HEAD", "--", _MINE).splitlines()
        if changed:
            _git("checkout", "HEAD", "--", *(str(_root() / name) for name in changed))
        try:
            _git("merge", "--no-edit", "-X", "ours", "@{upstream}")
        except GitFailed:
            _succeeds("merge", "--abort")
            raise
    finally:
        for file, data in kept.items():
            if not file.is_file() or file.read_bytes() != data:
                write_atomically(file, data)
        if stash and _git("rev-parse", "stash@{0}") == stash:
            _git("stash", "drop", "stash@{0}")


def _steps_with_another_stub(before: str) -> list[Step]:
    """The steps whose file in the kata is another than before, and is the learner's own."""
    names = {Path(name).name for name in _git("diff", "--name-only", before, "HEAD", "--", _MINE).splitlines()}
    mine = {Path(name).name for name in _git("diff", "--name-only", "HEAD", "--", _MINE).splitlines()}
    return [step for step in STEPS if f"{step.module}.py" in names & mine]


def _root() -> Path:
    """The checkout's own folder, which git's names start from: the kata may lie in a folder of it."""
    return Path(_git("rev-parse", "--show-toplevel"))


def _git(*words: str) -> str:
    """What git prints; `GitFailed` with its last words where it fails."""
    command = ["git", "-c", "core.quotepath=off", *words]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise GitFailed(f"there is no git to run ({error.strerror})") from error
    if ran.returncode != 0:
        said = (ran.stderr.strip() or ran.stdout.strip() or f"status {ran.returncode}").splitlines()
        raise GitFailed(next((line for line in said if line.startswith(("error:", "fatal:"))), said[-1]))
    return ran.stdout.strip()


def _succeeds(*words: str) -> bool:
    with contextlib.suppress(GitFailed):
        _git(*words)
        return True
    return False
