"""The tables and keys of config.toml, read from the classes that it is read into."""

import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from typing import Any, NotRequired, Required

from frontdesk.config.key_meaning import Meaning, keys_of, meaning_of, needed_keys
from frontdesk.config.settings_table import ConfigTable


@dataclass(frozen=True)
class Key:
    """A key of a table.

    Attributes:
        kind: its type: `str`, `bool`, `int`, `float`, `list` (of texts), `dict` (of texts), or a table's class.
        is_list: it is a list of tables, `[[name]]`.
        has_names: it is a table of tables by a name, `[name.NAME]`.
        default: MISSING where it is needed or the meaning says what happens without it.
    """

    name: str
    kind: Any
    meaning: Meaning
    is_needed: bool
    default: Any = MISSING
    is_list: bool = False
    has_names: bool = False

    @property
    def is_table(self) -> bool:
        return isinstance(self.kind, type) and self.kind not in (str, bool, int, float, list, dict)


@dataclass(frozen=True)
class TableEntry:
    """A table, with the line that begins it in the file: `[settings]`; empty for what stands before any."""

    heading: str
    keys: tuple[Key, ...]


def tables() -> Iterator[TableEntry]:
    """Yield all tables, each before those within it."""
    yield from _walk(ConfigTable, "", is_list=False)


def _walk(table: Any, path: str, *, is_list: bool) -> Iterator[TableEntry]:
    keys = keys_in(table)
    yield TableEntry((f"[[{path}]]" if is_list else f"[{path}]") if path else "", keys)
    for key in keys:
        if key.is_table:
            inner = ".".join(part for part in (path, key.name, "NAME" if key.has_names else "") if part)
            yield from _walk(key.kind, inner, is_list=key.is_list)


def keys_in(table: Any) -> tuple[Key, ...]:
    """Return the keys of a table's class."""
    hints = typing.get_type_hints(table, include_extras=True)
    needed = needed_keys(table)
    return tuple(_key(table, name, hints[name], is_needed=name in needed) for name in keys_of(table))


def _key(table: Any, name: str, hint: Any, *, is_needed: bool) -> Key:
    meaning = meaning_of(hint)
    assert meaning is not None, name
    kind = _bare(hint)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(each for each in typing.get_args(kind) if each is not types.NoneType)
    default = MISSING if meaning.default else _default(table, name)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (list, tuple):
        is_texts = inner[0] is str
        return Key(name, list if is_texts else inner[0], meaning, is_needed, default, is_list=not is_texts)
    if origin is dict:
        is_texts = inner[1] is str
        return Key(name, dict if is_texts else inner[1], meaning, is_needed, default, has_names=not is_texts)
    return Key(name, kind, meaning, is_needed, default)


def _bare(hint: Any) -> Any:
    while typing.get_origin(hint) in (Required, NotRequired, typing.Annotated):
        hint = typing.get_args(hint)[0]
    return hint


def _default(table: Any, name: str) -> Any:
    field = getattr(table, "__dataclass_fields__", {}).get(name)
    default = MISSING if field is None else field.default
    return MISSING if default in (None, "", ()) else default
