"""The docs tell the truth about keys and settings."""

from dataclasses import fields
from pathlib import Path

from frontdesk.app.screens import KEYMAP
from frontdesk.config.settings import Settings
from frontdesk.tui.keymap import display_key

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"
README = Path(__file__).parents[2] / "README.md"


def test_every_key_of_the_table_is_in_the_docs_and_no_other() -> None:
    rows = [row for row in DOCS.read_text().splitlines() if row.startswith("| `")]
    expected = [
        f"| `{key.id}` | {' '.join(f'`{display_key(name)}`' for name in key.keys)} | {key.help} |"
        for key in KEYMAP
    ]
    assert [row.rsplit(" | ", 1)[0] + " |" for row in rows] == expected


def test_every_setting_named_in_the_docs_exists() -> None:
    block = DOCS.read_text().split("[settings]")[1].split("[settings.keymap]")[0]
    named = {row.split("=")[0].strip() for row in block.splitlines() if "=" in row}
    assert named <= {field.name for field in fields(Settings)}


def test_the_readme_has_the_two_commands() -> None:
    text = README.read_text()
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[sandbox]' && .venv/bin/frontdesk demo" in text
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest" in text
