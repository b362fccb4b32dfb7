"""Views and filters over the store, against the same rules in plain Python."""

import json
import threading
from collections.abc import Callable
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.inbox.store import conversation_query, conversations
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.inbox.tui.list_window import FIRST_ROWS, ListWindow
from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId, TagId
from sample_json import raw_task
from services import Services

NOW = 100_000.0
ORDERS = list(ConversationOrder)
Row = dict[str, Any]
_moments = st.none() | st.sampled_from([0.0, 5.0, NOW - 3600, NOW - 10, NOW, NOW + 10])
_people = st.sampled_from([[], ["me"], ["noa", 'q"uote'], ["me2"]])
_tasks = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["open", "open", "standby", "completed"]),
        "due_at": st.none() | st.sampled_from([5.0, NOW - 3600, NOW - 10, NOW, NOW + 10]),
        "assigned": _people,
        "pending": st.booleans(),
        "solve_at": _moments,
    }
)
_rows = st.fixed_dictionaries(
    {
        "line_id": st.none() | st.sampled_from(["972", "9721", "447"]),
        "name": st.sampled_from(["", "Dana Levi", "dana", "Zoë", "Omar"]),
        "platform": st.sampled_from(["", "whatsapp", "web"]),
        "active_at": _moments,
        "waiting_since": _moments,
        "last_incoming_at": _moments,
        "service_unknown": st.sampled_from([0, 1]),
        "unread": st.sampled_from([0, 0, 3]),
        "reply_at": _moments,
        "tasks": st.lists(_tasks, max_size=3),
    }
)
OF_OTHER_TABLES = (ConditionField.TAG, ConditionField.WORDS, ConditionField.FUZZY, ConditionField.CALLED)
_wanted = st.builds(
    QueryTerm,
    st.sampled_from([each for each in ConditionField if each not in OF_OTHER_TABLES]),
    words=st.sampled_from(["97", "me", "standby"]),
    ids=st.sampled_from([(), ("972",), ("me", "447"), ('q"uote',), ("open", "completed")]),
    after=st.none() | st.just(NOW - 3600),
    until=st.none() | st.just(NOW),
    inverse=st.booleans(),
)


def matches(row: Row, wanted: list[QueryTerm]) -> bool:
    """Return whether a row is in a list: as docs/configuration.md, "Filter words", says it."""
    about = [each for each in wanted if each.field in _OF_TASK]
    if any(not each.inverse and each.field not in (ConditionField.PENDING, ConditionField.SLA) for each in about):
        return bool(meant(row, wanted)) and all(holds(row, each) for each in wanted if each not in about)
    return all(holds(row, each) for each in wanted)


def meant(row: Row, wanted: list[QueryTerm]) -> list[Row]:
    """Return the tasks that a row can be about, the first of them before others."""
    about = [each for each in wanted if each.field in _OF_TASK]
    if all(each.inverse for each in about):
        about = []
    tasks = row["tasks"]
    if about and not any(each.field is ConditionField.STATUS and not each.inverse for each in about):
        tasks = [each for each in tasks if each["status"] != "completed"]
    found = [
        task for task in tasks if all(_OF_TASK[each.field](row, task, each) != each.inverse for each in about)
    ]
    return sorted(found, key=lambda task: (task["status"] == "completed", *last(task["due_at"]), task["task_id"]))


def last(value: float | None) -> tuple[bool, float]:
    """Return a sort key that puts None last."""
    return value is None, value or 0.0


def holds(row: Row, wanted: QueryTerm) -> bool:
    return _HOLDS[wanted.field](row, wanted) != wanted.inverse


def between(value: float | None, wanted: QueryTerm) -> bool:
    return (
        value is not None
        and (wanted.after is None or value > wanted.after)
        and (wanted.until is None or value <= wanted.until)
    )


def on_line(row: Row, wanted: QueryTerm) -> bool:
    line = row["line_id"]
    return line is not None and (line in wanted.ids if wanted.ids else wanted.words in line)


def with_person(task: Row, wanted: QueryTerm) -> bool:
    people = task["assigned"]
    return bool(set(people) & set(wanted.ids)) if wanted.ids else any(wanted.words in each for each in people)


def is_open(task: Row) -> bool:
    return bool(task["status"] != "completed")


def nearest(row: Row, tasks: list[Row]) -> float | None:
    clocks = [row["reply_at"], *(each["solve_at"] for each in tasks)]
    return min((each for each in clocks if each is not None), default=None)


