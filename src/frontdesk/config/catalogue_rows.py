"""Lists that a person edits: lines, people, statuses and tags of a profile, saved views, the theme."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from frontdesk.api.contract.ids import AgentId, LineId, StatusId, TagId
from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.hosts import ConfigError
from frontdesk.config.labels import BUILT_IN_STATUSES, StatusLabel, TagLabel
from frontdesk.config.settings import Profile, load_config
from frontdesk.config.toml_edits import update_file
from frontdesk.text.display_text import is_blank

Row = dict[str, str]
"""The values of one row by key; its `id` is unique in a catalogue."""

MAX_LETTERS = 200
_BUILT_IN = frozenset(each.id for each in BUILT_IN_STATUSES)


@dataclass(frozen=True, slots=True)
class CatalogueKind:
    """A list of rows that a person edits.

    Attributes:
        key: the profile's key, such as `lines`.
        title: its name; `one` is the word for a row.
        fields: the keys of a row, each with its label; the first two are required.
        order_note: shown after rows were moved; empty if their order means nothing.
        id_is_name: whether the id of a row is also its name.
        max_letters: maximum length of a value.
    """

    key: str
    title: str
    one: str
    fields: tuple[tuple[str, str], ...]
    order_note: str = ""
    id_is_name: bool = False
    max_letters: int = MAX_LETTERS

    @property
    def name_key(self) -> str:
        return self.fields[0 if self.id_is_name else 1][0]

    @property
    def detail_key(self) -> str:
        """Return the key of the value beside the name."""
        return self.fields[1 if self.id_is_name else 0][0]


CATALOGUES = (
    CatalogueKind("lines", "Lines", "line", (("id", "Id"), ("label", "Name"))),
    CatalogueKind("agents", "People", "person", (("id", "Agent id"), ("name", "Name"))),
    CatalogueKind(
        "statuses",
        "Statuses",
        "status",
        (("id", "Id"), ("name", "Name")),
        order_note="Saved the order. The board shows it after a restart.",
    ),
    CatalogueKind(
        "tags",
        "Tags",
        "tag",
        (("id", "Id"), ("title", "Title"), ("color", "Color"), ("associated_to", "Account")),
    ),
)

VIEWS = CatalogueKind(
    "views",
    "Saved views",
    "view",
    (("id", "Name"), ("match", "Filter")),
    order_note="Saved the order.",
    id_is_name=True,
    max_letters=1_000,
)
"""The person's own views, which belong to no profile."""


class NotSaved(Exception):
    """Raised when the config wasn't saved; the text says why."""


def rows_of(profile: Profile, kind: CatalogueKind) -> list[Row]:
    """Return the rows of a catalogue in their order."""
    if kind.key == "lines":
        return [{"id": line, "label": label} for line, label in profile.lines.items()]
    if kind.key == "agents":
        return [{"id": agent, "name": name} for agent, name in profile.agents.items()]
    if kind.key == "statuses":
        return [{"id": each.id, "name": each.name} for each in profile.statuses]
    tags = ({"id": each.id, "title": each.title, "color": each.color} for each in profile.tags)
    accounts = (each.associated_to for each in profile.tags)
    return [
        {key: value for key, value in {**tag, "associated_to": account or ""}.items() if value}
        for tag, account in zip(tags, accounts, strict=True)
    ]


def with_rows(profile: Profile, kind: CatalogueKind, rows: Sequence[Row]) -> Profile:
    """Return the profile with these rows in a catalogue."""
    if kind.key == "lines":
        return replace(profile, lines={LineId(row["id"]): row["label"] for row in rows})
    if kind.key == "agents":
        return replace(profile, agents={AgentId(row["id"]): row["name"] for row in rows})
    if kind.key == "statuses":
        return replace(profile, statuses=tuple(StatusLabel(StatusId(row["id"]), row["name"]) for row in rows))
    tags = (
        TagLabel(TagId(row["id"]), row["title"], row.get("color", ""), row.get("associated_to") or None)
        for row in rows
    )
    return replace(profile, tags=tuple(tags))


def field_fault(kind: CatalogueKind, key: str, value: str, others: Sequence[Row]) -> str:
    """Return the fault in a typed value of a row, given the other rows; empty if there is none."""
    text = value.strip()
    required = {name for name, _ in kind.fields[:2]}
    if is_blank(text):
        return "required" if key in required or text else ""
    if not text.isprintable():
        return "it has a line break or another control character"
    if len(text) > kind.max_letters:
        return f"longer than {kind.max_letters:,} characters"
    if key == "id" and any(row["id"] == text for row in others):
        return f"another {kind.one} has this {'name' if kind.id_is_name else 'id'}"
    return ""


def can_delete(kind: CatalogueKind, row: Row) -> bool:
    """Return whether a row can be deleted; the platform has its own statuses whatever the config says."""
    return kind.key != "statuses" or row["id"] not in _BUILT_IN


def save_rows(path: Path, name: str, kind: CatalogueKind, rows: Sequence[Row]) -> None:
    """Write a catalogue of a profile into the config; unknown keys of its rows stay.

    Raises:
        NotSaved: the config can't be used or written, or has no such profile.
    """

    def change(content: dict[str, Any]) -> None:
        profile = content["profiles"][name]
        before = {row["id"]: row for row in profile.get(kind.key, [])}
        known = {key for key, _ in kind.fields}
        profile[kind.key] = [
            {**{key: value for key, value in before.get(row["id"], {}).items() if key not in known}, **row}
            for row in rows
        ]
        built_in = [{"id": each.id, "name": each.name} for each in BUILT_IN_STATUSES]
        if not profile[kind.key] or (kind.key == "statuses" and profile[kind.key] == built_in):
            del profile[kind.key]

    try:
        if name not in load_config(path).profiles:
            raise NotSaved(f"{path.name} has no profile {name}, so its names can't be saved")
    except ConfigError as error:
        raise NotSaved(str(error)) from None
    _change_config(path, change)


def view_rows(path: Path) -> list[Row]:
    """Return the saved views of the config in their order.

    Raises:
        ConfigError: the config can't be used.
    """
    return [{"id": each.name, "match": each.match} for each in load_config(path).settings.views]


def save_views(path: Path, change_rows: Callable[[list[Row]], Sequence[Row]]) -> None:
    """Change the saved views in the config, creating it if needed; unknown keys of the rows stay.

    Raises:
        NotSaved: the config can't be used or written.
    """

    def change(content: dict[str, Any]) -> None:
        settings = content.setdefault("settings", {})
        before = {row["name"]: row for row in settings.get("views", [])}
        rows = change_rows([{"id": name, "match": row["match"]} for name, row in before.items()])
        settings["views"] = [
            {**before.get(row["id"], {}), "name": row["id"], "match": row["match"]} for row in rows
        ]
        if not rows:
            del settings["views"]
        if not settings:
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
