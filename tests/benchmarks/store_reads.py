"""How long reads of a large store take.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/store_reads.py FOLDER

FOLDER is one that `large.py` made. Each read is made with a connection of its own, as by a program that
has just begun, and then again and again; the file may be in the machine's cache, SQLite's is cold.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from frontdesk.api.contract.ids import AgentId, StatusId
from frontdesk.app.reader import Reader
from frontdesk.config.settings import Hosts, Profile
from frontdesk.inbox import saved_views
from frontdesk.inbox.store.conditions import ConditionField, QueryTerm
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder

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
        reads = Reader(store.reading)
        counted = store.reading.execute(
            "SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages),"
            " (SELECT count(*) FROM tasks)"
        ).fetchone()
        print("conversations, messages, tasks:", " ".join(f"{each:,}" for each in counted or ()))
        statuses = [*reads.task_counts()]
        newest = reads.conversation(reads.conversation_ids(ConversationOrder.ACTIVITY, 1)[0])
        now = newest.active_at or 0.0 if newest is not None else 0.0
    print(f"{'what':44} {'first':>8} {'median':>8} {'most':>8}  ms, target")
    show("open the store for reading", folder, lambda _: None, LISTS_TARGET_MS)
    for order in ConversationOrder:
        show(
            f"first 50 conversations by {order}",
            folder,
            lambda reads, order=order: fifty(reads, order),
            LISTS_TARGET_MS,
        )
    show("first 500 ids and the count", folder, first_window, LISTS_TARGET_MS)
    for view in VIEWS:
        wanted = saved_views.wanted(saved_views.parse(view), PROFILE, now)
        show(
            f"count: {view}",
            folder,
            lambda reads, wanted=wanted: reads.conversation_count(wanted),
            LISTS_TARGET_MS,
        )
        show(
            f"first 500 ids and the count: {view}",
            folder,
            lambda reads, wanted=wanted: reads.conversation_window(ConversationOrder.WAITING, 500, wanted),
            None,
        )
    for typed in ("dan", "dnlv", "5212"):
        show(f"jump: {typed}", folder, lambda reads, typed=typed: reads.jump(typed, 50), None)
    show("the board, 300 ids and 50 cards a column", folder, lambda reads: board(reads, statuses), LISTS_TARGET_MS)
    show("the next unread among 500", folder, next_unread, LISTS_TARGET_MS)
    for words in WORDS:
        show(f"search: {words}", folder, lambda reads, words=words: reads.search(words, 50), SEARCH_TARGET_MS)
        show(
            f"filter: {words}",
            folder,
            lambda reads, words=words: reads.conversation_window(
                ConversationOrder.WAITING, 500, [QueryTerm(ConditionField.WORDS, words)]
            ),
            None,
        )


def fifty(reads: Reader, order: ConversationOrder) -> None:
    """What the first screen of a list needs."""
    for each in reads.conversation_ids(order, 50):
        reads.conversation(each)


def first_window(reads: Reader) -> None:
    """What the inbox reads when it opens."""
    reads.conversation_ids(ConversationOrder.WAITING, 500)
    reads.conversation_count()


def counted(reads: Reader, wanted: tuple[QueryTerm, ...]) -> None:
    """What the line of views reads for one of them."""
    reads.conversation_count(wanted)


def next_unread(reads: Reader) -> None:
    """What `n` reads."""
    reads.unread_among(reads.conversation_ids(ConversationOrder.WAITING, 500))


def board(reads: Reader, statuses: list[StatusId]) -> None:
    """What the board reads when it opens, and the cards on the screen."""
    reads.task_counts()
    for status in statuses:
        for each in reads.task_ids(status, 300)[:50]:
            reads.task(each)


def show(name: str, folder: Path, read: Callable[[Reader], object], target: float | None) -> None:
    """Time one read and print it; opening is part of it where opening is what is timed."""
    firsts, again = [], []
    for _ in range(TIMES):
        began = time.perf_counter()
        with Store(folder / "profile") as store:
            opened = time.perf_counter()
            reads = Reader(store.reading)
            read(reads)
            firsts.append(time.perf_counter() - (began if "open" in name else opened))
            began = time.perf_counter()
            read(reads)
            again.append(time.perf_counter() - began)
    first, median, most = (1000 * each for each in (firsts[0], statistics.median(firsts), max(firsts)))
    verdict = "" if target is None else f"{target:.0f} {'met' if median <= target else 'MISSED'}"
    print(
        f"{name:44} {first:8.1f} {median:8.1f} {most:8.1f}  {verdict}, again {1000 * statistics.median(again):.1f}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
