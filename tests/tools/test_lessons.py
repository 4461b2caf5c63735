"""The lessons, the path and the last page: what they show is run, what they tell stands in what is run, and no more."""

import ast
import re
import textwrap

import pytest

from kata.expected import checks_in
from kata.lessons import hints_of
from kata.look import Look
from kata.pages import whats_next
from kata.path import Place, State
from kata.steps import EXERCISES, LAST_PAGE, REFERENCE, ROOT, STEPS, Step
from tests.duel.servers import BROKEN_BODY, BROKEN_COUNT, BROKEN_HEALTH, BROKEN_STATUS, RIGHT_SERVERS
from tests.tools.sessions import PAGES, PATH_PAGE, fences, read, run, without_fences

NUMBER = re.compile(r"(?<![\w.,/-])\d[\d,]*(?:\.\d+)?(?!\w|-\w)")
SIZE = re.compile(r"^\*\*To write:\*\* about (\d+) lines, (\d+) minutes\. Stars: (\d+)\.$", re.MULTILINE)
SECTIONS = ["The idea", "An example", "The contract", "What it costs", "What real servers do"]
OF_OTHERS = r"\n## (?:The contract|What real servers do)\n.*?(?=\n## |\Z)"  # the checks hold it; nothing of the model
LEAST_OF_A_SOLUTION = 26  # characters; shorter lines say nothing

each_step = pytest.mark.parametrize("step", STEPS, ids=[str(step.number) for step in STEPS])
each_page = pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])


def lesson(step: Step) -> str:
    """The lesson without its hints."""
    return read(step.lesson).partition("\n## Hint ")[0]


def numbers(text: str) -> set[str]:
    """The numbers that could rot: of two digits or more, or with a decimal point."""
    found = (number.rstrip(",").replace(",", "") for number in NUMBER.findall(text))
    return {number for number in found if len(number) > 1}


@each_page
def test_every_session_gives_what_the_page_shows(page):
    assert [f"{each.source.strip()} gives {got.strip()}, not {each.want.strip()}" for each, got in run(page)] == []


@each_page
def test_every_block_of_code_is_run_or_cannot_be_mistaken_for_code_that_runs(page):
    for fence in fences(read(page)):
        assert fence.kind in ("python", "text", "mermaid", "sh"), fence
        if fence.kind == "python" and not fence.is_session:
            with pytest.raises(SyntaxError):
                ast.parse(fence.text)
    for block in re.findall(r"(?:^ {4}.*\n)+", without_fences(read(page)), re.MULTILINE):
        with pytest.raises(SyntaxError):
            ast.parse(textwrap.dedent(block))


@each_page
def test_every_verb_and_every_file_that_a_page_names_is_there(page):
    text = read(page)
    targets = re.findall(r"^([\w%-]+(?: [\w%-]+)*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    verbs = {name.replace("-%", "") for target in targets for name in target.split()}
    assert {re.sub(r"-\d$", "", verb) for verb in re.findall(r"\bmake ([a-z][\w-]*)", code_in(text))} <= verbs
    for named in re.findall(r"`([\w/]+/[\w/]+\.(?:py|md))`", text):
        assert (ROOT / named).exists(), named
    for linked in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (EXERCISES / linked).exists(), linked


def code_in(text: str) -> str:
    """What stands in backquotes or in a block for the shell."""
    shell = [fence.text for fence in fences(text) if fence.kind == "sh"]
    return "\n".join([*re.findall(r"`([^`\n]+)`", without_fences(text)), *shell])


@each_page
def test_no_page_gives_a_line_of_a_solution_away(page):
    text = " ".join(read(page).split())
    for step in STEPS:
        for region in re.findall(r"# BEGIN SOLUTION(.*?)# END SOLUTION", read(step.file_in(REFERENCE)), re.DOTALL):
            for line in region.split("\n")[1:]:
                told = " ".join(line.split())
                assert len(told) < LEAST_OF_A_SOLUTION or told.startswith("#") or told not in text, (step.number, told)


@pytest.mark.parametrize("page", [*(step.lesson for step in STEPS), LAST_PAGE], ids=lambda page: page.stem)
def test_every_number_in_the_prose_stands_in_a_session(page):
    text = read(page).partition("\n## Hint ")[0].partition("\n## What to read next")[0]
    told = SIZE.sub("", re.sub(OF_OTHERS, "", text, flags=re.DOTALL))
    pictures = [fence.text for fence in fences(told) if fence.kind in ("text", "mermaid")]
    run_here = "".join(fence.text for fence in fences(text) if fence.is_session)
    shown = {number.replace(",", "") for number in re.findall(r"\d[\d,]*(?:\.\d+)?", run_here)}
    assert numbers("\n".join([without_fences(told), *pictures])) - shown == set()


@each_step
def test_a_lesson_has_its_sections_one_picture_and_a_length_that_is_read(step):
    text = lesson(step)
    assert 400 <= len(text.split()) <= 900
    assert [heading for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)] == SECTIONS
    pictures = [fence for fence in fences(text) if fence.kind in ("text", "mermaid")]
    assert len(pictures) == 1
    assert max(map(len, pictures[0].text.split("\n"))) <= 72
    assert max(map(len, text.split("\n"))) <= 120
    assert [hint.rung for hint in hints_of(step)] == [1, 2, 3]


@each_step
def test_a_lesson_and_the_path_say_how_much_there_is_to_write(step):
    (told,) = SIZE.findall(lesson(step))
    stars = sum(check.stretch for check in checks_in(step.test_file))
    assert (told[0], told[2]) == (str(lines_to_write(step)), str(stars))
    row = next(line for line in read(PATH_PAGE).split("\n") if f"({step.lesson.name})" in line)
    assert tuple(cell.strip() for cell in row.split("|")[3:6]) == told


def lines_to_write(step: Step) -> int:
    """What the TODOs of a step say together, those of its stretch functions left out."""
    source = read(step.file_in(REFERENCE))
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    stretch = [each for each in functions if (ast.get_docstring(each) or "").startswith("Stretch:")]
    beyond = {line for each in stretch for line in range(each.lineno, each.end_lineno + 1)}
    lines = [line for number, line in enumerate(source.split("\n"), start=1) if number not in beyond]
    return sum(map(int, re.findall(r"# BEGIN SOLUTION: .*\(about (\d+) lines?", "\n".join(lines))))


def test_the_duel_is_as_large_as_its_lesson_says():
    broken = (*BROKEN_HEALTH, *BROKEN_STATUS, *BROKEN_BODY, *BROKEN_COUNT)
    assert (len(RIGHT_SERVERS), len(broken)) == (18, 31)
    assert "eighteen servers" in lesson(STEPS[8]) and "thirty-one" in lesson(STEPS[8])


def test_the_life_of_a_request_names_what_is_there():
    life = read(LAST_PAGE).partition("## The life of one request")[2].partition("\n## ")[0]
    names = set(re.findall(r"[A-Za-z_]+", " ".join(re.findall(r"`([^`]+)`", life))))
    sources = "".join(read(step.file_in(REFERENCE)) for step in STEPS)
    assert len(re.findall(r"^\d\. ", life, re.MULTILINE)) == 8
    assert {name for name in names if not re.search(rf"\b{name}\b", sources)} == set()


def test_after_the_ninth_step_the_last_page_is_named():
    places = [Place(step, State.PASSED) for step in STEPS]
    assert LAST_PAGE.exists() and any("exercises/what_you_built.md" in line for line in whats_next(places, Look(80)))
