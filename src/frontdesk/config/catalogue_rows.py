"""Lists that a person edits: lines, people, statuses and tags of a profile, saved views, the theme."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from frontdesk.config.config_tables import BUILT_IN_STATUSES
from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.settings import Profile, Settings, load_config
from frontdesk.config.tables import ConfigError, Key, TableReader, keys_of, written_value
from frontdesk.config.toml_edits import update_file
from frontdesk_lines.display_text import is_blank

Row = dict[str, str]
"""The values of one row by key."""

_BUILT_IN = frozenset(each.id for each in BUILT_IN_STATUSES)


class CatalogueKind(NamedTuple):
    """A list of rows that a person edits.

    Attributes:
        declared: the key of the list.
        title: its name; `one` is the word for a row.
        order_note: shown after rows were moved; empty if their order means nothing.
    """

    declared: Key
    title: str
    one: str
    order_note: str = ""
    max_letters: int = 200

    @property
    def key(self) -> str:
        return self.declared.name

    @property
    def fields(self) -> dict[str, Key]:
        return keys_of(self.declared.item)

    @property
    def id_key(self) -> str:
        return next(iter(self.fields))

    @property
    def name_key(self) -> str:
        return next((each.name for each in self.fields.values() if each.if_blank), self.id_key)

    @property
    def detail_key(self) -> str:
        return next(each for each in self.fields if each != self.name_key)


_LISTS = keys_of(Profile)
CATALOGUES = (
    CatalogueKind(_LISTS["lines"], "Lines", "line"),
    CatalogueKind(_LISTS["agents"], "People", "person"),
    CatalogueKind(
        _LISTS["statuses"], "Statuses", "status", "Saved the order. The board shows it after a restart."
    ),
    CatalogueKind(_LISTS["tags"], "Tags", "tag"),
)

VIEWS = CatalogueKind(keys_of(Settings)["views"], "Saved views", "view", "Saved the order.", max_letters=1_000)
"""The person's own views, which belong to no profile."""


class NotSaved(Exception):
    """Raised when the config wasn't saved; the text says why."""


def rows_of(owner: Profile | Settings, kind: CatalogueKind) -> list[Row]:
    """Return the rows of a catalogue, or the saved views of the settings, in their order."""
    return written_value(kind.declared, getattr(owner, kind.key))  # type: ignore[no-any-return]


def with_rows(profile: Profile, kind: CatalogueKind, rows: Sequence[Row]) -> Profile:
    return replace(profile, **{kind.key: TableReader().value(kind.declared, [*rows], kind.key)})


def field_fault(kind: CatalogueKind, key: str, value: str, others: Sequence[Row]) -> str:
    """Return the fault in a typed value of a row, given the other rows; empty if there is none."""
    text = value.strip()
    if is_blank(text):
        return "required" if kind.fields[key].is_needed or text else ""
    if not text.isprintable():
        return "it has a line break or another control character"
    if len(text) > kind.max_letters:
        return f"longer than {kind.max_letters:,} characters"
    if key == kind.id_key and any(row[key] == text for row in others):
        return f"another {kind.one} has this {key}"
    return ""


def can_delete(kind: CatalogueKind, row: Row) -> bool:
    """Return whether a row can be deleted; the platform has its own statuses whatever the config says."""
    return kind.key != "statuses" or row["id"] not in _BUILT_IN


def save_rows(
    path: Path, kind: CatalogueKind, change_rows: Callable[[list[Row]], Sequence[Row]], profile: str = ""
) -> None:
    """Change a catalogue of a profile, or the saved views, in the config; unknown keys of the rows stay.

    Raises:
        NotSaved: the config can't be used or written, or has no such profile.
    """

    def change(content: dict[str, Any]) -> None:
        if profile and profile not in content.get("profiles", {}):
            raise NotSaved(f"{path.name} has no profile {profile}, so its names can't be saved")
        table = content["profiles"][profile] if profile else content.setdefault("settings", {})
        before = {row[kind.id_key]: row for row in table.get(kind.key, [])}
        rows = change_rows([{key: row[key] for key in kind.fields if key in row} for row in before.values()])
        unknown = {each: {key: row[key] for key in row if key not in kind.fields} for each, row in before.items()}
        table[kind.key] = [{**unknown.get(row[kind.id_key], {}), **row} for row in rows]
        if table[kind.key] in ([], written_value(kind.declared, kind.declared.default)):
            del table[kind.key]
        if not table:
            del content["settings"]

    _change_config(path, change)


def save_setting(path: Path, key: str, value: str) -> None:
    """Write one setting into the config, which is made if there is none.

    Raises:
        NotSaved: the config can't be used or written.
    """
    _change_config(path, lambda content: content.setdefault("settings", {}).__setitem__(key, value))


def _change_config(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    try:
        load_config(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        update_file(path, change)
    except (ConfigError, OpenToOthers, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotSaved(str(error)) from None
    except OSError as error:
        raise NotSaved(f"{path.name} can't be written: {error.strerror or error}") from None
