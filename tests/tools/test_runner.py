"""The runner as a learner meets it: what each verb says and how it ends, on a small kata in a temporary folder."""

from pathlib import Path

import pytest

from tests.tools.throwaway import Project, right

PASSED, FAILED, WRONG_USE, CANNOT_LOAD = 0, 1, 2, 3


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


def test_a_fresh_clone_says_what_step_1_asks_in_a_few_lines(project):
    told = project.kata("check", "1")
    assert told.status == FAILED
    assert "step 1 is not started: exercises/step_01_chat_template.py, line 7" in told
    assert "Add 1 to a number." in told and "hint 1" in told and "exercises/step_01_chat_template.md" in told
    assert len(told.text.strip().splitlines()) <= 9


def test_every_stub_is_not_started(project):
    for number in (2, 5, 9):
        told = project.kata("check", str(number), "--force")
        assert (told.status, f"step {number} is not started" in told) == (FAILED, True), told.text


def test_a_pass_opens_the_next_step_and_counts_stars(project):
    project.solve(1)
    told = project.kata("check", "1")
    assert told.status == PASSED
    assert "step 1 passed 2 of 2 checks, stars 1 of 1" in told
    assert "step 2 is open: Choose the next token" in told
    assert project.passed() == [1]


def test_a_star_that_is_missing_is_named_and_blocks_nothing(project):
    project.write(1, right(1).replace("return 1\n", "return 0\n"))
    told = project.kata("check", "1")
    assert told.status == PASSED
    assert "stars 0 of 1" in told and "no star The star is there." in told and "step 2 is open" in told
    assert "No star." not in told
    assert "more python -m kata check 1 --all tells why" in told
    told = project.kata("check", "1", "--all")
    assert "why No star." in told and "tells why" not in told


def test_the_first_failing_check_is_told_in_full_and_the_rest_on_wish(project):
    project.write(1, right(1).replace("1 + x", "2 + x"))
    told = project.kata("check", "1")
    assert told.status == FAILED
    for words in ("failed passed 0 of 2", "1 is added to the number.", "call step_1(1)", "got 3", "wanted 2"):
        assert words in told
    assert "why You return something else" in told and "where exercises/step_01_chat_template.py, line 1" in told
    assert "Negative numbers" not in told and "second paragraph" not in told
    told = project.kata("check", "1", "-v")
    assert "FAILED Negative numbers are numbers too." in told and "star The star is there." in told


def test_a_step_is_locked_until_the_one_before_has_passed(project):
    project.solve(1, 2, 3)
    told = project.kata("check", "3")
    assert told.status == WRONG_USE
    assert "step 3 is locked: step 1 comes first" in told and "jump 3" in told and "--force" in told
    project.kata("check", "1")
    assert "step 2 comes first" in project.kata("check", "3")
    assert project.passed() == [1]


def test_force_checks_on_the_references_steps_and_says_so(project):
    project.solve(3)
    told = project.kata("check", "3", "--force")
    assert told.status == PASSED and "the reference stands in for steps 1, 2" in told
    assert "step 1 is open" in told
    assert project.kata("check", "4").status == WRONG_USE


def test_check_without_a_number_takes_the_first_that_is_not_passed(project):
    project.pass_steps(1, 2)
    project.solve(3)
    assert "step 3 passed" in project.kata("check")
    assert "step 4 is not started" in project.kata("check")


def test_after_all_nine_there_is_nothing_left_to_check(project):
    project.pass_steps(*range(1, 10))
    told = project.kata("check")
    assert told.status == PASSED and "every step is passed" in told


def test_a_file_that_is_gone_is_missing_not_changed(project):
    project.pass_steps(1, 2)
    project.file(1).unlink()
    told = project.kata("progress")
    assert "1 missing" in told and "changed" not in told and "reset 1 puts the stub back" in told
    project.solve(3)
    told = project.kata("check", "3")
    assert told.status == CANNOT_LOAD and "step 1 has passed, and its file is missing now" in told
    assert "reset 1 puts the stub back" in told


def test_a_changed_step_is_stale_and_checked_again_before_a_later_one(project):
    project.pass_steps(1, 2)
    project.write(1, right(1) + "# another line\n")
    project.solve(3)
    assert "1 changed" in project.kata("progress")
    told = project.kata("check", "3")
    assert told.status == PASSED
    assert "step 1 changed since it passed: it is checked first" in told
    assert "step 1 passed" in told and "step 3 passed" in told
    assert "changed" not in project.kata("progress")


def test_a_changed_step_that_fails_now_is_in_the_way(project):
    project.pass_steps(1, 2)
    project.write(1, right(1).replace("1 + x", "0"))
    project.solve(3)
    told = project.kata("check", "3")
    assert told.status == FAILED and "step 1 failed" in told and "step 3 passed" not in told
    assert "1 changed" in project.kata("progress")
    project.write(1, "def step_1(x:\n")
    assert project.kata("check", "3").status == CANNOT_LOAD


