"""A verdict rests on evidence: what only looks like a pass is none, for the runner and under plain pytest."""

import sys

import pytest

from kata import signed
from kata.expected import Check, checks_in
from kata.output import HEAD, TAIL, Output
from kata.stacks import is_importing, solution_frames
from kata.verdict import Ending, Kind, judge
from tests.tools.throwaway import Project, right

EXPECTED = [Check("test_a", "A."), Check("test_b", "B."), Check("test_c", "C.", stretch=True)]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a call that Windows does not have")


def events(*finished: tuple[str, dict | None], collected=("test_a", "test_b", "test_c"), end=True) -> list[dict]:
    told = [{"event": "collected", "checks": list(collected)}]
    for name, failure in finished:
        told += [{"event": "started", "check": name}, {"event": "finished", "check": name, "failure": failure}]
    return told + ([{"event": "end"}] if end else [])


FAILURE = {"kind": "error", "type": "ValueError", "message": "no", "frames": [], "loading": False}
ALL = (("test_a", None), ("test_b", None), ("test_c", None))


def test_all_that_was_expected_ran_and_passed():
    verdict = judge(EXPECTED, events(*ALL), Ending())
    assert verdict.kind is Kind.PASSED and verdict.kind.exit_status == 0
    assert (verdict.count("passed", False), verdict.count("passed", True)) == (2, 1)


def test_a_stretch_check_that_fails_or_never_ends_blocks_nothing():
    assert judge(EXPECTED, events(*ALL[:2], ("test_c", FAILURE)), Ending()).kind is Kind.PASSED
    told = [*events(*ALL[:2], end=False), {"event": "started", "check": "test_c"}]
    verdict = judge(EXPECTED, told, Ending(status=None))
    assert verdict.kind is Kind.PASSED and verdict.outcomes[2].failure.kind == "time"


@pytest.mark.parametrize(
    ("told", "ending", "kind"),
    [
        (events(*ALL[:1]), Ending(), "died"),  # one did not run
        (events(*ALL[:1], end=False), Ending(), "died"),
        (events(ALL[0], ALL[2], collected=("test_a", "test_c")), Ending(), "missing"),
        ([*events(ALL[0], end=False), {"event": "finished", "check": "test_b", "failure": None}], Ending(), "died"),
        ([*events(ALL[0], end=False), {"event": "started", "check": "test_b"}], Ending(), "died"),
        ([*events(ALL[0], end=False), {"event": "started", "check": "test_b"}], Ending(None), "time"),
        (events(ALL[0], ("test_b", FAILURE), ("test_b", None)), Ending(), "error"),  # once failed is failed
    ],
)
def test_whatever_is_missing_is_a_failure(told, ending, kind):
    verdict = judge(EXPECTED, told, ending)
    assert verdict.kind is Kind.FAILED and verdict.first.failure.kind == kind


@pytest.mark.parametrize("told", [[], [{"event": "uncollected", "why": "ModuleNotFoundError"}], [{"event": "end"}]])
def test_checks_that_were_never_collected_say_nothing_of_the_solution(told):
    verdict = judge(EXPECTED, told, Ending(status=0))
    assert verdict.kind is Kind.BROKEN and verdict.kind.exit_status == 2


def test_a_file_without_required_checks_proves_nothing():
    assert judge([EXPECTED[2]], events(ALL[2]), Ending()).kind is Kind.BROKEN


def test_only_signed_lines_in_their_place_are_evidence():
    key, other = b"k" * 16, b"o" * 16
    first, second = signed.sign({"n": 0, "a": 1}, key), signed.sign({"n": 1, "a": 2}, key)
    assert [event["n"] for event in signed.read(first + second, key)] == [0, 1]
    assert signed.read(first + first, key) == [{"n": 0, "a": 1}]
    assert signed.read(second, key) == []
    assert signed.read(signed.sign({"n": 0}, other) + b'{"n": 0}\n' + b"\n\xff", key) == []
    assert signed.read(first + second[:-5], key) == [{"n": 0, "a": 1}]


