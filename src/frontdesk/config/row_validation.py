"""Parses lists of tables: an unusable entry is skipped and reported, and the others work."""

from collections.abc import Callable
from typing import Any, TypeVar

from frontdesk.config.alerts import expect
from frontdesk.config.hosts import ConfigError

Row = TypeVar("Row")


def read_usable(
    raw: Any, where: str, what: str, read: Callable[[dict[str, Any], str], Row], problems: list[str]
) -> list[Row | None]:
    """Parse the tables of a list; this raises nothing.

    Args:
        where: the path of the list, such as `commands`; `what` is the word for one entry.
        read: makes an entry of a table and its path; raises ConfigError if the table can't be used.
        problems: gets a sentence for each skipped entry.

    Returns:
        The entries in their order, with None for a skipped one.
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
