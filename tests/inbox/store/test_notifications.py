"""What is news, read from the store, and told of by one screen alone."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from frontdesk.inbox.store import notifications as notification_store
from frontdesk.inbox.store import threads
from frontdesk.outbox import queue
from frontdesk.outbox.commands import FORGET_SECONDS, NOTIFIED, claim_notifications
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId
from sample_json import raw_message, raw_task
from services import Services

HERE = ConversationId("L1#C1")


def put(store: Store, *numbers: int, conversation: ConversationId = HERE) -> None:
    page = [raw_message(number) for number in reversed(numbers)]
    store.write(lambda db: threads.put_page(db, conversation, page, start=None, has_more=False, now=1.0)).result()


def test_only_what_came_after_the_moment_is_news(store: Store) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    db = store.reading
    assert notification_store.newest_at(db) is None
    put(store, 1, 2)
    then = notification_store.newest_at(db)
    assert then is not None
    assert not notification_store.since(db, [HERE], [], then)
    (news,) = notification_store.since(db, [HERE], [], then - 0.001)
    assert (news.conversation_id, news.at, news.is_unread) == (HERE, then, True)
    assert not notification_store.since(db, ["L1#C2"], [], 0.0)


def test_unread_is_counted_for_me_and_nobody_up_to_a_bound(store: Store) -> None:
    raws = [raw_task(1), raw_task(2, assignedAgentIds=["me"]), raw_task(3, assignedAgentIds=["noa"])]
    store.write(lambda db: task_store.put(db, raws)).result()
    for number in (1, 2, 3):
        put(store, 1, conversation=ConversationId(f"L1#C{number}"))
    db = store.reading
    assert notification_store.unread_count(db, AgentId("me"), of_all=False, most=9) == 2
    assert notification_store.unread_count(db, None, of_all=False, most=9) == 1
    assert notification_store.unread_count(db, AgentId("no"), of_all=False, most=9) == 1
    assert notification_store.unread_count(db, AgentId("me"), of_all=True, most=9) == 3
    assert notification_store.unread_count(db, None, of_all=True, most=2) == 2


def test_one_of_two_screens_tells_and_none_after_a_restart(services: Services, store: Store, folder: Path) -> None:
    moments = {f"conversation {number}": 5.0 for number in range(40)}
    with Store(folder) as other, ThreadPoolExecutor() as pool:
        desks = [services, Services(other, services.store.profile)] * 3
        asked = [pool.submit(each.outbox.claim, moments) for each in desks]
        won = [future.result().result() for future in asked]
        assert sorted(len(each) for each in won) == [0, 0, 0, 0, 0, 40]
    with Store(folder) as again:
        assert not Services(again, services.store.profile).outbox.claim(moments).result()
        assert Services(again, services.store.profile).outbox.claim({"conversation 3": 6.0}).result() == {
            "conversation 3"
        }


def test_what_was_told_long_ago_is_forgotten(store: Store) -> None:
    now = time.time()
    store.write(lambda db: claim_notifications(db, {"conversation old": 1.0}, now - FORGET_SECONDS - 1)).result()
    store.write(lambda db: claim_notifications(db, {"conversation new": 2.0}, now)).result()
    assert list(queue.all_kept(store.reading, NOTIFIED)) == ["conversation new"]