def test_check_alone_goes_to_a_changed_step(project):
    project.pass_steps(1, 2)
    project.write(2, right(2) + "\n")
    assert "step 2 passed" in project.kata("check")


def test_a_pass_comes_back_with_the_file_that_earned_it(project):
    project.pass_steps(1)
    passed = project.file(1).read_bytes()
    project.kata("reset", "1")
    assert "1 open" in project.kata("progress")
    project.write(1, passed)
    assert "1 passed" in project.kata("progress")


def test_the_later_step_uses_the_learners_earlier_one_once_it_passed(project):
    project.pass_steps(1)
    project.write(2, "from .step_01_chat_template import step_1\n" + right(2).replace("2 + x", "step_1(x) + 1"))
    assert project.kata("check", "2").status == PASSED
    spoilt = right(2).replace("2 + x", "0 if step_1.__doc__ else 2 + x")  # the reference's has a docstring
    project.write(2, "from exercises.step_01_chat_template import step_1\n" + spoilt)
    assert project.kata("check", "2").status == PASSED


def test_an_earlier_step_that_is_not_written_is_named(project):
    folder = project.root / "handed in"
    folder.mkdir()
    source = "from .step_01_chat_template import step_1\n" + right(2).replace("2 + x", "step_1(x) + 1")
    (folder / project.file(2).name).write_text(source)
    (folder / project.file(1).name).write_text('def step_1(x):\n    raise NotImplementedError("TODO 1: add 1")\n')
    told = project.kata("check", "2", "--impl", str(folder))
    assert told.status == FAILED and "step 2 needs step 1, which is not started" in told and "line 2" in told


def test_another_solution_is_checked_without_locks_and_without_a_trace(project):
    told = project.kata("check", "4", "--impl", "reference")
    assert told.status == PASSED and "passed 4 is added to the number." in told and "star The star is there." in told
    assert not project.state.exists()
    folder = project.root / "handed in"
    folder.mkdir()
    (folder / project.file(3).name).write_text(right(3))
    told = project.kata("check", "3", "--impl", str(folder))
    assert told.status == PASSED and "the reference stands in for steps 1, 2" in told
    (folder / project.file(3).name).write_text(right(3).replace("3 + x", "7"))
    told = project.kata("check", "3", "--impl", str(folder))
    assert told.status == FAILED and "FAILED 3 is added to the number." in told and "FAILED Negative" in told
    assert (
        told.text.count("why") == 1 and project.kata("check", "3", "--impl", str(folder), "-v").text.count("why") == 2
    )
    assert project.kata("check", "5", "--impl", str(folder)).status == CANNOT_LOAD
    assert project.kata("check", "5", "--impl", "nowhere").status == WRONG_USE
    assert not project.state.exists()


def test_what_is_left_open_is_told(project):
    reference = project.root / "reference" / project.file(1).name
    gap = "    # BEGIN SOLUTION: the star\n    return 1\n    # END SOLUTION\n"
    reference.write_text(reference.read_text().replace("    return 1\n", gap))
    open_star = right(1).replace("return 1\n", 'raise NotImplementedError("TODO 1: the star")\n')
    project.write(1, open_star)
    told = project.kata("check", "1")
    assert told.status == PASSED and "no star The star is there." in told
    project.write(1, open_star.replace("1 + x", "0"))
    assert "open line 6 (star_1)" in project.kata("check", "1")
    half = '    if x < 0:\n        raise NotImplementedError("TODO 1: below 0")\n    return 1 + x'
    project.write(1, right(1).replace("    return 1 + x", half))
    told = project.kata("check", "1")
    assert told.status == FAILED
    assert "step 1 is not finished passed 1 of 2 checks" in told and "open line 3 (step_1)" in told


def test_gaps_in_a_class_body_are_not_started_too(project):
    reference = project.root / "reference" / project.file(1).name
    reference.write_text("class A:\n    # BEGIN SOLUTION: the fields (about 2 lines)\n    a = 1\n    # END SOLUTION\n")
    project.write(1, '# mine\nclass A:\n    raise NotImplementedError("TODO 1: the fields")\n')
    told = project.kata("check", "1")
    assert told.status == FAILED and "step 1 is not started: exercises/step_01_chat_template.py, line 3" in told


def test_the_order_of_the_steps_is_walked_to_its_end(project):
    for number in range(1, 10):
        project.solve(number)
        told = project.kata("check")
        assert told.status == PASSED and f"step {number} passed" in told, told.text
    assert "passed 9 of 9 steps, 9 of 9 stars" in project.kata("progress")
