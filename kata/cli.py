"""The command line: `python -m kata VERB`. It reads the words, finds the Python to run on, and calls the verb.

Exit status: 0 passed, 1 a check failed or not started, 2 locked or wrong use (or the kata itself cannot run),
3 the learner's file cannot be loaded, 130 stopped with Ctrl-C.
"""

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from kata import beside, hints, keeping, setup_env, verbs
from kata.look import Look, say
from kata.steps import REFERENCE, STEPS

if TYPE_CHECKING:
    from kata.check import Result

WRONG_USE, STOPPED = 2, 130
_HAND_ON = ("test", "prove", "mutate", "gpu", "bench")
_NEED_ENVIRONMENT = ("check", "watch", "serve", "chat", "compare", *_HAND_ON, "setup-smollm2")
_NUMBERED = ("check", "watch", "hint", "reset", "restore", "jump", "solution", "prove", "mutate")
_ALL = "all"


def main(words: list[str] | None = None) -> int:
    """Run a verb; the exit status. Whatever goes wrong is said in a line, not as a traceback."""
    words = _split_number(list(sys.argv[1:] if words is None else words))
    for_json = "--json" in words and words[0] in ("check", "progress")
    with contextlib.redirect_stdout(sys.stderr) if for_json else contextlib.nullcontext():
        return _main(words)


def _main(words: list[str]) -> int:
    look = Look.of_terminal(sys.stdout, dict(os.environ))
    try:
        wish = _wish(words)
        if wish.verb in _NEED_ENVIRONMENT and (python := setup_env.python_to_use()):
            return _go_on_with(python, words)
        return _run(wish, look)
    except KeyboardInterrupt:
        say("\nstopped; your files and your progress are as they were")
        return STOPPED
    except setup_env.SetupFailed as error:
        say(look.paragraph(str(error)), sys.stderr)
        return WRONG_USE
    except BrokenPipeError:  # as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except Exception as error:
        if os.environ.get("KATA_DEBUG"):
            raise
        told = f"the kata itself failed, not your file: {type(error).__name__}: {error} (KATA_DEBUG=1 shows where)"
        say(look.paragraph(told), sys.stderr)
        return WRONG_USE


def _wish(words: list[str]) -> argparse.Namespace:
    """What the words ask for. After `test`, `prove` and their like they are handed on, unread."""
    read, handed_on = (words[:1], words[1:]) if words and words[0] in _HAND_ON else (words, [])
    return argparse.Namespace(**vars(_parser().parse_args(read)), arguments=handed_on, words=words)


def _run(wish: argparse.Namespace, look: Look) -> int:
    match wish.verb:
        case "check":
            return _check(wish, look)
        case "watch":
            return _watch(wish)
        case "hint":
            return hints.hint(wish.step, look)
        case "reset":
            return keeping.reset_all(look) if wish.step == _ALL else keeping.reset(wish.step, look)
        case "backups":
            return keeping.show_backups(look)
        case "restore":
            return keeping.restore(wish.backup, look)
        case "jump":
            return verbs.jump(wish.step, look)
        case "solution":
            return beside.solution(wish.step, wish.yes, look)
        case "update":
            from kata.update import update

            return update(look)
        case "progress":
            return _progress(wish, look)
        case "stubs":
            return verbs.write_stubs(wish.check, wish.yes, look)
        case "test":
            return verbs.run_tests(wish.arguments)
        case "prove":
            return verbs.prove_checks(wish.arguments)
        case "mutate":
            return verbs.try_mutants(wish.arguments)
        case "gpu":
            return verbs.run_gpu_checks(wish.arguments, look)
        case "bench":
            return verbs.run_bench(wish.arguments)
        case "setup":
            return verbs.set_up(look)
        case "setup-smollm2":
            return verbs.set_up_smollm2(look)
        case "serve":
            from kata.serve import serve

            return serve(wish.engine, wish.model, wish.impl, wish.port, look)
        case "chat":
            from kata.chat import chat

            return chat(wish.engine, wish.model, wish.impl, look)
        case "compare":
            return _compare(wish, look)
    return verbs.show_help(look)


def _check(wish: argparse.Namespace, look: Look) -> int:
    from kata import checking  # here, so that the other verbs start sooner

    asked, results = checking.Wish(wish.verbose, wish.force, wish.limit), []
    way = checking.Way(came=results.append)
    if wish.impl == "exercises":
        status = checking.check_own(wish.step, asked, look, way)
        return _hand_over(wish, results, status, look)
    folder = REFERENCE if wish.impl == "reference" else Path(wish.impl).resolve()
    if not folder.is_dir():
        say(look.paragraph(f"--impl {wish.impl}: there is no such folder (nor is it 'exercises' or 'reference')"))
        return WRONG_USE
    numbers = [wish.step] if wish.step else [step.number for step in STEPS]
    status = max(checking.check_other(number, folder, asked, look, way) for number in numbers)
    return _hand_over(wish, results, status, look)


def _hand_over(wish: argparse.Namespace, results: "Sequence[Result]", status: int, look: Look) -> int:
    if not (wish.json or wish.junit):
        return status
    from kata import for_machines

    return for_machines.hand_over_check(results, status, wish.step, wish.json, wish.junit, look)


def _progress(wish: argparse.Namespace, look: Look) -> int:
    if wish.json or wish.junit:
        from kata import for_machines

        if status := for_machines.hand_over_progress(wish.json, wish.junit, look):
            return status
    return verbs.show_progress(look)


