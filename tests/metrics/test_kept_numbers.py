"""What is kept for the numbers, against all of it counted from scratch, after whatever has happened to a store."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile
from frontdesk.inbox.store import conversations, threads
from frontdesk.inbox.store.conversations import TaskCustomer
from frontdesk.metrics import facts
from frontdesk.metrics import store as metrics
from frontdesk.metrics.aggregation import Closing
from frontdesk.metrics.facts import Outcome, TaskFact
from frontdesk.metrics.models import Dimension, NumbersReport
from frontdesk.metrics.periods import Period
from frontdesk.metrics.promises import Promises, resolution_outcome
from frontdesk.metrics.report import MetricsReader
from frontdesk.metrics.store import ANSWER, AUTOMATIC, INCOMING
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy, put_marks
from frontdesk.service_clocks.store import KnownTask, read_statuses
from frontdesk.storage import clients, coverage
from frontdesk.storage.database import Store
from frontdesk.storage.record_lookup import CHECK_AT, IS_CHECKED, THREAD_UNREAD
from frontdesk.storage.records import Connection, Health
from frontdesk.storage.sql import first
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_api.hosts import Hosts
from metrics.test_store import NOTE, NOW, PERIOD, Sent, raw
from new_store import open_store
from sample_json import raw_task

NAMES = ("L0#C", "L1#C", "L2#C")
PROFILE = Profile("p", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=AgentId("a1"))
OFFICE = BusinessHours(ZoneInfo("Asia/Kathmandu"), [[(9 * 3600, 17 * 3600)]] * 5 + [[], []])
BOTH = Policy(
    "both", "", OFFICE, {ClockKind.FIRST: 1_800.0, ClockKind.NEXT: 7_200.0, ClockKind.RESOLUTION: 9_000.0}
)
LATE = Policy("late", "L1", OFFICE, {ClockKind.NEXT: 900.0}, pauses=frozenset({"standby"}))


def of_line(_db: apsw.Connection, match: str, ids: Any) -> list[str]:
    return [each for each in ids if each.startswith(match)]


PROMISES = (Promises(), Promises((BOTH,), of_line), Promises((LATE, BOTH), of_line))

Event = Callable[[apsw.Connection], object]


def page(name: str, sent: Sequence[tuple[int, Sent]], has_more: bool) -> Event:
    """The newest page of a thread, in which messages of known ids may have another time or kind than before."""
    raws = sorted((raw(name, *each) for each in sent), key=lambda each: (-each["createdAt"], each["messageId"]))
    return lambda db: threads.put_page(db, ConversationId(name), raws, start=None, has_more=has_more, now=NOW)


def task(number: int, name: str, status: str, created: int, seen: int) -> Event:
    """A task as it is read for the first time, or anew: it may be in another status, or of another customer."""
    at = PERIOD.start + created * 600
    read = raw_task(number, statusCase=status, participantsIdentifiers=name, assignedAgentIds=["a1"][: number % 2])
    read |= {"phoneNumberId": name[:2], "createdAt": at, "updatedAt": at + seen * 300}
    return lambda db: task_store.put(db, [read], Seen(at + seen * 300, at + seen * 300 + 5))


def edit(sql: str, name: str, *values: object) -> Event:
    """A statement about one conversation, or about what is of it."""
    number = "(SELECT rowid FROM conversations WHERE conversation_id = ?1)"
    return lambda db: db.execute(
        f"{sql} WHERE {'rowid' if 'UPDATE' in sql else 'conversation'} = {number}", (name, *values)
    )


_NAMES = st.sampled_from(NAMES)
_STEPS = st.integers(-300, 500)
_SENT = st.builds(Sent, _STEPS, st.sampled_from([INCOMING, ANSWER, AUTOMATIC, NOTE]), st.sampled_from(["", "Noa"]))
_EVENTS = st.lists(
    st.one_of(
        st.builds(
            page,
            _NAMES,
            st.lists(st.tuples(st.integers(0, 9), _SENT), max_size=7, unique_by=lambda each: each[0]),
            st.booleans(),
        ),
        st.builds(
            task,
            st.integers(1, 4),
            _NAMES,
            st.sampled_from(["open", "standby", "completed"]),
            _STEPS,
            st.integers(0, 90),
        ),
        st.builds(
            lambda name, step: (
                lambda db: conversations.summarise_tasks(
                    db,
                    [name],
                    [TaskCustomer(name, name[:2], "C", "", {"lastActiveAt": (PERIOD.start + step * 420) * 1000})],
                )
            ),
            _NAMES,
            _STEPS,
        ),
        st.builds(
            lambda name, step: lambda db: put_marks(db, name, [(PERIOD.start + step * 420) * 1000], NOW),
            _NAMES,
            _STEPS,
        ),
        st.builds(
            lambda column, name, step: edit(
                f"UPDATE conversations SET {column} = ?2", name, PERIOD.start + step * 420
            ),
            st.sampled_from(["thread_checked_at", "task_active_at", "waiting_since", "thread_active_at"]),
            _NAMES,
            _STEPS,
        ),
        st.builds(
            lambda name, line: edit("UPDATE conversations SET line_id = ?2", name, line[:2]), _NAMES, _NAMES
        ),
        st.builds(lambda name: edit("DELETE FROM segments", name), _NAMES),
        st.builds(lambda name: edit("DELETE FROM messages", name), _NAMES),
        st.builds(lambda limit: lambda db: metrics.count_batch(db, limit), st.integers(1, 5)),
        st.builds(lambda limit: lambda db: metrics.keep_threads(db, limit), st.integers(1, 3)),
    ),
    max_size=15,
)


def count_all(store: Store) -> None:
    while store.write(lambda db: metrics.count_batch(db, 50)).result():
        pass


def reports(store: Store) -> list[NumbersReport]:
    return [
        MetricsReader(store.reading, Catalogue(PROFILE), NOW, promises).report(PERIOD, [*Dimension])
        for promises in PROMISES
    ]


def forget_all(db: apsw.Connection) -> None:
    for table in ("metrics_messages", "metrics_responses", "metrics_writers", "metrics_threads"):
        db.execute(f"DELETE FROM {table}")
    db.execute("INSERT INTO metrics_stale SELECT DISTINCT (rowid >> 20) / 900000 FROM messages")
    db.execute("INSERT OR IGNORE INTO metrics_stale_threads SELECT rowid FROM conversations")


def start(db: apsw.Connection) -> None:
    clients.write_health(db, Health(Connection.LIVE, since=NOW, fresh_at=NOW, heard_at=NOW))
    db.execute("UPDATE outbox.task_history_start SET at = ?", (PERIOD.start - 86_400,))
    coverage.note_listed(db)


@pytest.mark.slow
@given(_EVENTS, _EVENTS)
def test_whatever_happened_what_is_kept_is_what_is_counted_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], later: list[Event]
) -> None:
    with open_store(tmp_path_factory.mktemp("store")) as store:
        store.write(start).result()
        for event in events:
            store.write(event).result()
        count_all(store)
        store.write(lambda db: metrics.keep_threads(db, 100)).result()
        for event in later:
            store.write(event).result()
        count_all(store)
        kept = reports(store)
        days = [*PERIOD.before.each_day(), *PERIOD.each_day()]
        for trusts in (False, True):
            shares = [share_of(store.reading, each, trusts_checks=trusts) for each in days]
            assert facts.thread_shares(store.reading, days, trusts_checks=trusts) == shares
            assert facts.daily_thread_shares(store.reading, days, trusts_checks=trusts) == shares
        store.write(forget_all).result()
        count_all(store)
        assert reports(store) == kept
        store.write(lambda db: metrics.keep_threads(db, 100)).result()
        assert reports(store) == kept


def share_of(db: apsw.Connection, period: Period, *, trusts_checks: bool) -> float:
    """The share of threads that were read over a whole period, from all conversations and their parts."""
    checked = "true" if trusts_checks else f"(thread_checked_at IS NULL OR NOT {IS_CHECKED})"
    row = first(
        db,
        "SELECT count(*), coalesce(sum(reads_from <= ?1 AND reads_to >= ?2), 0) FROM (SELECT active_at,"
        " iif(newest IS NULL AND is_current, 9e18, iif(complete, oldest_at, -9e18)) AS begun,"
        " iif(complete, -9e18, coalesce(oldest_at, 9e18)) AS reads_from,"
        " iif(is_current, iif(is_over, 9e18, checked_until), coalesce(newest, -9e18)) AS reads_to"
        " FROM (SELECT nullif(active_at, 0) * 1000 AS active_at, max(newest_at) AS newest, oldest_at, complete,"
        f" NOT ({THREAD_UNREAD}) AS is_current, {checked} AS is_over, ({CHECK_AT} + 1800) * 1000 AS checked_until"
        " FROM conversations LEFT JOIN segments ON segments.conversation = conversations.rowid"
        " GROUP BY conversations.rowid)) WHERE coalesce(active_at, 9e18) >= ?1 AND begun < ?2",
        (period.start * 1000, period.end * 1000),
    )
    assert row is not None
    return row[1] / row[0] if row[0] else 1.0


@few
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(["open", "standby", "completed"]), st.integers(650, 800)),
        max_size=12,
    ),
    st.lists(st.tuples(st.integers(1, 4), st.integers(650, 750), st.integers(0, 60)), max_size=6),
    st.booleans(),
)
def test_a_resolution_that_is_in_time_without_its_history_is_so_with_it(
    tmp_path_factory: pytest.TempPathFactory,
    moves: list[tuple[int, str, int]],
    spans: list[tuple[int, int, int]],
    pauses: bool,
) -> None:
    policy = BOTH._replace(pauses=frozenset({"standby"} if pauses else ()))
    with open_store(tmp_path_factory.mktemp("store")) as store:
        for number, status, step in sorted(moves, key=lambda each: each[2]):
            store.write(task(number, "L0#C", status, 0, step)).result()
        closings = [
            Closing(
                TaskFact(f"t{number}", "completed", PERIOD.start, NOW, "L0", "L0#C", ()),
                PERIOD.start + step * 300,
                PERIOD.start + (step + more) * 300,
            )
            for number, step, more in spans
        ]
        tasks = [KnownTask(each.task.task_id, each.task.status, each.task.created_at) for each in closings]
        statuses = read_statuses(store.reading, tasks)
        expected = [resolution_outcome(policy, each, statuses[each.task.task_id]) for each in closings]
        judged = Promises((policy,)).judge_closings(store.reading, closings)
        found = {(each.task.task_id, each.earliest, each.latest): each.outcome for each in judged}
        assert [found[each.task.task_id, each.earliest, each.latest] for each in closings] == expected
        assert len(judged) == len(closings)
        assert {*expected} <= {Outcome.KEPT, Outcome.MISSED, Outcome.UNKNOWN}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("thread_checked_at = ?1", f"thread_checked_at = ?1 - {3 * 86_400}"),
        ("task_active_at = 10, thread_active_at = 20", "task_active_at = 30"),
        ("task_active_at = 10, thread_active_at = 20", "thread_active_at = 5"),
        ("thread_read_at = ?1", "thread_read_at = NULL"),
        ("thread_checked_at = active_at + 90000", "waiting_since = NULL"),
        ("thread_read_at = NULL", "active_at = ?1 - 864000"),
    ],
)
def test_each_change_of_a_thread_that_decides_is_noticed(tmp_path: Path, before: str, after: str) -> None:
    def change(assignments: str) -> float:
        sql = f"UPDATE conversations SET {assignments} WHERE ?1 > 0 AND conversation_id = 'L0#C'"
        store.write(lambda db: db.execute(sql, (NOW,))).result()
        (share,) = facts.thread_shares(store.reading, [PERIOD])
        assert share == share_of(store.reading, PERIOD, trusts_checks=False)
        return share

    with open_store(tmp_path / "store") as store:
        for name in NAMES:
            store.write(page(name, [(1, Sent(5, INCOMING))], has_more=False)).result()
        first_share = change(before)
        store.write(lambda db: metrics.keep_threads(db, 100)).result()
        assert change(after) != first_share


def test_a_part_of_a_thread_that_is_lost_is_noticed(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.write(page(NAMES[0], [(1, Sent(5, INCOMING))], has_more=False)).result()
        store.write(lambda db: metrics.keep_threads(db, 100)).result()
        assert facts.thread_shares(store.reading, [PERIOD.before, PERIOD]) == [1.0, 1.0]
        store.write(lambda db: db.execute("UPDATE segments SET complete = 0")).result()
        assert facts.thread_shares(store.reading, [PERIOD]) == [0.0]
        store.write(lambda db: metrics.keep_threads(db, 100)).result()
        store.write(edit("DELETE FROM segments", NAMES[0])).result()
        assert facts.daily_thread_shares(store.reading, [PERIOD]) == [
            share_of(store.reading, PERIOD, trusts_checks=False)
        ]
        assert metrics.stale_threads(store.reading) == 0, "one that has changed is looked at with each reading"
