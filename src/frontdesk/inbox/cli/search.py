"""`frontdesk search`: full-text search over everything that the profile's store knows."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, say
from frontdesk.cli.options import AsJson
from frontdesk.cli.output import print_json, print_line, print_table, when

SAID_FROM = 20_000
"""Indexing so much takes seconds, so it is told."""

HEADINGS = ("when", "what", "customer", "where", "says")


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="All of them have to be there.")],
    limit: Annotated[int, typer.Option(min=1, help="So many messages, tasks and customers at most.")] = 50,
    as_json: AsJson = False,
) -> int:
    """Messages, tasks and customers of the store with all of the words, the newest of each first."""
    from frontdesk.app.services import Services
    from frontdesk.app.store_session import with_services
    from frontdesk.inbox.view.search import excerpt
    from frontdesk.text.normalize import pieces

    wanted = " ".join(words)
    if not pieces(wanted):
        say("there is no word to search for in that; give letters or digits")
        return INPUT_WRONG

    def find(services: Services) -> None:
        services.index_all(_Progress())
        hits = services.queries.search(wanted, limit)
        if as_json:
            for hit in hits:
                print_json(asdict(hit))
        elif hits:
            rows = [
                (
                    when(hit.at),
                    hit.kind,
                    hit.name,
                    hit.task_id or hit.conversation_id or "",
                    excerpt(hit.text, wanted, 50),
                )
                for hit in hits
            ]
            print_table(HEADINGS, rows)
        else:
            print_line("Nothing in the store has these words; what was not loaded yet is not searched.")
        health = services.queries.health()
        if not as_json and health.fresh_at is None:
            say("this store was never filled; `frontdesk sync` or the inbox does it")
        elif not as_json:
            at = datetime.fromtimestamp(health.fresh_at or 0).astimezone()
            say(f"as the store stood at {at:%Y-%m-%d %H:%M}")

    return with_services(find)


class _Progress:
    """Says what takes its time, and how far it is, each time another half is done."""

    def __init__(self) -> None:
        self._said: int | None = None

    def __call__(self, left: int) -> None:
        if left >= SAID_FROM and (self._said is None or left <= self._said // 2):
            self._said = left
            say(f"indexing {left:,} messages and tasks first; this is done once")
