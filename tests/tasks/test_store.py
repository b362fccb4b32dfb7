"""Tasks in the store: only what differs is written, and pending changes are laid over."""

from pathlib import Path

from frontdesk.outbox import queue
from frontdesk.storage import change_feed, full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Event
from frontdesk.storage.sql import rows
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, StatusId, TaskId
from new_store import open_store
from sample_json import raw_task
from services import Services

ONE = TaskId("t1")


def put(store: Store, *raws: dict[str, object]) -> list[TaskId]:
    return store.write(lambda db: task_store.put(db, raws)).result()


def test_a_page_that_differs_in_nothing_writes_no_event(store: Store) -> None:
    assert put(store, raw_task(1)) == [ONE]
    before = change_feed.position(store.reading)
    assert put(store, raw_task(1)) == []
    assert change_feed.position(store.reading) == before


def test_what_differs_is_told_by_id(store: Store) -> None:
    put(store, raw_task(1), raw_task(2))
    before = change_feed.position(store.reading)
    put(store, raw_task(1), raw_task(2, title="Another"))
    _, events = change_feed.since(store.reading, before)
    assert events == {Event("task", "t2"), Event("conversation", "L1#C2")}


def test_a_page_of_tasks_is_stored_as_its_tasks_one_by_one(tmp_path: Path) -> None:
    def of(number: int, conversation: str, **customer: object) -> dict[str, object]:
        line = {"phoneNumberId": conversation.partition("#")[0], "participantsIdentifiers": conversation}
        return raw_task(number, **line, customer={"phoneNumberId": conversation.partition("#")[2], **customer})

    pages = [
        [
            of(1, "L1#C1", lastActiveAt=1_700_000_900, platform="whatsapp"),
            of(2, "L1#C1", lastActiveAt=1_700_000_100, customerName="Dana", parsedPhoneNumber="+44 7955 550001"),
            of(3, "L1#C2", customerName="Bo"),
            raw_task(4, participantsIdentifiers=None),
        ],
        [
            of(1, "L1#C2", customerName=""),
            of(2, "L1#C1", lastActiveAt=1_700_001_000, customerName="Dana Levi"),
            of(5, "L2#C1", customerName="Dana Levi", lastActiveAt=None),
        ],
    ]
    kept = []
    for folder, parts in (("page", pages), ("one", [[each] for page in pages for each in page])):
        with open_store(tmp_path / folder) as store:
            for part in parts:
                put(store, *part)
            kept.append(
                [
                    rows(store.reading, "SELECT * FROM tasks ORDER BY task_id"),
                    rows(store.reading, "SELECT * FROM conversations ORDER BY conversation_id"),
                    rows(store.reading, "SELECT * FROM customer_names ORDER BY number"),
                    rows(store.reading, "SELECT * FROM unindexed ORDER BY kind, number"),
                ]
            )
    assert kept[0] == kept[1]
    names = {row[1] for row in kept[0][2]}
    assert names == {"dana levi 44 7955 550001 l1 c1 447955550001 11", "bo l1 c2 12", "dana levi l2 c1 21"}


def test_a_name_of_invisible_signs_falls_back_to_the_nickname_or_the_number(store: Store) -> None:
    filler, number = "\u3164\u2800", {"parsedPhoneNumber": "+44 7955 550001"}
    put(
        store,
        raw_task(1, customer={"customerName": filler, "customerNickname": "Bob", **number}),
        raw_task(2, customer={"customerName": filler, "customerNickname": "\u200b", **number}),
    )
    names = []
    for task_id, conversation_id in ((ONE, "L1#C1"), (TaskId("t2"), "L1#C2")):
        task = record_lookup.task(store.reading, task_id)
        assert task is not None
        shown = record_lookup.customer_name(store.reading, task).text
        names.append((shown, record_lookup.conversation_name(store.reading, ConversationId(conversation_id)).text))
    assert names == [("Bob", "Bob"), ("+44 7955 550001", "+44 7955 550001")]
    assert [hit.name for hit in full_text.find_customers(store.reading, "7955", 9)] == ["Bob", "+44 7955 550001"]


