"""Macros of the config, `[[macros]]`: a name, a key and steps each; `app.macros` parses the steps.

Nothing here raises: an unusable macro is reported with its line, and the others work.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from frontdesk.config.config_tables import MacroTable
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.tables import ConfigError, TableReader
from frontdesk.config.toml_edits import parse_toml
from frontdesk.config.toml_places import TablePlace, place_of, table_places


class MacroStep(NamedTuple):
    """A step as it is written, and its place: "config.toml, line 12"."""

    text: str
    where: str


class MacroSetting(NamedTuple):
    """A macro of the config.

    Attributes:
        where: the place of its key, as "config.toml, line 12".
    """

    name: str
    key: str
    steps: tuple[MacroStep, ...]
    where: str


class MacroFile(NamedTuple):
    """The macros of a config, and a sentence with the line of each unusable one."""

    macros: tuple[MacroSetting, ...] = ()
    faults: tuple[str, ...] = ()


def load_macros(path: Path) -> MacroFile:
    """Load the macros of a config file; none if it can't be loaded, which `settings.load_config` reports."""
    try:
        text = read_own_file(path)
        return read_macros(parse_toml(text).get("macros", []), text, path.name)
    except (OSError, OpenToOthers, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return MacroFile()


def read_macros(rows: object, text: str, file: str) -> MacroFile:
    """Parse the value of `macros`.

    Args:
        text: the file, for looking up lines.
        file: its name for sentences.
    """
    if not isinstance(rows, list):
        return MacroFile(faults=(f"{file}: write [[macros]] in double brackets before each macro",))
    tables = table_places(text, file)
    places = [each for each in tables if each.is_list and each.name == "macros"]
    macros: list[MacroSetting] = []
    faults: list[str] = []
    for number, row in enumerate(rows):
        place = places[number] if len(places) == len(rows) else TablePlace(file)
        try:
            table = TableReader().table(MacroTable, row, f"macros[{number}]")
        except ConfigError as error:
            faults.append(f"{place_of(str(error), tables) or file}: {error}")
            continue
        steps = tuple(MacroStep(step, place.of_text(step)) for step in table.do)
        macros.append(MacroSetting(table.name.strip(), table.key.strip(), steps, place.of_key("key")))
    return MacroFile(tuple(macros), tuple(faults))
