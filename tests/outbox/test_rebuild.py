"""What is shown of pending changes follows the outbox, also after a kill between the files' commits."""

import apsw

from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId, StatusId, TagId, TaskId
from sample_json import raw_task
from services import Services

ONE, HERE = TaskId("t1"), ConversationId("L1#C1")


def lose_what_is_shown(db: apsw.Connection) -> None:
    """As if `store.db` had not been committed with the outbox."""
    db.execute("UPDATE tasks SET pending = '[]', status = 'open'")
    db.execute("UPDATE conversations SET pending = 0")


def lose_the_outbox(db: apsw.Connection) -> None:
    db.execute("DELETE FROM outbox.changes")


def shown(services: Services) -> tuple[tuple[str, ...], str, bool]:
    task, conversation = (
        record_lookup.task(services.store.reading, ONE),
        record_lookup.conversation(services.store.reading, HERE),
    )
    assert task is not None
    assert conversation is not None
    return tuple(task.pending), task.status, conversation.pending


def test_a_change_that_is_only_in_the_outbox_is_shown_again(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    services.tasks.set_status([ONE], StatusId("completed")).result()
    right = shown(services)
    store.write(lose_what_is_shown).result()
    assert shown(services) != right
    services.start()
    store.write(lambda _: None).result()
    assert shown(services) == right == (("statusCase",), "completed", True)


def test_what_is_no_longer_in_the_outbox_is_no_longer_shown(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    services.tasks.set_status([ONE], StatusId("completed")).result()
    store.write(lose_the_outbox).result()
    services.start()
    store.write(lambda _: None).result()
    assert shown(services) == ((), "open", False)


def test_given_tags_are_marked_again_and_every_pending_change_is_told(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    services.inbox.give_tags([HERE], [TagId("vip")]).result()
    store.write(lose_what_is_shown).result()
    seq = change_feed.position(store.reading)
    services.start()
    store.write(lambda _: None).result()
    assert shown(services)[2]
    events = change_feed.since(store.reading, seq)[1]
    assert {Event(change_feed.CHANGE, "1"), Event(change_feed.CONVERSATION, HERE)} <= events
