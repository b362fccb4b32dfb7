"""Reads lists of tables: an entry that can't be used is left out and named, and the others work."""

from collections.abc import Callable
from typing import Any, TypeVar

from frontdesk.config.alerts import expect
from frontdesk.config.hosts import ConfigError

Row = TypeVar("Row")


def read_usable(
    raw: Any, where: str, what: str, read: Callable[[dict[str, Any], str], Row], problems: list[str]
) -> list[Row | None]:
    """Read the tables of a list; this raises nothing.

    Args:
        where: the path of the list, such as `commands`; `what` is the word for one entry.
        read: makes an entry of a table and its path; raises ConfigError where it can't be used.
        problems: gets a sentence for each entry that is left out.

    Returns:
        The entries in their order, with None for one that is left out.
    """
    if not isinstance(raw, list):
        problems.append(f"{where}: expected a list of tables, [[{where}]]")
        return []
    found: list[Row | None] = []
    for at, row in enumerate(raw):
        try:
            expect(isinstance(row, dict), f"{where}[{at}]: expected a table")
            found.append(read(row, f"{where}[{at}]"))
        except ConfigError as error:
            problems.append(f"{error}; this {what} is ignored")
            found.append(None)
    return found
