"""Walking a listing to its end, page by page, the cursor sent back as it came.

`PlatformClient.iter_*_pages` call it; who walks removes repeated items by id, since lists shift.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from pydantic import BaseModel

from frontdesk.api.client.errors import InvalidPaging
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.decode import Page

ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_PAGES = 100_000


async def walk(
    fetch: Callable[[JsonObject | None], Awaitable[Page[ModelT]]], cursor: JsonObject | None
) -> AsyncIterator[Page[ModelT]]:
    """Every page from the cursor on.

    Raises:
        BrokenPaging: after the last page that could be had, when more exist and can't be.
    """
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        page = await fetch(cursor)
        yield page
        if not page.has_more:
            return
        if page.cursor is None:
            raise InvalidPaging("the platform says that more exists but not where to go on; this isn't all")
        mark = json.dumps(page.cursor, sort_keys=True)
        if mark in seen:
            raise InvalidPaging("the platform sends the same place again; this may not be all")
        seen.add(mark)
        cursor = page.cursor
    raise InvalidPaging(f"the list didn't end after {MAX_PAGES} pages; this may not be all")
