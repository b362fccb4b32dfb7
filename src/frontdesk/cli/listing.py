"""How a list is printed: JSON Lines as the pages come, or one table when all are there.

The groups with a `list` command call it. What had come before a failure is printed all the same.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.contract.decode import Item, Page
from frontdesk.cli.errors import say
from frontdesk.cli.output import print_json, print_table
from frontdesk.cli.session import first_items, talk

ModelT = TypeVar("ModelT", bound=BaseModel)


def print_pages(
    pages: Callable[[PlatformClient], AsyncIterator[Page[ModelT]]],
    *,
    limit: int | None,
    as_json: bool,
    identity: Callable[[ModelT], str],
    headings: Sequence[str],
    row: Callable[[Item[ModelT]], Sequence[object]],
    nothing: str,
) -> None:
    """Prints a listing; items that can't be read are passed on in JSON and counted for people."""
    rows: list[Sequence[object]] = []
    broken: list[Any] = []

    def put(items: list[Item[ModelT]], unreadable: list[Any]) -> None:
        broken.extend(unreadable)
        if as_json:
            for raw in (*(item.raw for item in items), *unreadable):
                print_json(raw)
        else:
            rows.extend(row(item) for item in items)

    ended = False
    try:
        talk(lambda client: first_items(pages(client), limit, identity, put))
        ended = True
    finally:
        if rows:
            print_table(headings, rows)
        elif ended and not as_json and not broken:
            print(nothing)
    if broken and not as_json:
        say(f"{len(broken)} more came in a shape that can't be read; --json shows them")
