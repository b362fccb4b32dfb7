"""`frontdesk conversations list` and `export`: stored conversations, by a saved view or filter words."""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import Limit, group
from frontdesk.cli.output import print_json, print_table, when
from frontdesk.inbox.store.customer_history import other_lines
from frontdesk.outbox.changes import COMPLETED
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks import view as clock_view
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.coverage import Precision, count_sentence, read_coverage
from frontdesk.storage.records import ConversationOrder, ConversationRecord, TaskRecord
from frontdesk.text.export_escapes import csv_table, escape_formula, escape_markdown
from frontdesk.text.html_pages import escape_html, html_page
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    import apsw

    from frontdesk.inbox.store.conversation_query import QueryTerm
    from frontdesk.storage.database import ProfileStore
    from frontdesk_api.contract.ids import ConversationId

app = group("List, export, snooze, mark and hand over conversations.")

ViewOption = Annotated[str, typer.Option("--view", metavar="NAME", help="A saved view, by its name in the inbox.")]
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
    "task",
)
UNKNOWN = "?"
"""Who waits isn't known before a thread was read."""


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per line; null means unknown.")]

_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 1rem; font: 1rem/1.4 system-ui, sans-serif; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.5rem; border: 1px solid; text-align: start; vertical-align: top; }
tr { break-inside: avoid; }
@media print { body { margin: 0; font-size: 9pt; } }
"""


class _Row(NamedTuple):
    """A conversation and the task that its row is about; None without a task."""

    record: ConversationRecord
    task: TaskRecord | None


class _Listed(NamedTuple):
    """What was found.

    Attributes:
        snoozed: how many match besides, and are left out.
    """

    rows: Sequence[_Row]
    matching: int
    precision: Precision
    of_threads: bool
    snoozed: int


@app.command("list")
def list_conversations(
    view: ViewOption = "all", match: MatchOption = "", limit: Limit = None, as_json: AsJson = False
) -> int:
    """List conversations, longest waiting first. Reads the store; nothing is sent."""
    from frontdesk.cli.store_session import with_store

    def work(store: "ProfileStore") -> None:
        found = _find(store, view, match, limit)
        if as_json:
            for each in found.rows:
                print_json(_json(store, each))
        elif found.rows:
            rows = [_cells(store, each) for each in found.rows]
            print_table(tuple(each.upper() for each in COLUMNS), rows)
        print_error(_coverage_words(store, found))

    return with_store(work)


@app.command("export")
def export_conversations(
    view: ViewOption = "all",
    match: MatchOption = "",
    limit: Limit = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV for a spreadsheet; formulas are escaped.")
    ] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Print an HTML page.")] = False,
) -> int:
    """Export conversations as a table, longest waiting first. Reads the store; nothing is sent.

    Standard error says how much was loaded; Markdown and HTML also say it below the table.
    """
    from frontdesk.cli.store_session import with_store
    from frontdesk_api.redaction import redact

    if as_csv + as_markdown + as_html != 1:
        raise CommandFailed(INPUT_WRONG, "choose one of --csv, --markdown and --html")

    def work(store: "ProfileStore") -> None:
        found = _find(store, view, match, limit)
        # A page's table is pasted into a spreadsheet, too.
        rows = [[escape_formula(cell) for cell in _cells(store, each)] for each in found.rows]
        coverage = _coverage_words(store, found)
        written = (
            csv_table((COLUMNS, *rows))
            if as_csv
            else _markdown(rows, coverage)
            if as_markdown
            else _html(rows, coverage)
        )
        sys.stdout.write(redact(written))
        print_error(coverage)

    return with_store(work)


def _find(store: "ProfileStore", view: str, match: str, limit: int | None) -> _Listed:
    """Find the conversations; raise CommandFailed for a view or words that can't be used."""
    from frontdesk.inbox import filter_words
    from frontdesk.inbox.saved_views import all_views
    from frontdesk.inbox.search import index_all
    from frontdesk.inbox.store import conversations

    views = {each.name.casefold(): each for each in all_views(store)}
    chosen = views.get(view.casefold())
    if chosen is None:
        names = ", ".join(each.name for each in views.values())
        raise CommandFailed(INPUT_WRONG, f"no view named {view[:60]!r}; choose one of: {names}")
    query = filter_words.parse(match)
    faults = [chosen.off, *query.faults]
    faults += filter_words.unknown_names(query, store.profile, record_lookup.line_channels(store.reading))
    if problem := next(filter(None, faults), ""):
        raise CommandFailed(INPUT_WRONG, problem)
    if chosen.query.is_about_words or query.is_about_words:
        index_all(store)
    now = store.clock()
    terms = [term for each in (chosen.query, query) for term in filter_words.wanted(each, store.profile, now)]
    db, order, awake = store.reading, ConversationOrder.WAITING, conversations.awake(store.reading, terms, now)
    ids, matching = conversations.window(db, order, -1 if limit is None else limit, awake)
    return _Listed(
        _rows(db, ids, terms),
        matching,
        filter_words.precision(read_coverage(db), chosen.query, query),
        filter_words.is_of_threads(chosen.query, query),
        0 if len(awake) == len(terms) else conversations.window(db, order, 0, terms)[1] - matching,
    )


