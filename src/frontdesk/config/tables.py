"""Tables of config.toml as data: each is a dataclass whose fields are made by `declare`.

The reader, the writer, the row editor, the reference page and the schema for editors follow from the declaration.
A field without one isn't a key of the file.
"""

import typing
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, TypeVar

from frontdesk_lines.display_text import is_blank

Table = TypeVar("Table")


class ConfigError(ValueError):
    """Raised when a value in the config or the environment can't be used; the text begins with its key's path."""


def expect(holds: bool, problem: str) -> None:
    """Raise a ConfigError unless the condition holds."""
    if not holds:
        raise ConfigError(problem)


class Key(NamedTuple):
    """A key of a table, with its meaning for the person who writes the file.

    Attributes:
        text: one or more sentences, with Markdown's back ticks.
        see: the page that explains it, from docs/, such as `configuration.md#replies`.
        without: the behaviour without the key, if its default doesn't show it; the name of a key for that one's.
        label: its name in the row editor.
        choices: the allowed values; for a list, those of its entries; for a table, its keys.
        pattern: a regular expression for texts, for editors.
        maximum: inclusive; every number is above 0.
        expected: what a fault says was expected; empty for the type and the choices.
        is_filled: neither empty nor blank.
        unique: no other row has the result of this function of the value.
        names_row: faults name the row by this value, as `commands[0] (Call them)`; such keys come first.
        if_blank: the key whose value is used instead of a blank one.
        rows: the table of a list of rows, which become a dict of their two values.
        skips: the word for an entry that can't be used; it is skipped, and the others work.
        is_inline: the keys of the field's table belong to this one; `read` reads them.
        is_live: a change applies while the program runs.
        read: reads the value as written, at a path; raises ConfigError.
        check: returns what is used for a value of the right type, at a path; raises ConfigError.
        item: the type of the value, or of its entries: `str`, `bool`, `int`, `float`, or a table's class.
        shape: `list` or `dict` if it has entries; both are the field's own if they aren't given.
    """

    text: str
    see: str = ""
    without: str = ""
    label: str = ""
    choices: tuple[str, ...] = ()
    pattern: str = ""
    maximum: float | None = None
    expected: str = ""
    is_filled: bool = False
    unique: Callable[[str], object] | None = None
    names_row: bool = False
    if_blank: str = ""
    rows: Any = None
    skips: str = ""
    is_inline: bool = False
    is_live: bool = False
    read: Callable[[Any, str], Any] | None = None
    check: Callable[[Any, str], Any] | None = None
    name: str = ""
    item: Any = None
    shape: Any = None
    default: Any = None
    is_needed: bool = False

    @property
    def is_table(self) -> bool:
        return self.item not in (str, bool, int, float)

    @property
    def wanted(self) -> str:
        """Return what a fault says was expected."""
        if self.expected:
            return self.expected
        if self.choices:
            kind = {list: "a list with any of", dict: "a table of"}.get(self.shape, "one of")
            return f"{kind} {', '.join(self.choices)}"
        if self.maximum is not None:
            return f"a number above 0, at most {self.maximum:,.0f}"
        if self.shape is list:
            return "a list of tables" if self.is_table else "a list of strings"
        return {bool: "true or false", str: "text"}[self.item] if self.shape is None else "a table"


def declare(text: str, default: Any = MISSING, **rules: Any) -> Any:
    """Declare a field of a dataclass as a key: its meaning, its default (or what makes it), and rules of `Key`."""
    unset = {"default_factory": default} if callable(default) else {"default": default}
    return field(**unset, metadata={"key": Key(text, **rules)})


def place() -> Any:
    """Declare a field that gets the table's place in the file, such as `hooks[0] (message)`."""
    return field(default="", metadata={"is_place": True})


@cache
def declared(table: Any) -> dict[str, Key]:
    """Return the declarations of a table's fields."""
    found = {}
    for each in fields(table):
        if (meaning := each.metadata.get("key")) is not None:
            default = each.default if each.default_factory is MISSING else each.default_factory()
            is_needed = default is MISSING and not meaning.without
            item, shape = (meaning.rows, list) if meaning.rows else _kind(each.type)
            if meaning.item is not None:
                item, shape = meaning.item, meaning.shape
            rest = {"default": default, "is_needed": is_needed, "item": item, "shape": shape}
            found[each.name] = meaning._replace(name=each.name, **rest)
    return found


@cache
def _places(table: Any) -> list[str]:
    return [each.name for each in fields(table) if "is_place" in each.metadata]


@cache
def keys_of(table: Any) -> dict[str, Key]:
    found: dict[str, Key] = {}
    for name, meaning in declared(table).items():
        found |= keys_of(meaning.item) if meaning.is_inline else {name: meaning}
    return found


def _kind(hint: Any) -> tuple[Any, Any]:
    """Return the type of a field's value or its entries, and whether it is a `list` or a `dict` of them."""
    hint = getattr(hint, "__supertype__", hint)  # of a NewType
    origin, inner = typing.get_origin(hint), [each for each in typing.get_args(hint) if each is not NoneType]
    if origin is None:
        return hint, None
    if origin in (tuple, dict):
        return _kind(inner[0 if origin is tuple else 1])[0], list if origin is tuple else dict
    return _kind(inner[0])