_OF_TASK: dict[ConditionField, Callable[[Row, Row, QueryTerm], bool]] = {
    ConditionField.PERSON: lambda _, task, wanted: with_person(task, wanted),
    ConditionField.NOBODY: lambda _, task, __: is_open(task) and not task["assigned"],
    ConditionField.TASK: lambda _, task, __: is_open(task),
    ConditionField.STATUS: lambda _, task, wanted: task["status"] in (wanted.ids or (wanted.words,)),
    ConditionField.PENDING: lambda _, task, __: task["pending"],
    ConditionField.DUE: lambda _, task, wanted: is_open(task) and between(task["due_at"], wanted),
    ConditionField.SLA: lambda row, task, wanted: between(nearest(row, [task]), wanted),
}


def of_any_task(row: Row, wanted: QueryTerm) -> bool:
    of_completed = wanted.field in (ConditionField.STATUS, ConditionField.PENDING)
    tasks = [each for each in row["tasks"] if of_completed or is_open(each)]
    return any(_OF_TASK[wanted.field](row, each, wanted) for each in tasks)


_HOLDS: dict[ConditionField, Callable[[Row, QueryTerm], bool]] = {
    **dict.fromkeys(_OF_TASK, of_any_task),
    ConditionField.LINE: on_line,
    ConditionField.UNREAD: lambda row, _: row["unread"] > 0,
    ConditionField.WAITING: lambda row, wanted: between(row["waiting_since"], wanted),
    ConditionField.SLA: lambda row, wanted: between(nearest(row, row["tasks"]), wanted),
    ConditionField.ACTIVE: lambda row, wanted: between(row["active_at"] or None, wanted),
    ConditionField.HEARD: lambda row, wanted: (
        row["platform"] != "web" and between(row["last_incoming_at"], wanted)
    ),
    ConditionField.SNOOZED: lambda row, _: False,  # none is: tests/outbox/test_snoozes.py
}


def fill(store: Store, rows: list[Row]) -> list[Row]:
    """Store rows under the ids `c0`, `c1`… with their tasks under `c0-t0`…, and return all of it."""
    filled: list[Row] = []
    for place, row in enumerate(rows):
        tasks = [{**task, "task_id": f"c{place}-t{at}"} for at, task in enumerate(row.get("tasks", ()))]
        filled.append({"conversation_id": f"c{place}", **row, "tasks": tasks})

    def put(db: apsw.Connection) -> None:
        for table in ("conversations", "tasks", "service_clocks"):
            db.execute(f"DELETE FROM {table}")
        for row in filled:
            stands = {name: value for name, value in row.items() if name not in ("tasks", "reply_at")}
            insert(
                db, "conversations", stands | {"service_due_at": nearest({"reply_at": None} | row, row["tasks"])}
            )
            insert_clock(db, row["conversation_id"], "", row.get("reply_at"))
            for task in row["tasks"]:
                insert_task(db, row["conversation_id"], task)
        with_tasks = [row["conversation_id"] for row in filled if row["tasks"]]
        conversations.summarise_tasks(db, with_tasks)

    store.write(put).result()
    return filled


def insert(db: apsw.Connection, table: str, values: Row) -> None:
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))


def insert_task(db: apsw.Connection, conversation_id: str, task: Row) -> None:
    stands = {name: value for name, value in task.items() if name != "solve_at"}
    stands |= {"assigned": json.dumps(task["assigned"]), "pending": '["title"]' if task["pending"] else "[]"}
    empty = dict.fromkeys(("raw", "customer_name", "platform", "title", "body"), "")
    insert(db, "tasks", {**empty, **stands, "conversation_id": conversation_id, "unread": 0})
    insert_clock(db, conversation_id, task["task_id"], task["solve_at"])


def insert_clock(db: apsw.Connection, conversation_id: str, task_id: str, due_at: float | None) -> None:
    if due_at is not None:
        clock = {"conversation_id": conversation_id, "task_id": task_id, "due_at": due_at}
        insert(db, "service_clocks", {**clock, "kind": "resolution", "policy": "Gold", "state": "running"})


