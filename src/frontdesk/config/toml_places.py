"""Lines of tables and keys in config.toml, for sentences about them."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from frontdesk.config.file_access import OpenToOthers, read_own_file

_PATH = re.compile(
    r"(?P<table>[\w.-]+)(?:\[(?P<number>\d+)\](?: \([^)]*\))?| \((?P<name>[^)]*)\))(?:\.(?P<key>\w+))?"
)
"""Matches the beginning of a problem with a list's table, such as `sla[0].hours` or `commands (Call them).key`."""

_LINE = re.compile(r"(?:\.toml, |\(at )line (\d+)")
"""Matches the place in a file as written here and by tomllib."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]*?)\s*\]")

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
        if (header := _HEADER.match(line)) is not None:
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
    if (named := _PATH.match(problem)) is not None:
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
    found = _LINE.search(words) or _LINE.search(with_line(words, path))
    return int(found[1]) if found is not None else None


def _key(line: str) -> str:
    return line.split("=")[0].strip().strip("\"'")
