"""Parses TOML files, and edits them in place: comments, order and layout stay, and so do unchanged values.

The caller gives the wanted contents; this finds the smallest edit. tomlkit is loaded only here, when something
is written.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.paths import replace_file
from frontdesk_api.json_parser import is_deeper

if TYPE_CHECKING:
    from tomlkit.container import Container
    from tomlkit.items import AoT, Array, Item, Table


_PATH = r"(?P<table>[\w.-]+)(?:\[(?P<number>\d+)\](?: \([^)]*\))?| \((?P<name>[^)]*)\))(?:\.(?P<key>\w+))?"
"""Matches the beginning of a problem with a list's table, such as `sla[0].hours` or `commands (Call them).key`."""

_LINE = r"(?:\.toml, |\(at )line (\d+)"
"""Matches the place in a file as written here and by tomllib."""

_HEADER = r"\s*(\[\[?)\s*([^\]]*?)\s*\]"

MAX_PLACED = 20


class TablePlace(NamedTuple):
    """A table as it is written: its name, and its numbered lines, without any if its place is unknown."""

    file: str
    name: str = ""
    is_list: bool = False
    lines: Sequence[tuple[int, str]] = ()

    def of_key(self, key: str) -> str:
        """Return the place of a key, else of the table's first line: "config.toml, line 12"."""
        return self._place(self.line_of(key))

    def of_text(self, text: str) -> str:
        """Return the place of the first line with a text, else of the table's first line."""
        return self._place(self._first(lambda line: text in line))

    def line_of(self, key: str) -> int | None:
        return self._first(lambda line: _key(line) == key)

    def has_name(self, name: str) -> bool:
        """Return whether the table's `name` is this, written as a plain string."""
        return self._first(lambda line: _key(line) == "name" and f'"{name}"' in line) is not None

    def _first(self, fits: Callable[[str], bool]) -> int | None:
        return next((number for number, line in self.lines if fits(line)), None)

    def _place(self, number: int | None) -> str:
        return f"{self.file}, line {number or self.lines[0][0]}" if self.lines else self.file


def table_places(text: str, file: str) -> list[TablePlace]:
    """Return the place of each table that has a header of its own, after that of the keys above all.

    Args:
        file: the name of the file, for sentences.
    """
    lines: list[tuple[int, str]] = []
    found = [TablePlace(file, lines=lines)]
    for number, line in enumerate(text.splitlines(), start=1):
        if (header := re.match(_HEADER, line)) is not None:
            lines = []
            found.append(TablePlace(file, header[2], header[1] == "[[", lines))
        lines.append((number, line))
    return found


def unknown_key(key_path: str) -> str:
    """Return the problem of an unknown key."""
    return f"{key_path}: unknown key; check its spelling"


def with_line(problem: str, path: Path) -> str:
    """Return a problem after the file's name, and the line if its text begins with the path of a key."""
    return with_lines([problem], path)[0]


def with_lines(problems: Iterable[str], path: Path) -> list[str]:
    """Return the first problems as `with_line` does, and the number of the others."""
    listed = [each.removeprefix(f"{path}: ") for each in problems]  # of the whole file
    try:
        tables = table_places(read_own_file(path), path.name) if listed else []
    except (OSError, OpenToOthers, UnicodeDecodeError):
        tables = []
    placed = [f"{place_of(each, tables) or path.name}: {each}" for each in listed[:MAX_PLACED]]
    left = len(listed) - MAX_PLACED
    return [*placed, f"{path.name}: {left:,} more like these"] if left > 0 else placed


def place_of(problem: str, tables: Sequence[TablePlace]) -> str:
    """Return the place of the key whose path begins a problem; empty if it is unknown."""
    if (named := re.match(_PATH, problem)) is not None:
        listed = [each for each in tables if each.is_list and each.name == named["table"]]
        if named["number"] is None:
            listed = [each for each in listed if each.has_name(named["name"])]
        return next((each.of_key(named["key"] or "") for each in listed[int(named["number"] or 0) :]), "")
    # A key may have dots of its own: those of the keymap are the ids of actions.
    parts = problem.split(":")[0].split(".")
    for at in reversed(range(len(parts))):
        name, key = ".".join(parts[:at]), ".".join(parts[at:])
        for each in tables:
            if not each.is_list and each.name == name and each.line_of(key) is not None:
                return each.of_key(key)
    return ""