class TableReader:
    """Reads tables into their classes; a value that can't be used raises a ConfigError with its key's path.

    Attributes:
        unknown: the paths of unknown keys.
        problems: a sentence for each entry that was skipped.
    """

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.problems: list[str] = []

    def table(self, table: Callable[..., Table], raw: Any, path: str, **given: Any) -> Table:
        """Parse a table, whose fields that aren't in the file are given."""
        expect(isinstance(raw, dict), f"{path}: expected a table")
        known, is_strict = keys_of(table), getattr(table, "is_strict", False)
        unknown = [each for each in raw if each not in known]
        self.unknown += [] if is_strict else [_join(path, each) for each in unknown]
        here = path
        for name, meaning in declared(table).items():
            if meaning.is_inline:
                given[name] = self.value(meaning, raw, path)
            elif name in raw or meaning.is_needed:
                if is_strict and unknown and not meaning.names_row:
                    names = ", ".join(sorted(known))
                    raise ConfigError(f"{here}.{unknown[0]}: unknown key; choose from {names}")
                given[name] = self.value(meaning, raw.get(name), _join(here, name))
                here = f"{path} ({given[name]})" if meaning.names_row else here
                if meaning.if_blank and is_blank(given[name]):
                    given[name] = given[meaning.if_blank]
        given |= dict.fromkeys(_places(table), here)
        row: Any = table(**given)
        if hasattr(row, "fault") and (words := row.fault()):
            raise ConfigError(f"{here}{words}")
        return row  # type: ignore[no-any-return]

    def value(self, meaning: Key, raw: Any, path: str) -> Any:
        if meaning.read is not None:
            return meaning.read(raw, path)
        if meaning.shape is dict or (meaning.shape is list and meaning.is_table):
            if isinstance(raw, meaning.shape):
                read: Any = self._by_name if meaning.shape is dict else self._rows
                return read(meaning, raw, path)
            header = f", [[{path}]]" if meaning.shape is list else ""
            self._skip(meaning, ConfigError(f"{path}: expected {meaning.wanted}{header}"))
            return meaning.default
        value = self.table(meaning.item, raw, path) if meaning.is_table else _plain(meaning, raw, path)
        return meaning.check(value, path) if meaning.check is not None else value

    def _rows(self, meaning: Key, raw: list[Any], path: str) -> Any:
        unique = {name: each.unique for name, each in declared(meaning.item).items() if each.unique is not None}
        found: list[Any] = []
        seen: set[tuple[str, object]] = set()
        for at, each in enumerate(raw):
            try:
                row = self.table(meaning.item, each, f"{path}[{at}]")
                for name, mark in unique.items():
                    value = getattr(row, name)
                    expect((name, mark(value)) not in seen, f"{path}[{at}].{name}: {value!r} is already used")
                    seen.add((name, mark(value)))
                found.append(row)
            except ConfigError as error:
                self._skip(meaning, error, ignored=True)
        rows: Any = tuple(found)
        if meaning.rows is not None:
            rows = dict(map(attrgetter(*keys_of(meaning.rows)), found))
        return meaning.check(rows, path) if meaning.check is not None else rows

    def _by_name(self, meaning: Key, raw: dict[str, Any], path: str) -> dict[str, Any]:
        """Parse a table of tables or texts by name; each entry is checked."""
        found = {}
        for name, each in raw.items():
            here = f"{path}.{name}"
            try:
                known = meaning.choices or (name,)
                expect(name in known, f"{here}: unknown key; choose from {', '.join(known)}")
                expect(meaning.is_table or isinstance(each, str), f"{here}: expected text")
                value = self.table(meaning.item, each, here, name=name) if meaning.is_table else each
                found[name] = meaning.check(value, here) if meaning.check is not None else value
            except ConfigError as error:
                self._skip(meaning, error, ignored=True)
        return found

    def _skip(self, meaning: Key, error: ConfigError, *, ignored: bool = False) -> None:
        if not meaning.skips:
            raise error
        self.problems.append(f"{error}; this {meaning.skips} is ignored" if ignored else str(error))


def written(row: Any, table: Any = None) -> dict[str, Any]:
    """Return a table for the file: its keys whose values aren't the defaults.

    Args:
        table: the class that declares the keys, if it isn't the row's own.
    """
    content: dict[str, Any] = {}
    for name, meaning in declared(table or row.__class__).items():
        value = getattr(row, name)
        if meaning.is_inline:
            content |= written(value, meaning.item)
        elif value != getattr(row, meaning.without, meaning.default):
            content[name] = written_value(meaning, value)
    return content


def written_value(meaning: Key, value: Any) -> Any:
    """Return the value of a key for the file."""
    if meaning.rows is not None:
        value = [meaning.item(*pair) for pair in value.items()]
    if meaning.shape is list:
        return [written(each) if meaning.is_table else each for each in value]
    return written(value) if meaning.is_table else value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _plain(meaning: Key, raw: Any, path: str) -> Any:
    """Return a text, a flag, a number or a list of texts as it is used."""
    value, choices = raw, meaning.choices
    if meaning.shape is list:
        listed = [raw] if isinstance(raw, str) and choices else raw
        is_right = isinstance(listed, list) and all(
            isinstance(each, str) and (not choices or each in choices) for each in listed
        )
        value = tuple(dict.fromkeys(listed) if choices else listed) if is_right else ()
    elif meaning.item in (int, float):
        is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
        # Compare before the conversion: NaN, an infinity and 4,000 digits can't be converted.
        is_right = is_number and 0 < raw <= (meaning.maximum or 0) and meaning.item(raw) > 0
        value = meaning.item(raw) if is_right else 0
    else:
        is_right = isinstance(raw, meaning.item) and (not choices or raw in choices)
    if not is_right or (meaning.is_filled and not (value.strip() if isinstance(value, str) else value)):
        raise ConfigError(f"{path}: expected {meaning.wanted}")
    return value
