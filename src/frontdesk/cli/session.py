"""Data commands on the platform: profile, credentials, client, one event loop."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.config.time_zone import local_zone
from frontdesk.library import open_client
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import UnsentWrite
from frontdesk_api.client.transport import MaySend, always
from frontdesk_api.contract.decode import Item, Page
from frontdesk_lines.display_text import clean_stray_logs, counted

ResultT = TypeVar("ResultT")
ModelT = TypeVar("ModelT", bound=BaseModel)


def run_with_client(
    work: Callable[[PlatformClient], Awaitable[ResultT]],
    *,
    dry_run: bool = False,
    as_json: bool = False,
    may_send: MaySend = always,
) -> ResultT:
    """Run the work with the client of the chosen profile.

    Args:
        dry_run: print the first write in place of sending it, and end the command.
        as_json: how it is printed.
    """
    clean_stray_logs()
    local_zone()  # nothing is sent where times would be shown or read in a wrong zone
    client = open_client(dry_run=dry_run, may_send=may_send)
    results: list[ResultT] = []

    async def session() -> None:
        async with client:
            # A returned result would be formatted by `asyncio.run`, which takes long for many models.
            results.append(await work(client))

    try:
        asyncio.run(session())
    except UnsentWrite as request:
        print_request(request, as_json=as_json)
        raise typer.Exit(0) from None
    return results[0]


def print_request(request: UnsentWrite, *, as_json: bool) -> None:
    """Print a request that a dry run didn't send."""
    body = None if request.body is None else json.loads(request.body)
    if as_json:
        print_json({"dryRun": True, "method": request.method, "url": request.url, "body": body})
        return
    print_line(f"Would send {request.method} {request.url}")
    if body is not None:
        print_json(body)


async def _first_items(
    pages: AsyncIterator[Page[ModelT]],
    limit: int | None,
    identity: Callable[[ModelT], str],
    put: Callable[[list[Item[ModelT]], list[Any]], None],
) -> None:
    """Pass on each item once, until the limit, and unreadable ones."""
    seen: set[str] = set()
    async for page in pages:
        fresh: list[Item[ModelT]] = []
        for item in page.items:
            if identity(item.value) not in seen and (limit is None or len(seen) < limit):
                seen.add(identity(item.value))
                fresh.append(item)
        put(fresh, [broken.raw for broken in page.broken])
        if limit is not None and len(seen) >= limit:
            return


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
    """Print a listing; unreadable items are printed in JSON and counted for people."""
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
        run_with_client(lambda client: _first_items(pages(client), limit, identity, put))
        ended = True
    finally:
        if rows:
            print_table(headings, rows)
        elif ended and not as_json and not broken:
            print(nothing)
    if broken and not as_json:
        print_error(f"{counted(len(broken), 'more item')} couldn't be parsed; to see them, add --json")


def check_input(model: type[ModelT], value: object) -> ModelT:
    """Validate the value as a model.

    Raises:
        CommandFailed: with the JSON path of each problem.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = "; ".join(_problems(error))
        raise CommandFailed(INPUT_WRONG, f"{problems}; nothing was sent") from None


def _problems(error: ValidationError) -> Iterable[str]:
    for problem in error.errors():
        # A discriminated union puts the chosen variant's name first; the file has no such step.
        steps = [step for at, step in enumerate(problem["loc"]) if not (at == 0 and step in ("tags", "excel"))]
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        if problem["type"] == "union_tag_not_found":
            yield "$.source: required; tags or excel"
        else:
            yield f"${path}: {problem['msg'].removeprefix('Value error, ')}"