def test_expected_checks_are_read_from_the_file_required_ones_first(tmp_path):
    file = tmp_path / "test_01_x.py"
    file.write_text(
        "import pytest\nfrom pytest import mark\n"
        '@pytest.mark.stretch\ndef test_star(step): "A star."\n'
        '@pytest.mark.timeout(60)\ndef test_one(step):\n    """One.\n\n    More."""\n'
        "@mark.gpu\ndef test_device(step): ...\n"
        "async def test_two_words(step): ...\n"
        "def helper(): ...\nclass TestNo:\n    def test_no(self): ...\n"
    )
    one, two, star = checks_in(file)
    assert (one.name, one.sentence, one.stretch) == ("test_one", "One.", False)
    assert (two.sentence, star.stretch) == ("two words", True)
    file.write_text("import pytest\npytestmark = [pytest.mark.real]\ndef test_one(): ...\n")
    assert checks_in(file) == []


def test_output_keeps_the_beginning_and_the_end_of_each_check():
    output = Output("mark")
    stream = b"before\x1emark one\x1ehello\x1emark two\x1e" + b"a" * HEAD + b"b" * 10_000 + b"c" * TAIL
    stream += b"\x1eother one\x1e"
    for at in range(0, len(stream), 7):  # marks are split over reads
        output.feed(stream[at : at + 7])
    output.finish()
    assert output.of("").texts() == ("before", 0, "") and output.of("one").texts() == ("hello", 0, "")
    head, left_out, tail = output.of("two").texts()
    assert head == "a" * HEAD and left_out > 9_000 and tail.endswith("\x1eother one\x1e")


STACK = """Timeout (0:00:20)!
Thread 0x01 (most recent call first):
  File "/x/helper.py", line 5 in wait

Thread 0x02 (most recent call first):
{frames}
  File "/home/gr\\xf6\\xdfer/step_03.py", line 9 in generate
  File "/x/pytest.py", line 1 in call
"""
FILES = {"/home/größer/step_03.py"}


def test_a_dump_of_stacks_names_the_solutions_line():
    dump = STACK.format(frames='  File "/x/torch.py", line 7 in mm')
    assert [(frame.line, frame.function) for frame in solution_frames(dump, FILES)] == [(9, "generate")]
    assert not is_importing(dump, FILES)
    assert solution_frames(dump + "Timeout (0:00:20)!\nThread 0x02 (most rec", FILES)[0].line == 9  # a dump cut off
    assert solution_frames("", FILES) == [] and not is_importing("", FILES)


def test_time_spent_on_importing_a_library_is_not_a_loop():
    frames = '  File "/x/torch.py", line 7 in <module>\n  File "<frozen importlib._bootstrap>", line 1 in _load'
    assert is_importing(STACK.format(frames=frames), FILES)


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "kata")


FORGE = """
import glob, json, os, tempfile
def forge():
    for name in glob.glob(tempfile.gettempdir() + "/kata-*/evidence"):
        genuine = open(name, "rb").read().splitlines()
        with open(name, "ab") as evidence:
            for n, check in enumerate(("test_adds_the_number", "test_adds_to_negative_numbers"), len(genuine)):
                for event in ("started", "finished"):
                    line = {"n": n, "event": event, "check": check, "failure": None}
                    evidence.write(genuine[0].split()[0] + b" " + json.dumps(line).encode() + b"\\n")
                    evidence.write(genuine[-1] + b"\\n")
forge()
"""
CHEATS = {
    "forged evidence": FORGE + "os.execv('/bin/true', ['true'])\n",
    "forged marks": "print('\\x1e test_adds_the_number\\x1e')\n" + right(1).replace("1 + x", "0"),
    "expect": "from kata import failure\nfailure.expect.__code__ = (lambda *a, **k: None).__code__\n",
    "another check": "import sys\nfor m in list(sys.modules.values()):\n"
    "    f = getattr(m, 'test_adds_to_negative_numbers', None)\n"
    "    if f: f.__code__ = (lambda step: None).__code__\n" + right(1).replace("1 + x", "2"),
    "a forked copy": "import os\nif os.fork(): os.execv('/bin/true', ['true'])\n" + right(1),
    "all files closed": "import os\nos.closerange(0, 99)\n" + right(1),
    "no time limit": "import faulthandler, time\nfaulthandler.cancel_dump_traceback_later()\ntime.sleep(1000)\n",
}