def test_unknown_fields_are_kept(store: Store) -> None:
    put(store, raw_task(1, somethingNew={"a": [1]}))
    kept = task_store.raw_task(store.reading, ONE)
    assert kept is not None
    assert kept["somethingNew"] == {"a": [1]}


def test_a_poll_during_a_pending_change_does_not_take_it_off_the_screen(store: Store, services: Services) -> None:
    put(store, raw_task(1))
    services.tasks.set_status([ONE], StatusId("completed")).result()
    put(store, raw_task(1, title="Changed by a colleague"))
    shown = record_lookup.task(services.store.reading, ONE)
    assert shown is not None
    assert (shown.status, shown.title, tuple(shown.pending)) == (
        "completed",
        "Changed by a colleague",
        ("statusCase",),
    )


def test_the_platforms_word_comes_back_when_a_change_is_refused(store: Store, services: Services) -> None:
    put(store, raw_task(1))
    services.tasks.set_status([ONE], StatusId("completed")).result()
    (change,) = queue.recent(services.store.reading)

    def refuse(db: object) -> None:
        queue.move(db, change.change_id, ChangeState.REFUSED, expected=tuple(ChangeState), now=1.0)  # type: ignore[arg-type]
        task_store.refresh_overlay(db, [ONE])  # type: ignore[arg-type]

    store.write(refuse).result()
    shown = record_lookup.task(services.store.reading, ONE)
    assert shown is not None
    assert (shown.status, tuple(shown.pending)) == ("open", ())


def test_a_task_is_not_gone_until_two_whole_walks_missed_it(store: Store) -> None:
    put(store, raw_task(1), raw_task(2))
    two = TaskId("t2")
    assert store.write(lambda db: task_store.finish_sweep(db, {two})).result() == []
    assert store.write(lambda db: task_store.finish_sweep(db, {two})).result() == [ONE]


def test_a_task_that_a_walk_meets_again_was_never_missed(store: Store) -> None:
    put(store, raw_task(1), raw_task(2))
    two = TaskId("t2")
    for met in ({two}, {ONE, two}, {two}):
        assert store.write(lambda db, met=met: task_store.finish_sweep(db, met)).result() == []


def test_a_conversation_sums_its_open_tasks_up(store: Store, services: Services) -> None:
    shared = {"participantsIdentifiers": "L1#C9"}
    put(
        store,
        raw_task(1, **shared, dueDate=2000, assignedAgentIds=["noa"]),
        raw_task(2, **shared, dueDate=1000),
        raw_task(3, **shared, statusCase="completed", dueDate=1),
    )
    conversation = record_lookup.conversation(services.store.reading, ConversationId("L1#C9"))
    assert conversation is not None
    assert (conversation.open_tasks, conversation.due_at, conversation.assigned) == (2, 1000.0, ("noa",))


def test_a_due_date_of_zero_is_none(store: Store, services: Services) -> None:
    put(store, raw_task(1, dueDate=0))
    shown = record_lookup.task(services.store.reading, ONE)
    assert shown is not None
    assert shown.due_at is None


def test_the_board_has_every_task_under_its_status(store: Store, services: Services) -> None:
    put(store, raw_task(1), raw_task(2, statusCase="custom-1"), raw_task(3, dueDate=5))
    assert task_store.counts_by_status(services.store.reading) == {"open": 2, "custom-1": 1}
    assert task_store.ids_of_status(services.store.reading, StatusId("open")) == ["t3", "t1"]
    assert task_store.ids_of_status(services.store.reading, StatusId("open"), 1) == ["t3"]


def test_loose_fields_of_the_wrong_type_never_stop_a_row(store: Store, services: Services) -> None:
    put(store, raw_task(1, title=7, dueDate="soon", assignedAgentIds=None, customer="Dana", unreadCount=None))
    shown = record_lookup.task(services.store.reading, ONE)
    assert shown is not None
    assert (shown.title, shown.due_at, shown.assigned, shown.customer_name) == ("", None, (), "")
