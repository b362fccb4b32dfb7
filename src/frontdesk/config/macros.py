"""Macros of the config, `[[macros]]`: a name, a key and steps each; `app.macros` parses the steps.

Nothing here raises: an unusable macro is reported with its line, and the others work.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from frontdesk.config.config_tables import MacroTable
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.tables import keys_of
from frontdesk.config.toml_edits import parse_toml
from frontdesk.config.toml_places import TablePlace, table_places


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
        rows = parse_toml(text).get("macros", [])
    except (OSError, OpenToOthers, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return MacroFile()
    return read_macros(rows, text, path.name)


def read_macros(rows: object, text: str, file: str) -> MacroFile:
    """Parse the value of `macros`.

    Args:
        text: the file, for looking up lines.
        file: its name for sentences.
    """
    if not isinstance(rows, list):
        return MacroFile(faults=(f"{file}: write [[macros]] in double brackets before each macro",))
    places = table_places(text, "macros", file)
    macros: list[MacroSetting] = []
    faults: list[str] = []
    for number, row in enumerate(rows):
        place = places[number] if len(places) == len(rows) else TablePlace(file)
        if fault := _fault(row):
            key, words = fault
            faults.append(f"{place.of_key(key)}: {words}")
            continue
        steps = tuple(MacroStep(step, place.of_text(step)) for step in row["do"])
        macros.append(MacroSetting(row["name"].strip(), row["key"].strip(), steps, place.of_key("key")))
    return MacroFile(tuple(macros), tuple(faults))


def _fault(row: object) -> tuple[str, str] | None:
    """Return the key that can't be used and the value to write, or `None`."""
    if not isinstance(row, Mapping):
        return "macros", "write [[macros]] in double brackets before each macro"
    if unknown := next((key for key in row if key not in keys_of(MacroTable)), None):
        return unknown, f"unknown key {unknown}; a macro has name, key and do"
    for key in ("name", "key"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            return key, f'the macro needs a {key}, such as {key} = "{"Wait for them" if key == "name" else "B"}"'
    steps = row.get("do")
    if not isinstance(steps, list) or not steps or not all(isinstance(each, str) and each for each in steps):
        return "do", 'the macro needs steps, such as do = ["status waiting", "due +2h"]'
    return None
