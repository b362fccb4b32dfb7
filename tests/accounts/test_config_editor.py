"""Editing config.toml in one's own editor."""

from pathlib import Path
from typing import Any, cast

import pytest

from frontdesk.accounts.config_edits import edit_config
from frontdesk.config import settings as config_settings
from frontdesk.storage.database import Store
from linear.running_session import PROFILE
from services import Services
from tui.test_editor import Terminal, script

GOOD = '# mine\n[[macros]]\nname = "Later"\nkey = "f6"\ndo = ["due +1d"]\n'


class Editing:
    """A config, and an editor that saves a text of the test's."""

    def __init__(self, store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self._saved = folder / "config" / "config.toml", folder / "saved"
        monkeypatch.setattr(config_settings, "config_path", lambda: self.path)
        monkeypatch.setenv("VISUAL", str(script(folder, f'cp {self._saved} "$1"')))
        self._context = Services(store, PROFILE)
        self._folder, self._patch = folder, monkeypatch

    def arguments(self) -> str:
        """What an editor that takes a line is started with, before the file."""
        self._patch.setenv(
            "VISUAL", str(script(self._folder, f'echo "$@" > {self._folder / "arguments"}', "nano"))
        )
        edit_config(cast("Any", Terminal()), self._context.store.profile)
        return (self._folder / "arguments").read_text().split()[0]

    def save(self, text: str) -> str:
        """What is said when the editor saves this text."""
        self._saved.write_text(text)
        return edit_config(cast("Any", Terminal()), self._context.store.profile).text


@pytest.fixture
def editing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editing:
    return Editing(store, tmp_path, monkeypatch)


def test_a_config_is_made_and_changed_as_it_is_written(editing: Editing) -> None:
    saved = "Saved config.toml. Restart frontdesk to apply it."
    assert editing.save(GOOD) == "Saved config.toml.", "a macro applies at once"
    assert editing.path.read_text() == GOOD
    assert editing.path.stat().st_mode & 0o777 == 0o600
    assert editing.save(GOOD) == "config.toml wasn't changed."
    assert editing.save(GOOD + "# more\n") == "Saved config.toml."
    assert editing.save(GOOD + "[settings]\nbell = true\n") == "Saved config.toml.", "it applies at once"
    assert editing.save(GOOD + "[settings]\nbell = true\ntitle = false\n") == saved


@pytest.mark.parametrize(
    ("text", "why"),
    [("[settings\n", "config.toml: not valid TOML"), ('[settings]\nbell = "x"\n', "settings.")],
)
def test_what_no_start_could_read_is_not_saved_and_not_lost(editing: Editing, text: str, why: str) -> None:
    editing.save(GOOD)
    said = editing.save(text)
    assert why in said
    assert editing.path.read_text() == GOOD
    kept = Path(said.rsplit(" ", 1)[1].rstrip("."))
    assert kept.read_text() == text
    kept.unlink()


def test_what_is_switched_off_by_a_fault_is_named_with_its_line(editing: Editing) -> None:
    said = editing.save(GOOD.replace("due +1d", "status banana") + '\n[[sla]]\nname = "x"\n')
    assert said.startswith("Saved")
    assert "config.toml, line 5" in said
    assert "banana" in said
    assert "this SLA is off" in said
    said = editing.save(GOOD + '[[settings.alerts]]\nwhen = "bananas > 3%"\n')
    assert "config.toml, line 7: settings.alerts[0].when: 'bananas > 3%'" in said


@pytest.mark.parametrize(
    ("text", "begins"), [(GOOD.replace("due +1d", "status banana"), "+5"), ("[a]\nx = \n", "+2"), (GOOD, "/")]
)
def test_the_editor_opens_at_the_line_of_a_problem(editing: Editing, text: str, begins: str) -> None:
    editing.save(GOOD)
    editing.path.write_text(text)
    assert editing.arguments().startswith(begins)
