"""How the runner's words look: on narrow terminals, without colour, in ASCII, and whoever they come from."""

import io
import os
import re
import sys

import pytest

from kata.look import Look, cut_lines, harmless, say, wrapped
from kata.pages import _VERBS, help_page, progress_page
from kata.path import survey
from kata.progress import Progress
from kata.steps import EXERCISES, get_step
from tests.tools.throwaway import Project, right

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("look") / "kata")
    project.pass_steps(1, 2)
    project.write(3, right(3).replace("return 3 + x", "print('x' * 300); raise ValueError('long words ' * 40)"))
    project.write(4, right(4).replace("4 + x", "'ä…→☃' * 30"))
    return project


SHOWN = [("check", "3"), ("check", "4", "--force"), ("check", "5", "--force"), ("check", "9"), ("progress",)]
SHOWN += [("help",), ("hint", "3"), ("check", "1", "-v"), ("solution", "3")]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_sixty_columns_are_enough(project, words):
    told = project.kata(*words, COLUMNS="60")
    assert "Traceback" not in told.text
    assert [line for line in told.text.splitlines() if len(line) > 60] == []


@pytest.mark.parametrize(
    "words", [("check", "3"), ("check", "4", "--force"), ("hint", "3"), ("progress",)], ids=" ".join
)
def test_ascii_is_enough(project, words):
    told = project.kata(*words, PYTHONIOENCODING="ascii")
    assert told.text.isascii() and "Traceback" not in told.text
    assert told.status == project.kata(*words).status


def test_the_values_that_a_terminal_cannot_show_are_escaped_not_lost(project):
    assert "ä…→☃ä" in project.kata("check", "4", "--force").text.replace("\n", "")
    assert "\\xe4...->\\u2603" in project.kata("check", "4", "--force", PYTHONIOENCODING="ascii")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_want_it():
    assert Look.of_terminal(Terminal(), {"TERM": "xterm"}).colour
    assert not Look.of_terminal(Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}).colour
    assert not Look.of_terminal(Terminal(), {"TERM": "dumb"}).colour
    assert not Look.of_terminal(io.StringIO(), {"TERM": "xterm"}).colour


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal as POSIX has it")
def test_colour_says_nothing_that_the_words_do_not_say(project):
    import pty

    without_no_color = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}

    def on_terminal(**environment: str) -> str:
        parent, child = pty.openpty()
        pid = os.fork()
        if pid == 0:
            os.dup2(child, 1)
            os.chdir(project.root)
            os.execve(
                sys.executable,
                [sys.executable, "-m", "kata", "progress"],
                {**without_no_color, "TERM": "xterm", **environment},
            )
        os.close(child)
        text = b""
        while True:
            try:
                piece = os.read(parent, 10_000)
            except OSError:
                break
            text += piece
            if not piece:
                break
        os.waitpid(pid, 0)
        os.close(parent)
        return text.decode().replace("\r\n", "\n")

    coloured = on_terminal(COLUMNS="80")
    plain = on_terminal(COLUMNS="80", NO_COLOR="1")
    assert COLOUR.search(coloured) and not COLOUR.search(plain)
    assert COLOUR.sub("", coloured) == plain


def test_verbs_are_called_as_the_learner_calls_them():
    with_make, without = Look(make=True), Look(make=False)
    assert with_make.verb("check", 3, "force") == "make check-3 FORCE=1"
    assert without.verb("check", 3, "force") == "python -m kata check 3 --force"
    assert with_make.verb("check", 3, "limit", "60") == "make check-3 LIMIT=60"
    assert without.verb("progress") == "python -m kata progress"


def test_control_characters_are_shown_not_obeyed():
    assert harmless("a\x1b[2Jb\rc\x00\u202ed") == "a\\x1b[2Jb\\rc\\x00\\u202ed"
    assert harmless("tab\there\r\nnext é☃") == "tab here\nnext é☃"
    assert Look(60).labelled("got", "\x1b[31mred") == ["  got      \\x1b[31mred"]


def test_long_texts_are_wrapped_and_cut_with_a_count():
    assert wrapped("    code stays indented where it is wrapped", 24) == [
        "    code stays indented",
        "    where it is wrapped",
    ]
    assert cut_lines(["a", "b", "c", "d"], 3) == ["a", "b", "… 2 more lines"]
    assert cut_lines(["a", "b", "c"], 3) == ["a", "b", "c"]
    lines = Look(40).labelled("why", "word " * 100, 4)
    assert len(lines) == 4 and lines[0].startswith("  why      word") and lines[3].endswith("more lines")
    assert all(len(line) <= 40 for line in lines)


def test_a_word_that_is_too_long_breaks_beside_its_tokens_and_others_at_spaces():
    prompt = "'<|im_start|>user\\nHello<|im_end|>\\n<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n'"
    lines = wrapped(f"text {prompt}", 40)
    assert "".join(lines).replace("text ", "", 1) == prompt and all(len(line) <= 40 for line in lines)
    assert not any(line.endswith(("<", "|", "im_sta", "\\")) or line.startswith(("|", "n")) for line in lines)
    assert wrapped("one <|im_start|>two", 15) == ["one", "<|im_start|>two"]
    assert wrapped(str(list(range(12))).replace(" ", ""), 12) == ["[0,1,2,3,4,", "5,6,7,8,9,", "10,11]"]
    assert wrapped("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_verbs_stand_in_a_column_of_their_own(width):
    for make in (True, False):
        lines = help_page(survey(Progress(), {}), Look(width, make=make))
        verbs = lines[2 : lines.index("for contributors:") - 1]
        start = "  make " if make else "  python -m kata "
        assert all(line.startswith((start, "      ")) and len(line) <= width for line in verbs), verbs
        assert sum(line.startswith(start) for line in verbs) == len(_VERBS)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_path_of_nine_keeps_to_the_width(width):
    lines = progress_page(survey(Progress(), {}), Look(width))
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()).count("9 locked Test the server") == 1


def test_a_path_is_broken_after_a_slash():
    path = "exercises/step_01_chat_template.py"
    assert wrapped(path, 30) == ["exercises/", "step_01_chat_template.py"] and wrapped(path, 40) == [path]


def test_a_stream_with_a_small_alphabet_gets_plainer_characters():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\n")
    say(["… and → ☃", "é"], stream)
    assert stream.buffer.getvalue().decode("cp1252") == "... and -> \\u2603\né\n"


def test_names_of_files_are_those_inside_the_project():
    from kata.look import name_of

    assert name_of(get_step(3).file_in(EXERCISES)) == "exercises/step_03_generate_uncached.py"
