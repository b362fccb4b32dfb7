"""`frontdesk docs`, in a pipe and with a pager."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from frontdesk.cli import docs as docs_command

DOCS = Path(__file__).parents[2] / "docs"


def test_without_a_topic_it_lists_the_pages(nowhere: Frontdesk) -> None:
    typed = nowhere("docs")
    assert typed.status == 0
    assert "\n  troubleshooting " in typed.out
    assert "\nReference\n" in typed.out


def test_in_a_pipe_a_page_is_printed_as_it_is(nowhere: Frontdesk) -> None:
    assert nowhere("docs", "configuration").out == (DOCS / "configuration.md").read_text(encoding="utf-8")
    schema = (DOCS / "reference" / "config.schema.json").read_text(encoding="utf-8")
    assert nowhere("docs", "config.schema.json").out == schema


def test_words_are_searched_for_and_listed_in_a_pipe(nowhere: Frontdesk) -> None:
    first, *others = nowhere("docs", "saved", "views").out.splitlines()
    assert first == "configuration: Saved views"
    assert others
    assert all(": " in each for each in others)


def test_words_open_the_best_section_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = docs_command._read(["saved", "views"])
    assert shown.startswith("## Saved views")
    assert "\n## " not in shown
    assert "See also: " in shown


def test_words_that_are_nowhere_are_one_line_and_2(nowhere: Frontdesk) -> None:
    assert "to list the pages, run `frontdesk docs`" in nowhere.fails(2, "docs", "qqxzzy")


def test_a_page_goes_through_the_pager_which_is_a_shell_command(tmp_path: Path) -> None:
    environ = {"PAGER": f'echo "$LESS" > {tmp_path}/less && cat > {tmp_path}/page', "FRONTDESK_COOKIE": "secret"}
    docs_command._page("text\n", {**environ, "PATH": "/usr/bin:/bin"})
    assert (tmp_path / "page").read_text() == "text\n"
    assert (tmp_path / "less").read_text() == "FRX\n"


@pytest.mark.parametrize("pager", ["cat", "nowhere-to-be-found"])
def test_without_a_pager_a_page_is_printed(pager: str, capfd: pytest.CaptureFixture[str]) -> None:
    docs_command._page("text\n", {"PAGER": pager, "PATH": "/usr/bin:/bin"})
    assert "text\n" in capfd.readouterr().out