def _rows(db: "apsw.Connection", ids: "Sequence[ConversationId]", terms: "Sequence[QueryTerm]") -> list[_Row]:
    """Read rows; where words about tasks chose its task, a row has that task's due date and assignees."""
    from frontdesk.inbox.store import conversations
    from frontdesk.inbox.store.conversation_query import row_terms

    first, found = conversations.row_tasks(db, ids, terms), list[_Row]()
    for each in ids:
        if (record := record_lookup.conversation(db, each)) is not None:
            task = record_lookup.task(db, first[each][0]) if each in first else None
            found.append(_Row(record.about(task) if task is not None and row_terms(terms) else record, task))
    return found


def _cells(store: "ProfileStore", row: _Row) -> tuple[str, ...]:
    catalogue, each = store.catalogue, row.record
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
        "" if row.task is None else row.task.title,
    )


def _json(store: "ProfileStore", row: _Row) -> dict[str, object]:
    each = row.record
    tasks = record_lookup.tasks_of_conversation(store.reading, each.conversation_id)
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
        "lastIncoming": each.last_incoming_at,
        "lastActive": each.active_at,
        "openTasks": each.open_tasks,
        "tasks": [task.task_id for task in tasks if task.status != COMPLETED],
        "task": row.task and row.task.task_id,
        "due": each.due_at,
        "assigned": list(each.assigned),
        "serviceClock": clock_view.as_json(clock_store.of_conversation(store.reading, each.conversation_id)),
        "otherLines": list(other_lines(store.reading, each.conversation_id)),
    }


def _markdown(rows: Iterable[Sequence[str]], coverage: str) -> str:
    lines = (f"| {' | '.join(map(escape_markdown, row))} |" for row in (COLUMNS, *rows))
    heading, *rest = lines
    table = "\n".join([heading, "|" + "---|" * len(COLUMNS), *rest])
    return f"{table}\n\n{escape_markdown(coverage, len(coverage))}\n"


def _html(rows: Iterable[Sequence[str]], coverage: str) -> str:
    def line(tag: str, cells: Iterable[str]) -> str:
        return f"<tr>{''.join(f'<{tag}><bdi>{escape_html(cell)}</bdi></{tag}>' for cell in cells)}</tr>"

    body = "\n".join([line("th", COLUMNS), *(line("td", row) for row in rows)])
    return html_page("Conversations", _STYLE, f"<table>\n{body}\n</table>\n<p>{escape_html(coverage)}</p>\n")


def _coverage_words(store: "ProfileStore", found: _Listed) -> str:
    """Return how many there are, how much was read, and what isn't among them."""
    shown = len(found.rows)
    count = count_sentence(found.matching, "conversation", found.precision)
    parts = [count if shown == found.matching else f"{shown:,} of {count}"]
    fresh_at = clients.health(store.reading).fresh_at
    if fresh_at is None:
        parts.append("never fully loaded: run `frontdesk sync` or open the inbox")
    else:
        parts.append(f"data as of {when(fresh_at)}, times in UTC{_offset(fresh_at)}")
    if share := read_coverage(store.reading).words(of_threads=found.of_threads):
        parts.append(f"{share} conversations, so {_DOUBTS[found.precision]}")
    if found.snoozed:
        parts.append(f"{counted(found.snoozed, 'snoozed conversation')} left out")
    if any(not (each.thread_known and each.waiting_known) for each, _ in found.rows):
        parts.append(f"{UNKNOWN} means unknown so far")
    return "; ".join(parts)


_DOUBTS = {
    Precision.EXACT: "that may change",
    Precision.AT_LEAST: "there may be more",
    Precision.ABOUT: "there may be more, or some may not belong here",
}


def _offset(at: float) -> str:
    from frontdesk.config.time_zone import local_zone
    from frontdesk.text.relative_time import local

    moment = local(at, local_zone())
    return "" if moment is None else moment.isoformat()[-6:]
