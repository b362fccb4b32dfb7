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


MAX_PLACED = 20


class TablePlace(NamedTuple):
    """The numbered lines of one table of a list; none if unknown."""

    file: str
    lines: Sequence[tuple[int, str]] = ()

    def of_key(self, key: str) -> str:
        """Return the place of a key, else of the table's first line: "config.toml, line 12"."""
        return self._first(lambda line: line.split("=")[0].strip().strip("\"'") == key)

    def of_text(self, text: str) -> str:
        """Return the place of the first line with a text, else of the table's first line."""
        return self._first(lambda line: text in line)

    def has_name(self, name: str) -> bool:
        """Return whether the table's `name` is this, written as a plain string."""
        return any(line.split("=")[0].strip() == "name" and f'"{name}"' in line for _, line in self.lines)

    def _first(self, fits: Callable[[str], bool]) -> str:
        if not self.lines:
            return self.file
        found = next((number for number, line in self.lines if fits(line)), self.lines[0][0])
        return f"{self.file}, line {found}"


def table_places(text: str, name: str, file: str) -> list[TablePlace]:
    """Return the place of each table that is written as `[[name]]`, from its header on.

    Args:
        text: the file; `file` is its name for sentences.
    """
    header = re.compile(rf"\s*\[\[\s*{re.escape(name)}\s*\]\]")
    blocks: list[list[tuple[int, str]]] = []
    is_inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("["):
            is_inside = header.match(line) is not None
            if is_inside:
                blocks.append([])
        if is_inside:
            blocks[-1].append((number, line))
    return [TablePlace(file, each) for each in blocks]


def unknown_key(key_path: str) -> str:
    """Return the problem of an unknown key."""
    return f"{key_path}: unknown key; check its spelling"


def with_line(problem: str, path: Path) -> str:
    """Return a problem after the file, and the line if its text begins with the path of a key."""
    named = _PATH.match(problem)
    try:
        text = read_own_file(path)
    except (OSError, OpenToOthers, UnicodeDecodeError):
        return f"{path.name}: {problem}"
    if named is None:
        return f"{_key_place(text, problem.split(':')[0], path.name)}: {problem}"
    places = table_places(text, named["table"], path.name)
    if named["number"] is None:
        place = next((each for each in places if each.has_name(named["name"])), TablePlace(path.name))
    else:
        place = next(iter(places[int(named["number"]) :]), TablePlace(path.name))
    return f"{place.of_key(named['key'] or '')}: {problem}"


def problem_at_line(problem: str, path: Path) -> str:
    """Return a problem of the config with its file and line; a problem of the whole file already has them."""
    whole = f"{path}: "
    return f"{path.name}: {problem.removeprefix(whole)}" if problem.startswith(whole) else with_line(problem, path)


def with_lines(problems: Iterable[str], path: Path) -> list[str]:
    """Return the first problems as `with_line` does, and the number of the others."""
    listed = list(problems)
    placed = [with_line(each, path) for each in listed[:MAX_PLACED]]
    left = len(listed) - MAX_PLACED
    return [*placed, f"{path.name}: {left:,} more like these"] if left > 0 else placed


def _key_place(text: str, key_path: str, file: str) -> str:
    """Return the place of a key in a table that is written as `[table]`, or above all tables.

    A key may have dots of its own: those of the keymap are the ids of actions.
    """
    parts = key_path.split(".")
    splits = ((".".join(parts[:at]), ".".join(parts[at:])) for at in reversed(range(len(parts))))
    lines = (_line_in_table(text, table, key) for table, key in splits)
    number = next((each for each in lines if each is not None), None)
    return file if number is None else f"{file}, line {number}"


def _line_in_table(text: str, table: str, key: str) -> int | None:
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]")
    is_inside = not table
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("["):
            is_inside = bool(table) and header.match(line) is not None
        elif is_inside and line.split("=")[0].strip().strip("\"'") == key:
            return number
    return None


def line_of(words: str, path: Path) -> int | None:
    """Return the line of a file that an error names, or of the key that it names, or `None` if it names none."""
    found = _LINE.search(words) or _LINE.search(with_line(words, path))
    return int(found[1]) if found is not None else None
