"""The tables of config.toml, as the reference page and the schema name them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frontdesk.config.settings import Config
from frontdesk.config.tables import Key, keys_of


@dataclass(frozen=True)
class TableEntry:
    """A table, with the line that begins it in the file: `[settings]`; empty for what stands before any."""

    heading: str
    keys: tuple[Key, ...]


def tables() -> Iterator[TableEntry]:
    """Yield all tables, each before those within it."""
    yield from _walk(Config, "", is_list=False)


def _walk(table: Any, path: str, *, is_list: bool) -> Iterator[TableEntry]:
    keys = tuple(keys_of(table).values())
    yield TableEntry((f"[[{path}]]" if is_list else f"[{path}]") if path else "", keys)
    for key in keys:
        if key.is_table:
            name = "NAME" if key.shape is dict else ""
            inner = ".".join(part for part in (path, key.name, name) if part)
            yield from _walk(key.item, inner, is_list=key.shape is list)


def shown_default(key: Key) -> Any:
    """Return the default if it is a value that can be written in the file, else None."""
    is_shown = isinstance(key.default, str | bool | int | float) and key.default != "" and not key.without
    return key.default if is_shown else None
