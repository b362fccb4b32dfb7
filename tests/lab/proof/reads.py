"""Steps of SQLite for each read that a screen waits for: the twins of `tests/lab/benchmarks/store_reads.py`."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from functools import partial
from pathlib import Path

import apsw

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations, thread_pages
from frontdesk.metrics import store as metrics
from frontdesk.metrics.models import Dimension
from frontdesk.metrics.periods import parse_period
from frontdesk.metrics.report import MetricsReader
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import STATUS
from frontdesk.outbox.verbs import VerbContext
from frontdesk.storage import full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, Made
from frontdesk.storage.sql import rows
from frontdesk.tasks import store as task_store
from frontdesk.tasks.changes import change_tasks
from frontdesk.tasks.commands import status_change
from frontdesk.tasks.tui.change_plan import ChangePlan
from frontdesk.tasks.tui.selection import Selection
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.glyphs import UNICODE
from lab.benchmarks.metrics_reads import PROMISES
from lab.proof.sql_steps import SqlSteps, count_steps
from snapshots.desk import NOW, URL

PROFILE = demo_profile(URL)
VIEWS = ("is:mine", "is:unassigned", "is:overdue", "waiting>1h", "is:unread")
WORDS = ("order", "refund", "שלום")


def measure(folder: Path) -> dict[str, int]:
    """Return steps by name, on this store."""
    found = {}
    with Store(folder) as store:
        for name, job in _reads(store):
            found[f"{name}: SQLite steps"] = count_steps(store.reading, job).steps
        while store.write(lambda db: metrics.count_batch(db, 50)).result():
            pass
        found["numbers of a week by agent: SQLite steps"] = count_steps(store.reading, _numbers).steps
        store.write(_add_conversations).result()
        store.write(lambda db: metrics.keep_threads(db, 10_000)).result()
        for days, by in (("today", Dimension.HOUR), ("7", Dimension.LINE), ("28", Dimension.DAY)):
            name = f"numbers of {days} by {by}, with a service policy: SQLite steps"
            found[name] = count_steps(store.reading, partial(_promised, days=days, by=by)).steps
        ids = [
            TaskId(row[0]) for row in rows(store.reading, "SELECT task_id FROM tasks ORDER BY task_id LIMIT 300")
        ]
        plan = count_steps(store.reading, lambda db: _plan(db, ids))
        found["plan for 300 marked tasks: statements"] = plan.statements
        found["plan for 300 marked tasks: SQLite steps"] = plan.steps
        made, fields = Made("proof", "Status: Completed", NOW), {STATUS: COMPLETED}
        queued = SqlSteps()
        store.write(queued.watch).result()
        changed = store.write(lambda db: change_tasks(db, ids, fields, made)).result()
        found["a marked task that is changed: statements"] = round(queued.statements / changed)
        found["a marked task that is changed: SQLite steps"] = round(queued.steps / changed)
    return found


def _add_conversations(db: apsw.Connection) -> None:
    """Copy the conversations, without messages, until there are some thousand."""
    columns = "line_id, customer_id, active_at, thread_read_at, thread_checked_at, waiting_since"
    for number in range(20):
        db.execute(
            f"INSERT INTO conversations (conversation_id, {columns})"
            f" SELECT 'copy ' || ? || conversation_id, {columns} FROM conversations"
            " WHERE conversation_id NOT LIKE 'copy%'",
            (number,),
        )
    columns = "newest_at, newest_id, oldest_at, oldest_id, complete"
    db.execute(
        f"INSERT INTO segments (conversation, {columns}) SELECT copied.rowid, {columns}"
        " FROM conversations AS copied JOIN conversations AS first ON first.line_id = copied.line_id"
        " AND first.customer_id = copied.customer_id AND copied.conversation_id LIKE 'copy%'"
        " AND first.conversation_id NOT LIKE 'copy%' JOIN segments ON segments.conversation = first.rowid"
    )


def _reads(store: Store) -> Iterator[tuple[str, Callable[[apsw.Connection], object]]]:
    for order in ConversationOrder:
        yield f"first 50 conversations by {order}", lambda db, order=order: _fifty(db, order)
    yield "first 500 ids and the count", _first_window
    for view in VIEWS:
        wanted = filter_words.wanted(filter_words.parse(view), PROFILE, NOW)
        yield f"count of {view}", lambda db, wanted=wanted: conversations.count(db, wanted)
    for words in WORDS:
        yield f"search for {words}", lambda db, words=words: full_text.find(db, words, 50)
    yield "jump to a name", lambda db: full_text.jump(db, "mar", 50)
    yield "the board", _board
    longest = (
        "SELECT conversation FROM messages GROUP BY conversation ORDER BY count(*) DESC, conversation LIMIT 1"
    )
    (found,) = rows(store.reading, f"SELECT conversation_id FROM conversations WHERE rowid = ({longest})")
    yield "a page of a thread", lambda db: thread_pages.page_before(db, ConversationId(found[0]), None, 50)


def _fifty(db: apsw.Connection, order: ConversationOrder) -> None:
    for each in conversations.ids(db, order, 50):
        record_lookup.conversation(db, each)


def _first_window(db: apsw.Connection) -> None:
    conversations.ids(db, ConversationOrder.WAITING, 500)
    conversations.count(db)


def _board(db: apsw.Connection) -> None:
    for status in task_store.counts_by_status(db):
        for each in task_store.ids_of_status(db, status, 300)[:50]:
            record_lookup.task(db, each)


def _promised(db: apsw.Connection, *, days: str, by: Dimension) -> None:
    reader = MetricsReader(db, Catalogue(PROFILE), NOW, PROMISES)
    reader.report(parse_period(days, NOW, UTC), (by,))


def _plan(db: apsw.Connection, ids: Sequence[TaskId]) -> None:
    known = tuple(task_store.among(db, ids).values())
    selection = Selection(tuple(ids), marks=frozenset(ids), is_elsewhere=True, rows_are_tasks=True, known=known)
    view = RenderContext(Catalogue(PROFILE), UNICODE, NOW, UTC)
    ChangePlan(status_change(COMPLETED, VerbContext(view)), selection, db).numbers()


def _numbers(db: apsw.Connection) -> None:
    reader = MetricsReader(db, Catalogue(PROFILE), NOW)
    reader.report(parse_period("7", NOW, UTC), (Dimension.AGENT,))