def line_of(words: str, path: Path) -> int | None:
    """Return the line of a file that an error names, or of the key that it names, or `None` if it names none."""
    found = re.search(_LINE, words) or re.search(_LINE, with_line(words, path))
    return int(found[1]) if found is not None else None


def _key(line: str) -> str:
    return line.split("=")[0].strip().strip("\"'")


_NAMES = ("id", "name")
"""The keys that tell the rows of a list apart."""


MAX_KEYS = 20_000
"""Maximum number of keys, tables and lists of a file: more take seconds to parse, each time."""
MAX_LEVELS = 20
_TOO_DEEP = f"a key or list is nested more than {MAX_LEVELS} levels deep"
_DOTTED = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*\.[ \t]*){{{MAX_LEVELS}}}")
_OPENED = re.compile(rf"(?:[\[{{][^\[\]{{}}]*+){{{MAX_LEVELS}}}")
_MAX_DIGITS = 4_300
"""Maximum number of digits of a number in Python."""
_DIGITS = re.compile(rf"(?<!\d)(?:\d_?){{{_MAX_DIGITS}}}")


class NoUsableToml(tomllib.TOMLDecodeError):
    """Raised when a file, perhaps valid TOML, is larger or deeper than frontdesk accepts."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a file's text.

    Raises:
        TOMLDecodeError: the text isn't TOML; `NoUsableToml` if it is more than a config may hold.
    """
    if (count := text.count("=") + text.count("[")) > MAX_KEYS:
        raise NoUsableToml(f"about {count:,} keys, tables and lists, but at most {MAX_KEYS:,} are read")
    if _DOTTED.search(text):
        raise _refusal(_TOO_DEEP, text, _DOTTED)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise _refusal(_TOO_DEEP, text, _OPENED) from None
    except ValueError:
        raise _refusal(f"a number has more than {_MAX_DIGITS:,} digits", text, _DIGITS) from None
    if is_deeper(content, MAX_LEVELS):
        raise _refusal(_TOO_DEEP, text, _OPENED)
    return content


def _refusal(words: str, text: str, place: re.Pattern[str]) -> NoUsableToml:
    found = place.search(text)
    return NoUsableToml(f"{words} (at line {text.count(chr(10), 0, found.start()) + 1})" if found else words)


def update_file(path: Path, change: Callable[[dict[str, Any]], None], *, is_secret: bool = False) -> None:
    """Change a file's content, and nothing else in it; a missing file starts empty.

    If an unusual layout can't be edited, the whole file is written again, and the old one stays as `….bak`,
    unless it is secret.

    Raises:
        OpenToOthers: another user could change the file.
        TOMLDecodeError, UnicodeDecodeError: the file isn't valid TOML; it stays as it is.
        OSError: the file can't be opened or written.
    """
    text = read_own_file(path, is_secret=is_secret) if path.exists() else ""
    wanted = parse_toml(text)
    change(wanted)
    edited = edit_toml(text, wanted)
    if edited is None:
        import tomlkit

        if not is_secret:
            replace_file(path.with_name(f"{path.name}.bak"), text)
        edited = tomlkit.dumps(wanted)
    if edited != text:
        replace_file(path, edited)


