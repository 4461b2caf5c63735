"""README.md shows what the runner says today."""

import re

import pytest

from tests.tools.recording import PAGE, play, renewed, scenes, shown


@pytest.mark.timeout(300)
def test_the_readme_shows_what_the_runner_says() -> None:
    page = shown(PAGE.read_text(encoding="utf-8"))
    why = "`python -m tests.tools.recording` writes it"
    assert [_without_figures(text) for text in page] == [_without_figures(text) for text in play(scenes())], why


def _without_figures(text: str) -> str:
    """The text without what another build of torch may draw otherwise."""
    return re.sub(r"\d+%", "%", " ".join(text.split()))


def test_each_block_gets_its_own_text() -> None:
    page = "A\n\n```console\n$ old\n```\n\nB\n\n```text\nkept\n```\n\n```console\n```\n"
    new = renewed(page, ["$ one\nsaid\n", "$ two\n"])
    assert new == "A\n\n```console\n$ one\nsaid\n```\n\nB\n\n```text\nkept\n```\n\n```console\n$ two\n```\n"
    assert shown(new) == ["$ one\nsaid\n", "$ two\n"]