@POSIX
@pytest.mark.parametrize("cheat", CHEATS)
def test_evidence_cannot_be_made_up_by_a_file(project, cheat):
    project.write(1, CHEATS[cheat])
    told = project.kata("check", "1", "--limit", "1")
    assert told.status in (1, 3) and project.passed() == [] and "Traceback" not in told.text


PLAIN = {
    "skip": "import pytest; pytest.skip()",
    "xfail": "import pytest; pytest.xfail()",
    "SkipTest": "import unittest; raise unittest.SkipTest",
    "pytest.exit": "import pytest; pytest.exit('', returncode=0)",
    "sys.exit": "import sys; sys.exit(0)",
    "os._exit": "import os; os._exit(0)",
    "no error": "pass",
}


@pytest.mark.parametrize("code", PLAIN)
def test_plain_pytest_has_the_same_guards(project, code):
    project.write(1, right(1).replace("return 1 + x", PLAIN[code]))
    told = project.pytest("tests/test_01_chat_template.py")
    assert told.status == 1, told.text
    assert "skipped," not in told.text and "xfailed" not in told.text


def test_plain_pytest_passes_what_is_right_and_may_be_asked_for_less(project):
    project.solve(1)
    assert project.pytest("tests/test_01_chat_template.py").status == 0
    assert project.pytest("tests/test_01_chat_template.py", "--collect-only").status == 0
    assert project.pytest("tests/test_01_chat_template.py", "-m", "not stretch and not gpu").status == 0
    assert "no such folder" in project.pytest("tests/test_01_chat_template.py", "--impl", "nowhere")


def test_a_missing_device_is_a_reason_to_skip_and_a_solutions_wish_is_none(project):
    checks = project.root / "tests" / "test_01_chat_template.py"
    checks.write_text(checks.read_text().replace('raise RuntimeError("it was run")', 'pytest.skip("no CUDA here")'))
    project.solve(1)
    told = project.pytest(str(checks), "-m", "gpu")
    assert told.status == 0 and "1 skipped" in told.text
    checks.write_text(checks.read_text().replace('pytest.skip("no CUDA here")', "step.step_1(1)"))
    project.write(1, right(1).replace("return 1 + x", PLAIN["skip"]))
    assert project.pytest(str(checks), "-m", "gpu").status == 1


def test_checks_that_cannot_be_run_are_not_the_learners_fault(project):
    project.solve(1)
    checks = project.root / "tests" / "test_01_chat_template.py"
    checks.write_text("import not_installed\n" + checks.read_text())
    told = project.kata("check", "1")
    assert told.status == 2 and "No module named 'not_installed'" in told and "setup" in told
    checks.write_text("def test_a(:\n")
    assert project.kata("check", "1").status == 2
    assert project.passed() == []


def test_a_file_that_is_saved_while_it_is_checked_is_checked_again(project):
    rewrite = f"open(__file__, 'w').write({right(1)!r})\n"
    project.write(1, rewrite + right(1))
    told = project.kata("check", "1")
    assert told.status == 0 and "was saved meanwhile: checking it again" in told
    restless = "open(__file__, 'a').write('# more\\n')\n"
    project.write(1, restless + right(1))
    told = project.kata("check", "1")
    assert told.status == 1 and "changes while it is checked" in told and project.passed() == [1]