def _watch(wish: argparse.Namespace) -> int:
    from kata import checking, watch

    asked = checking.Wish(wish.verbose, wish.force, wish.limit)
    try:
        return watch.watch(wish.step, asked, lambda: Look.of_terminal(sys.stdout, dict(os.environ)))
    except watch.Newer:
        say("\nthe kata itself has changed: beginning again")
        return _go_on_with(Path(sys.executable), wish.words)


def _compare(wish: argparse.Namespace, look: Look) -> int:
    from kata.compare import run

    engines = list(dict.fromkeys(name.strip() for name in wish.engines.split(",") if name.strip()))
    out = Path(wish.out).expanduser().resolve() if wish.out else run.FOLDER
    return run.compare(run.Wish(engines, wish.model, wish.impl, wish.new_tokens, wish.repeats, out), look)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong first, in the kata's words, and the usage after it."""

    def error(self, message: str) -> NoReturn:
        verb = self.prog.split()[-1]
        told = message.removeprefix("argument step: ")
        if message.endswith("are required: step"):
            command = Look.of_terminal(sys.stderr, dict(os.environ)).verb(verb, 3)
            told = f"{verb} needs the number of a step, 1 to {len(STEPS)}, as in `{command}`"
        self.exit(WRONG_USE, f"{told}\n{self.format_usage()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m kata", description="Build an LLM inference server in nine steps.")
    add = parser.add_subparsers(dest="verb", metavar="VERB").add_parser
    check = add("check", help="run the checks of a step; without a number, of the first that is not passed")
    check.add_argument("--impl", default="exercises", help="exercises, reference, or a folder")
    watch = add("watch", help="check a step at every save; without a number, the first that is not passed")
    for checks in (check, watch):
        checks.add_argument("step", type=_number, nargs="?", help="1 to 9")
        checks.add_argument("-v", "--verbose", "--all", action="store_true", help="go on after a failure, tell all")
        checks.add_argument("--force", action="store_true", help="although earlier steps are not passed")
        checks.add_argument("--limit", type=_seconds, default=20.0, metavar="SECONDS", help="for one check")
    hint = add("hint", help="the next hint; without a number, of the first step that is not passed")
    hint.add_argument("step", type=_number, nargs="?", help="1 to 9")
    add("reset", help="the stub again").add_argument("step", type=_number_or_all, help="1 to 9, or all")
    add("restore", help="a backup again").add_argument("backup", nargs="?", help="a step's number, or a name")
    add("jump", help="start at a step").add_argument("step", type=_number, help="1 to 9")
    solution = add("solution", help="the reference beside yours, once you have passed")
    solution.add_argument("step", type=_number, help="1 to 9")
    solution.add_argument("--yes", action="store_true", help="before it has passed")
    for reports in (check, add("progress", help="the path of nine")):
        reports.add_argument("--json", action="store_true", help="the same as JSON on stdout")
        reports.add_argument("--junit", metavar="FILE", help="the same as JUnit's XML, into this file")
    for verb in ("backups", "update", *_HAND_ON, "setup", "setup-smollm2", "help"):
        add(verb)
    stubs = add("stubs", help="the stubs again, from the reference")
    stubs.add_argument("--check", action="store_true", help="only tell which are not in step")
    stubs.add_argument("--yes", action="store_true", help="also where gaps have been filled; backups are kept")
    serve, chat = add("serve", help="your engine behind HTTP"), add("chat", help="talk to your engine")
    compare = add("compare", help="engines side by side: a table, a plot and JSON")
    for talk in (serve, chat, compare):
        talk.add_argument("--model", default="tiny", help="tiny, smollm2, a Hugging Face id or a folder")
        talk.add_argument("--impl", default="exercises", help="exercises, reference, or a folder")
    for talk in (serve, chat):
        talk.add_argument("--engine", default="cached", help="cached, uncached or huggingface")
    serve.add_argument("--port", type=int, default=8000)
    compare.add_argument("--engines", default="uncached,cached,huggingface", help="which, with commas between them")
    compare.add_argument("--new-tokens", type=int, metavar="N", help="for each prompt; else by the model's size")
    compare.add_argument("--repeats", type=int, default=3, metavar="R", help="rounds that the medians are taken over")
    compare.add_argument("--out", metavar="FOLDER", help="where plot and JSON go; else compare/")
    return parser


def _number(text: str) -> int:
    if not re.fullmatch(r"[1-9]", text, re.ASCII) or int(text) > len(STEPS):
        raise argparse.ArgumentTypeError(f"there is no step {text}: the steps are 1 to {len(STEPS)}")
    return int(text)


def _number_or_all(text: str) -> int | str:
    return text if text == _ALL else _number(text)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return seconds


def _split_number(words: list[str]) -> list[str]:
    """`check-3`, as make has it, is `check 3`."""
    verb, _, number = words[0].partition("-") if words else ("", "", "")
    return [verb, number, *words[1:]] if verb in _NUMBERED and number else words


def _go_on_with(python: Path, words: list[str]) -> int:
    """The same words on the environment's Python."""
    command = [str(python), "-m", "kata", *words]
    environment = {**os.environ, "KATA_REEXECUTED": "1"}
    sys.stdout.flush()
    if os.name == "nt":
        signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches both: it is the other's to answer
        return subprocess.call(command, env=environment)
    return os.execve(python, command, environment)
