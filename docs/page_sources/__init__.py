"""The generated pages of docs/reference/, each made from the code; docs/make.py writes them.

A page says nothing that the code doesn't: what a command, a key, a setting, a variable or a file means stands
beside its definition.
"""

from collections.abc import Iterator
from pathlib import Path

from page_sources import command_pages, config_pages, environment_pages, key_pages, man_page, workflow_pages

DOCS = Path(__file__).parents[1]
REFERENCE = DOCS / "reference"

MAKERS = {
    "commands.md": command_pages.commands_page,
    "keys.md": key_pages.keys_page,
    "linear-commands.md": key_pages.linear_page,
    "settings.md": config_pages.settings_page,
    "variables.md": environment_pages.variables_page,
    "files.md": environment_pages.files_page,
    "workflow-rules.md": workflow_pages.rules_page,
    "config.schema.json": config_pages.schema_text,
    "frontdesk.1": man_page.man_text,
}
"""What makes each file."""


def stale_files() -> Iterator[tuple[Path, str]]:
    """Yield each file that isn't as the code is now, with what it has to be."""
    for name, make in MAKERS.items():
        path, text = REFERENCE / name, make()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield path, text


def surplus_files() -> list[Path]:
    """Return what nothing makes."""
    return sorted(path for path in REFERENCE.iterdir() if path.name not in MAKERS)
