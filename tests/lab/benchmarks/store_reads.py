"""How long reads of a large store take.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.store_reads FOLDER [TIMES]

FOLDER is one that `large.py` made. Each read is made TIMES (15) times with a connection of its own, as by one
that has just begun, and once more on it; the file may be in the cache of the machine, that of SQLite is cold.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import apsw

from frontdesk.config.settings import Profile
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store.conversation_query import UNREAD, ConditionField, QueryTerm
from frontdesk.storage import full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, StatusId
from frontdesk_api.hosts import Hosts
from lab.benchmarks.raw import keep

TIMES = 15
PROFILE = Profile("large", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("agent-noa"))
VIEWS = (
    "is:mine",
    "is:unassigned",
    "is:overdue",
    "waiting>1h",
    "is:unread",
    "!is:unread",
    "window<2h",
    "line:972",
    "status:open",
    "late is:mine",
)
LISTS_TARGET_MS = 20.0
SEARCH_TARGET_MS = 50.0
WORDS = (
    "the",
    "order",
    "delivery late",
    "שלום",
    "table leg broken",
    "zebra",
    "a",
    "ta",
    "972",
    "👍",
    "refund please",
)


def main(folder: Path) -> None:
    """Print each figure beside its target."""
    with Store(folder / "profile") as store:
        db = store.reading
        counted = store.reading.execute(
            "SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages),"
            " (SELECT count(*) FROM tasks)"
        ).fetchone()
        print("conversations, messages, tasks:", " ".join(f"{each:,}" for each in counted or ()))
        statuses = [*task_store.counts_by_status(db)]
        newest = record_lookup.conversation(db, conversation_store.ids(db, ConversationOrder.ACTIVITY, 1)[0])
        now = newest.active_at or 0.0 if newest is not None else 0.0
    print(f"{'what':44} {'first':>8} {'median':>8} {'most':>8}  ms, target")
    show("open the store for reading", folder, lambda _: None, LISTS_TARGET_MS)
    for order in ConversationOrder:
        show(
            f"first 50 conversations by {order}",
            folder,
            lambda db, order=order: fifty(db, order),
            LISTS_TARGET_MS,
        )
    show("first 500 ids and the count", folder, first_window, LISTS_TARGET_MS)
    for view in VIEWS:
        wanted = filter_words.wanted(filter_words.parse(view), PROFILE, now)
        show(
            f"count: {view}",
            folder,
            lambda db, wanted=wanted: conversation_store.count(db, wanted),
            LISTS_TARGET_MS,
        )
        show(
            f"first 500 ids and the count: {view}",
            folder,
            lambda db, wanted=wanted: conversation_store.window(db, ConversationOrder.WAITING, 500, wanted),
            None,
        )
    for typed in ("dan", "dnlv", "5212"):
        show(f"jump: {typed}", folder, lambda db, typed=typed: full_text.jump(db, typed, 50), None)
    show("the board, 300 ids and 50 cards a column", folder, lambda db: board(db, statuses), LISTS_TARGET_MS)
    show("the next unread among 500", folder, next_unread, LISTS_TARGET_MS)
    for words in WORDS:
        show(f"search: {words}", folder, lambda db, words=words: full_text.find(db, words, 50), SEARCH_TARGET_MS)
        show(
            f"filter: {words}",
            folder,
            lambda db, words=words: conversation_store.window(
                db, ConversationOrder.WAITING, 500, [QueryTerm(ConditionField.WORDS, words)]
            ),
            None,
        )


def fifty(db: apsw.Connection, order: ConversationOrder) -> None:
    """What the first screen of a list needs."""
    for each in conversation_store.ids(db, order, 50):
        record_lookup.conversation(db, each)


def first_window(db: apsw.Connection) -> None:
    """What the inbox reads when it opens."""
    conversation_store.ids(db, ConversationOrder.WAITING, 500)
    conversation_store.count(db)


def counted(db: apsw.Connection, wanted: tuple[QueryTerm, ...]) -> None:
    """What the line of views reads for one of them."""
    conversation_store.count(db, wanted)


def next_unread(db: apsw.Connection) -> None:
    """What `n` reads."""
    conversation_store.wanted_among(db, conversation_store.ids(db, ConversationOrder.WAITING, 500), [UNREAD])


def board(db: apsw.Connection, statuses: list[StatusId]) -> None:
    """What the board reads when it opens, and the cards on the screen."""
    task_store.counts_by_status(db)
    for status in statuses:
        for each in task_store.ids_of_status(db, status, 300)[:50]:
            record_lookup.task(db, each)


def show(name: str, folder: Path, read: Callable[[apsw.Connection], object], target: float | None) -> None:
    """Time one read and print it; opening is part of it where opening is what is timed."""
    firsts, again = [], []
    for _ in range(TIMES):
        began = time.perf_counter()
        with Store(folder / "profile") as store:
            opened = time.perf_counter()
            db = store.reading
            read(db)
            firsts.append(time.perf_counter() - (began if "open" in name else opened))
            began = time.perf_counter()
            read(db)
            again.append(time.perf_counter() - began)
    first, median, most = (1000 * each for each in (firsts[0], statistics.median(firsts), max(firsts)))
    keep(name, "ms", [1000 * each for each in firsts], target=target)
    verdict = "" if target is None else f"{target:.0f} {'met' if median <= target else 'MISSED'}"
    print(
        f"{name:44} {first:8.1f} {median:8.1f} {most:8.1f}  {verdict}, again {1000 * statistics.median(again):.1f}"
    )


if __name__ == "__main__":
    if len(sys.argv) > 2:
        TIMES = int(sys.argv[2])
    main(Path(sys.argv[1]))
