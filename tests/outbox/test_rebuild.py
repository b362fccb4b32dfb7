"""What is shown of pending changes follows the outbox, also after a kill between the files' commits."""

import apsw

from frontdesk.api.contract.ids import ConversationId, StatusId, TagId, TaskId
from frontdesk.app.services import Desk
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.tasks import store as task_store
from sample_json import raw_task

ONE, HERE = TaskId("t1"), ConversationId("L1#C1")


def lose_what_is_shown(db: apsw.Connection) -> None:
    """As if `store.db` had not been committed with the outbox."""
    db.execute("UPDATE tasks SET pending = '[]', status = 'open'")
    db.execute("UPDATE conversations SET pending = 0")


def lose_the_outbox(db: apsw.Connection) -> None:
    db.execute("DELETE FROM outbox.changes")


def shown(desk: Desk) -> tuple[tuple[str, ...], str, bool]:
    task, conversation = desk.reads.task(ONE), desk.reads.conversation(HERE)
    assert task is not None
    assert conversation is not None
    return task.pending, task.status, conversation.pending


def test_a_change_that_is_only_in_the_outbox_is_shown_again(store: Store, desk: Desk) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    desk.set_status([ONE], StatusId("completed")).result()
    right = shown(desk)
    store.write(lose_what_is_shown).result()
    assert shown(desk) != right
    desk.start()
    store.write(lambda _: None).result()
    assert shown(desk) == right == (("statusCase",), "completed", True)


def test_what_is_no_longer_in_the_outbox_is_no_longer_shown(store: Store, desk: Desk) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    desk.set_status([ONE], StatusId("completed")).result()
    store.write(lose_the_outbox).result()
    desk.start()
    store.write(lambda _: None).result()
    assert shown(desk) == ((), "open", False)


def test_given_tags_are_marked_again_and_every_pending_change_is_told(store: Store, desk: Desk) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    desk.give_tags([HERE], [TagId("vip")]).result()
    store.write(lose_what_is_shown).result()
    seq = change_feed.position(store.reading)
    desk.start()
    store.write(lambda _: None).result()
    assert shown(desk)[2]
    events = change_feed.since(store.reading, seq)[1]
    assert {Event(change_feed.CHANGE, "1"), Event(change_feed.CONVERSATION, HERE)} <= events
