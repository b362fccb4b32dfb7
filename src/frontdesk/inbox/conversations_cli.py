"""`frontdesk conversations list` and `export`: stored conversations, by a saved view or filter words."""

import csv
import html
import io
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsJson, Limit, group
from frontdesk.cli.output import print_json, print_table, when
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.records import ConversationOrder, ConversationRecord
from frontdesk.text.export_escapes import escape_formula, escape_markdown

if TYPE_CHECKING:
    from frontdesk.storage.database import ProfileStore

app = group("List and export the conversations that are stored on this machine.")

ViewOption = Annotated[
    str, typer.Option("--view", metavar="NAME", help="A saved view, as the inbox names it. Default: all.")
]
MatchOption = Annotated[
    str, typer.Option("--match", metavar="WORDS", help="Filter words, as after / in the inbox.")
]

COLUMNS = (
    "conversation",
    "customer",
    "number",
    "line",
    "unread",
    "waiting since",
    "open tasks",
    "due",
    "assigned",
)
UNKNOWN = "?"
"""Who waits isn't known before a thread was read."""


class _Listed(NamedTuple):
    records: Sequence[ConversationRecord]
    matching: int
    of_threads: bool


@app.command("list")
def list_conversations(
    view: ViewOption = "all", match: MatchOption = "", limit: Limit = None, as_json: AsJson = False
) -> int:
    """List conversations, the longest waiting first. Reads the store; nothing is sent."""
    from frontdesk.cli.store_session import with_store

    def work(store: "ProfileStore") -> None:
        found = _find(store, view, match, limit)
        if as_json:
            for each in found.records:
                print_json(_json(each))
        elif found.records:
            rows = [_cells(store, each) for each in found.records]
            print_table(tuple(each.upper() for each in COLUMNS), rows)
        _print_coverage(store, found)

    return with_store(work)


@app.command("export")
def export_conversations(
    view: ViewOption = "all",
    match: MatchOption = "",
    limit: Limit = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV for a spreadsheet; formulas are escaped.")
    ] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Print a page of HTML.")] = False,
) -> int:
    """Export conversations as a table, the longest waiting first. Reads the store; nothing is sent."""
    from frontdesk.cli.store_session import with_store
    from frontdesk.text.redaction import redact

    if as_csv + as_markdown + as_html != 1:
        raise CommandFailed(INPUT_WRONG, "choose one of --csv, --markdown and --html")
    write = _csv if as_csv else _markdown if as_markdown else _html

    def work(store: "ProfileStore") -> None:
        found = _find(store, view, match, limit)
        sys.stdout.write(redact(write([_cells(store, each) for each in found.records])))
        _print_coverage(store, found)

    return with_store(work)


def _find(store: "ProfileStore", view: str, match: str, limit: int | None) -> _Listed:
    """Find the conversations; raise CommandFailed for a view or words that can't be used."""
    from frontdesk.inbox import saved_views
    from frontdesk.inbox.search import index_all
    from frontdesk.inbox.store import conversations
    from frontdesk.inbox.team_views import all_views

    views = {each.name.casefold(): each for each in all_views(store)}
    chosen = views.get(view.casefold())
    if chosen is None:
        names = ", ".join(each.name for each in views.values())
        raise CommandFailed(INPUT_WRONG, f"no view named {view[:60]!r}; there are: {names}")
    query = saved_views.parse(match)
    faults = [chosen.off, *query.faults]
    faults += saved_views.unknown_names(query, store.profile, record_lookup.lines_seen(store.reading))
    if problem := next(filter(None, faults), ""):
        raise CommandFailed(INPUT_WRONG, problem)
    if chosen.query.is_about_words or query.is_about_words:
        index_all(store)
    now = store.clock()
    terms = [term for each in (chosen.query, query) for term in saved_views.wanted(each, store.profile, now)]
    ids, matching = conversations.window(
        store.reading,
        ConversationOrder.WAITING,
        -1 if limit is None else limit,
        conversations.awake(store.reading, terms, now),
    )
    records = [record for each in ids if (record := record_lookup.conversation(store.reading, each)) is not None]
    return _Listed(records, matching, saved_views.is_of_threads(chosen.query, query))


def _cells(store: "ProfileStore", each: ConversationRecord) -> tuple[str, ...]:
    catalogue = store.catalogue
    waits = when(each.waiting_since) if each.waiting_since is not None else ""
    return (
        each.conversation_id,
        each.name,
        each.number,
        catalogue.line(each.line_id),
        str(each.unread) if each.thread_known else UNKNOWN,
        waits if each.waiting_known else f"{waits} {UNKNOWN}".strip(),
        str(each.open_tasks),
        "" if each.due_at is None else when(each.due_at),
        ", ".join(map(catalogue.person, each.assigned)),
    )


def _json(each: ConversationRecord) -> dict[str, object]:
    return {
        "conversation": each.conversation_id,
        "line": each.line_id,
        "customer": each.customer_id,
        "name": each.name,
        "number": each.number,
        "platform": each.platform,
        "unread": each.unread if each.thread_known else None,
        "waitingSince": each.waiting_since,
        "waitingKnown": each.waiting_known,
        "lastActive": each.active_at,
        "openTasks": each.open_tasks,
        "due": each.due_at,
        "assigned": list(each.assigned),
    }


def _csv(rows: Iterable[Sequence[str]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([escape_formula(cell) for cell in row] for row in rows)
    return written.getvalue()


def _markdown(rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(map(escape_markdown, row))} |" for row in (COLUMNS, *rows))
    heading, *rest = lines
    return "\n".join([heading, "|" + "---|" * len(COLUMNS), *rest]) + "\n"


def _html(rows: Iterable[Sequence[str]]) -> str:
    def line(tag: str, cells: Iterable[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{html.escape(_shown(cell))}</{tag}>' for cell in cells)}</tr>"

    body = "\n".join([line("th", COLUMNS), *(line("td", row) for row in rows)])
    head = '<!doctype html>\n<meta charset="utf-8">\n<title>Conversations</title>\n'
    return f"{head}<table>\n{body}\n</table>\n"


def _shown(cell: str) -> str:
    from frontdesk.text.display_text import show_label

    return show_label(cell, 200).text


def _print_coverage(store: "ProfileStore", found: _Listed) -> None:
    """Say how many there are and how much was read, beside the output."""
    shown = len(found.records)
    count = f"{shown:,}" if shown == found.matching else f"{shown:,} of {found.matching:,}"
    share = read_coverage(store.reading).words(of_threads=found.of_threads)
    fresh_at = clients.health(store.reading).fresh_at
    as_of = "never fully loaded" if fresh_at is None else f"data as of {when(fresh_at)}"
    more = f"; {share} conversations, so there may be more" if share else ""
    print_error(f"{count} conversations; {as_of}{more}")