def sorted_by_task(rows: list[Row], wanted: list[QueryTerm], order: ConversationOrder) -> list[str]:
    """Return the ids in an order by due dates or deadlines: those of the tasks that rows are about."""

    def key(row: Row) -> tuple[object, ...]:
        task, active = next(iter(meant(row, wanted)), None), row["active_at"]
        value = None
        if task is not None and order is ConversationOrder.SLA:
            value = nearest(row, [task])
        elif task is not None and is_open(task):
            value = task["due_at"]
        return (
            *last(value),
            -row["service_unknown"] * (order is ConversationOrder.SLA),
            *last(None if active is None else -active),
            row["conversation_id"],
        )

    return [row["conversation_id"] for row in sorted(rows, key=key)]


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_rows, max_size=12), st.lists(_wanted, max_size=3), st.sampled_from(ORDERS), st.integers(1, 6))
def test_a_view_has_what_its_rules_say_in_the_order_of_all(
    store: Store,
    services: Services,
    rows: list[Row],
    wanted: list[QueryTerm],
    order: ConversationOrder,
    limit: int,
) -> None:
    filled = fill(store, rows)
    fits = {row["conversation_id"] for row in filled if matches(row, wanted)}
    by_task = order in (ConversationOrder.DUE, ConversationOrder.SLA) and conversation_query.row_terms(wanted)
    listed = sorted_by_task(filled, wanted, order) if by_task else conversations.ids(services.store.reading, order)
    expected = [each for each in listed if each in fits]
    assert conversations.ids(services.store.reading, order, -1, wanted) == expected
    assert conversations.window(services.store.reading, order, limit, wanted) == (expected[:limit], len(expected))
    assert conversations.wanted_among(
        services.store.reading, [ConversationId("c0"), ConversationId("c1")], wanted
    ) == fits & {
        "c0",
        "c1",
    }
    tasks = {row["conversation_id"]: [task["task_id"] for task in meant(row, wanted)] for row in filled}
    found = conversations.row_tasks(services.store.reading, [ConversationId(each) for each in tasks], wanted)
    assert found == {each: ids for each, ids in tasks.items() if ids}


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_rows, max_size=12), st.lists(_wanted, max_size=1), st.sampled_from(ORDERS))
def test_the_next_unread_is_the_first_behind_a_place_and_then_from_the_top(
    store: Store,
    services: Services,
    rows: list[Row],
    wanted: list[QueryTerm],
    order: ConversationOrder,
) -> None:
    filled = fill(store, rows)
    unread = {row["conversation_id"] for row in filled if row["unread"] and matches(row, wanted)}
    by_task = order in (ConversationOrder.DUE, ConversationOrder.SLA) and conversation_query.row_terms(wanted)
    listed = sorted_by_task(filled, wanted, order) if by_task else conversations.ids(services.store.reading, order)
    for here in [*listed, None, ConversationId("not known")]:
        at = listed.index(here) if here in listed else -1
        round_it = [*listed[at + 1 :], *listed[: max(0, at)]]
        expected = next((each for each in round_it if each in unread), None)
        assert conversations.next_unread(services.store.reading, order, here, wanted) == expected, here


