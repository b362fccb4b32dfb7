"""A link that is opened: the browser gets it, and nothing else of this process."""

import os
import sys
from pathlib import Path

import pytest

from frontdesk.tui.desktop import open_in_browser

WRITES = "import os, sys; open(sys.argv[1], 'w').write(repr((sys.argv[2], sorted(os.environ), os.isatty(1))))"


def test_a_browser_gets_the_link_and_no_variable_of_frontdesk(tmp_path: Path) -> None:
    browser, out = tmp_path / "browser", tmp_path / "out"
    browser.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{WRITES}" {out} "$1"\n')
    browser.chmod(0o700)
    environ = {**os.environ, "BROWSER": str(browser), "FRONTDESK_COOKIE": "token=secret", "OF_MINE": "1"}
    assert open_in_browser("https://a.example/x", environ).result(60)
    text = out.read_text()
    assert text.startswith("('https://a.example/x', ")
    assert "'OF_MINE'" in text
    assert "FRONTDESK_" not in text


def test_a_browser_that_cannot_be_started_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert not open_in_browser("https://a.example/x", {}).result(60)


@pytest.mark.parametrize("url", ["https://a.example/\0", "https://a.example/\ud800"])
def test_a_link_that_no_program_can_be_given_is_answered(url: str) -> None:
    assert not open_in_browser(url, {}).result(60)


@pytest.mark.parametrize("browser", [{}, {"BROWSER": "false"}, {"BROWSER": "/no/such/browser"}])
def test_without_a_browser_that_works_the_answer_is_no(tmp_path: Path, browser: dict[str, str]) -> None:
    """Without a display, and with a browser in text that there would be no terminal for."""
    (tmp_path / "w3m").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "w3m").chmod(0o700)
    environ = {"PATH": str(tmp_path), "TERM": "xterm", **browser}
    assert not open_in_browser("https://a.example/x", environ).result(60)