def edit_toml(text: str, wanted: Mapping[str, Any]) -> str | None:
    """Return the text with this content, or `None` if its layout can't be edited."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if tomllib.loads(text) == wanted:
        return text
    try:
        document = tomlkit.parse(text)
        headers = _Headers(document)
        _merge(document, wanted)
        headers.restore()
        edited = document.as_string()
        is_right = tomllib.loads(edited) == wanted
    except (TOMLKitError, tomllib.TOMLDecodeError, ValueError, TypeError, LookupError, AttributeError):
        return None  # tomlkit can't edit this layout; its message may quote secrets
    return edited if is_right else None


class _Headers:
    """The tables with a header of their own, each with the comments and blank lines above it.

    tomlkit counts these to the table before, and would lose or misplace them when one of the two moves or goes.
    """

    def __init__(self, document: "Container") -> None:
        self._document = document
        self._before = _headed_tables(document, takes_above=True)

    def restore(self) -> None:
        """Give comments above deleted tables to the next one, and separate new tables by a blank line."""
        now = _headed_tables(self._document)
        known, present = ({id(each) for each in tables} for tables in (self._before, now))
        left_over = ""
        for table in self._before:
            if id(table) in present:
                table.trivia.indent = left_over + table.trivia.indent
                left_over = ""
            elif "#" in table.trivia.indent:
                left_over += table.trivia.indent
        if left_over:
            self._document.body.append((None, _raw(left_over)))
        for table in now:
            if id(table) not in known:
                table.trivia.indent = f"\n{table.trivia.indent.lstrip()}"


def _headed_tables(document: "Container", *, takes_above: bool = False) -> "list[Table]":
    """List the tables with a header of their own, in the order of the file.

    Args:
        takes_above: moves the lines above each into its indent, except for the beginning of the file.
    """
    from tomlkit.items import AoT, Null, Table

    found: list[Table] = []
    above: list[tuple[Container, int]] = []
    is_top = True

    def enter(table: "Table", has_header: bool) -> None:
        nonlocal is_top
        if has_header:
            found.append(table)
        if has_header and takes_above and not is_top:
            texts = [container.body[at][1].as_string() for container, at in above]
            table.trivia.indent = "".join(texts) + table.trivia.indent
            for container, at in above:
                container.body[at] = (None, Null())
        if has_header:
            is_top = False
            above.clear()
        walk(table.value)

    def walk(container: "Container") -> None:
        nonlocal is_top
        for at, (key, item) in enumerate(container.body):
            if isinstance(item, AoT):
                for row in item.body:
                    enter(row, True)
            elif isinstance(item, Table):
                enter(item, not item.is_super_table())
            elif key is not None:
                is_top = False
                above.clear()
            elif not isinstance(item, Null):
                above.append((container, at))

    walk(document)
    return found


def _merge(table: MutableMapping[str, Any], wanted: Mapping[str, Any]) -> None:
    from tomlkit.items import AoT, Array

    for key in [each for each in table if each not in wanted]:
        del table[key]
    for key, value in wanted.items():
        found = table.get(key)
        if key not in table:
            table[key] = deepcopy(value)
        elif _plain(found) == value:
            continue
        elif isinstance(found, MutableMapping) and isinstance(value, dict):
            _merge(found, value)
        elif isinstance(found, AoT) and _is_rows(value) and value:
            _merge_tables(found, value)
        elif isinstance(found, Array) and isinstance(value, list):
            _merge_array(found, value)
        else:
            table[key] = deepcopy(value)


def _merge_tables(rows: "AoT", wanted: Sequence[dict[str, Any]]) -> None:
    """Edit `[[rows]]`, in the wanted order."""
    import tomlkit

    by_name = {_name_of(each): each for each in reversed(rows)}
    kept = []
    for each in wanted:
        row = by_name.pop(_name_of(each), None)
        if row is None:
            row = tomlkit.item(deepcopy(each))
        else:
            _merge(row, each)
        kept.append(row)
    del rows[:]
    for row in kept:
        rows.append(row)


def _merge_array(rows: "Array", wanted: Sequence[Any]) -> None:
    """Edit `[…]`, keeping the comments on the lines of unchanged values."""
    names = {_name_of(each) for each in wanted}
    for at in reversed(range(len(rows))):
        if _name_of(rows[at]) not in names:
            del rows[at]
    for at, value in enumerate(wanted):
        if at == len(rows):
            rows.append(deepcopy(value))
        elif _plain(rows[at]) != value:
            rows[at] = deepcopy(value)
    del rows[len(wanted) :]


def _name_of(row: object) -> str:
    """Return the value that tells a row of a list apart from the others."""
    plain = _plain(row)
    if isinstance(plain, dict):
        return next((f"{key} {plain[key]}" for key in _NAMES if key in plain), repr(plain))
    return repr(plain)


def _raw(text: str) -> "Item":
    from tomlkit.items import Whitespace

    return Whitespace(text)


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value