def test_words_tags_and_statuses_are_looked_up_where_they_stand(store: Store, services: Services) -> None:
    raws = [
        raw_task(1, title="A wobbly chair"),
        raw_task(2, statusCase="standby", customer={"phoneNumberId": "C2", "customerName": "Dana Levi"}),
        raw_task(3, body="the chair of Dana"),
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    while store.write(lambda db: full_text.index_batch(db, 50)).result():
        pass
    services.inbox.give_tags([ConversationId("L1#C3")], [TagId("vip")]).result()

    def found(field: ConditionField, words: str = "", *ids: str, inverse: bool = False) -> list[str]:
        wanted = [QueryTerm(field, words, ids, inverse=inverse)]
        return [
            each.removeprefix("L1#")
            for each in conversations.ids(services.store.reading, ConversationOrder.NAME, -1, wanted)
        ]

    assert found(ConditionField.WORDS, "chair") == ["C1", "C3"]
    assert found(ConditionField.WORDS, "dana") == ["C3", "C2"]
    assert found(ConditionField.WORDS, "chair", inverse=True) == ["C2"]
    assert found(ConditionField.WORDS, "wobbly-chair") == ["C1"]
    assert found(ConditionField.FUZZY, "dnlv") == ["C2"]
    assert found(ConditionField.STATUS, "", "standby", "nowhere") == ["C2"]
    assert found(ConditionField.STATUS, "open", inverse=True) == ["C2"]
    assert found(ConditionField.TAG, "vip") == ["C3"]
    assert found(ConditionField.TAG, "", "other") == []


def test_one_open_task_of_nobody_makes_a_conversation_unassigned(store: Store, services: Services) -> None:
    """Whoever has its other tasks; a completed task of nobody doesn't count."""
    of = "participantsIdentifiers"
    raws = [
        raw_task(1),
        raw_task(11, **{of: "L1#C1"}, assignedAgentIds=["noa"]),
        raw_task(2, statusCase="completed"),
        raw_task(21, **{of: "L1#C2"}, assignedAgentIds=["noa"]),
        raw_task(22, **{of: "L1#C2"}, assignedAgentIds=["omar"]),
        raw_task(3),
        raw_task(4, assignedAgentIds=["noa"]),
        raw_task(5, statusCase="completed"),
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    wanted = [QueryTerm(ConditionField.NOBODY)]
    assert conversations.ids(services.store.reading, ConversationOrder.NAME, -1, wanted) == ["L1#C1", "L1#C3"]
    assert conversations.window(services.store.reading, ConversationOrder.NAME, 1, wanted)[1] == 2


@pytest.fixture
def many(store: Store) -> int:
    """More conversations than a window has, everyone waiting since another moment."""
    count = FIRST_ROWS + 40
    fill(store, [{"name": f"n{n}", "waiting_since": float(n), "unread": n % 2} for n in range(count)])
    return count


def waits_since(store: Store, conversation_id: str, at: float | None, unread: int = 1) -> None:
    sql = "UPDATE conversations SET waiting_since = ?, unread = ? WHERE conversation_id = ?"
    store.write(lambda db: db.execute(sql, (at, unread, conversation_id))).result()


def test_a_slow_list_is_sorted_by_activity_until_half_of_its_threads_were_read(
    store: Store, services: Services, many: int
) -> None:
    def read(count: int) -> None:
        store.write(
            lambda db: db.execute(
                "UPDATE conversations SET thread_read_at = iif(rowid <= ?, 1.0, NULL), task_active_at = NULL",
                (count,),
            )
        ).result()

    listing = ListWindow(services.store.reading, ConversationOrder.WAITING, is_slow=True)
    chosen = ListWindow(services.store.reading, ConversationOrder.WAITING, is_slow=True)
    read(many // 2 - 1)
    listing.read(())
    assert listing.sorted_by is ConversationOrder.ACTIVITY
    assert listing.keys == conversations.ids(services.store.reading, ConversationOrder.ACTIVITY, FIRST_ROWS)
    chosen.sort(ConversationOrder.WAITING)
    assert chosen.sorted_by is ConversationOrder.WAITING, "the person wants it so"
    read(many // 2)
    listing.read(())
    assert listing.sorted_by is ConversationOrder.WAITING
    assert listing.keys == conversations.ids(services.store.reading, ConversationOrder.WAITING, FIRST_ROWS)
    read(0)
    listing.read(())
    assert listing.sorted_by is ConversationOrder.WAITING, "it doesn't change back"


def test_what_is_needed_keeps_its_row_in_its_place(store: Store, services: Services, many: int) -> None:
    listing = ListWindow(services.store.reading, ConversationOrder.WAITING)
    unread = (QueryTerm(ConditionField.UNREAD),)
    listing.read(unread)
    here = listing.keys[5]
    waits_since(store, here, float(here.removeprefix("c")), unread=0)
    listing.read(unread, {here})
    assert listing.keys[5] == here
    assert listing.matching == many // 2 - 1
    listing.read(unread)
    assert here not in listing.keys


def test_the_number_of_known_conversations_is_that_of_their_rows(store: Store, services: Services) -> None:
    """It is read as the last row's number: no row may be skipped or deleted."""

    def counted() -> tuple[int, int]:
        row = store.reading.execute("SELECT count(*) FROM conversations").fetchone()
        assert row is not None
        return int(str(row[0])), conversations.count(services.store.reading)

    before = counted()[0]
    page = [raw_task(each, participantsIdentifiers=f"9721#count-{each}") for each in (901, 902, 903)]
    for _ in range(2):
        store.write(lambda db: task_store.put(db, page)).result()
    with pytest.raises(ZeroDivisionError):
        store.write(
            lambda db: (task_store.put(db, [raw_task(904, participantsIdentifiers="9721#gone")]), 1 / 0)
        ).result()
    services.inbox.open_conversation(LineId("9721"), CustomerId("another")).result()
    assert counted() == (before + 4, before + 4)


def test_a_count_beside_is_made_by_another_thread_and_says_what_is_written(
    store: Store, services: Services
) -> None:
    fill(store, [{"unread": 1}, {"unread": 0}, {"unread": 2}])
    assert (
        store.read_in_background(lambda db: conversations.count(db, [QueryTerm(ConditionField.UNREAD)])).result(
            timeout=30
        )
        == 2
    )
    assert store.read_in_background(lambda _: threading.get_ident()).result(timeout=30) != threading.get_ident()
    with pytest.raises(apsw.ReadOnlyError):
        store.read_in_background(lambda db: db.execute("DELETE FROM conversations")).result(timeout=30)
    assert store.read_in_background(conversations.count).result(timeout=30) == 3, (
        "a read that failed leaves the thread as it was"
    )
