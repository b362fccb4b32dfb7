"""`frontdesk search`: stored messages, tasks and customers."""

from typing import Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, print_error
from frontdesk.cli.options import AsJson
from frontdesk.cli.output import print_json, print_line, print_table, when
from frontdesk.inbox.search import index_all
from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import SearchHit
from frontdesk_lines.display_text import show_line

MIN_REPORTED = 20_000
"""Rows to index from which that is said: so many take seconds."""

MAX_NAME = 24
"""Letters of a name beside an id: a table's cell has room for both."""

SEARCH_HEADINGS = ("when", "what", "customer", "where", "says")


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="All words must match.")],
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="At most this many messages, tasks and customers each.")
    ] = 50,
    as_json: AsJson = False,
) -> int:
    """Search stored messages, tasks and customers, newest first."""
    from frontdesk.cli.store_session import with_store
    from frontdesk.inbox.view.highlights import excerpt
    from frontdesk.text.normalize import split_words

    query = " ".join(words)
    if not split_words(query):
        print_error("nothing to search for; use letters or digits")
        return INPUT_WRONG

    def find(store: ProfileStore) -> None:
        if (left := full_text.unindexed(store.reading)) >= MIN_REPORTED:
            print_error(f"indexing {left:,} messages and tasks first; this happens only once")
        index_all(store)
        hits = full_text.find(store.reading, query, limit)
        if as_json:
            for hit in hits:
                print_json(hit._asdict())
        elif hits:
            rows = [
                (
                    when(hit.at),
                    hit.kind,
                    hit.name,
                    _name_hit(store, hit),
                    excerpt(hit.text, query, 50),
                )
                for hit in hits
            ]
            print_table(SEARCH_HEADINGS, rows)
        else:
            print_line("No match. Only what has been loaded is searched.")
        health = clients.health(store.reading)
        if not as_json and health.fresh_at is None:
            print_error("this profile's data has never been fully loaded; run `frontdesk sync` or open the inbox")
        elif not as_json:
            share = read_coverage(store.reading).words(of_threads=True)
            print_error(f"data as of {when(health.fresh_at)}{share and f'; {share} conversations'}")

    return with_store(find)


def _name_hit(store: ProfileStore, hit: SearchHit) -> str:
    """Return a task by its title, or a conversation by its line, with its id."""
    from frontdesk.cli.record_names import with_id

    if hit.task_id is not None:
        task = record_lookup.task(store.reading, hit.task_id)
        return with_id(show_line(task.title, MAX_NAME).text if task else "", hit.task_id)
    found = hit.conversation_id and record_lookup.conversation(store.reading, hit.conversation_id)
    label = store.profile.lines.get(found.line_id, "") if found and found.line_id else ""
    return with_id(show_line(label, MAX_NAME).text, hit.conversation_id or "")
