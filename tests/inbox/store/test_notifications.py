"""What is news, read from the store, and told of by one screen alone."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from frontdesk.api.contract.ids import AgentId, ConversationId
from frontdesk.app.reader import Reader
from frontdesk.app.services import Services
from frontdesk.inbox.store import threads
from frontdesk.inbox.store.notifications import FORGET_SECONDS, TOLD, claim
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from sample_json import raw_message, raw_task

HERE = ConversationId("L1#C1")


def put(store: Store, *numbers: int, conversation: ConversationId = HERE) -> None:
    page = [raw_message(number) for number in reversed(numbers)]
    store.write(lambda db: threads.put_page(db, conversation, page, start=None, has_more=False, now=1.0)).result()


def test_only_what_came_after_the_moment_is_news(store: Store) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    reads = Reader(store.reading)
    assert reads.newest_message_at() is None
    put(store, 1, 2)
    then = reads.newest_message_at()
    assert then is not None
    assert not reads.news_since([HERE], [], then)
    (news,) = reads.news_since([HERE], [], then - 0.001)
    assert (news.conversation_id, news.at, news.is_unread) == (HERE, then, True)
    assert not reads.news_since(["L1#C2"], [], 0.0)


def test_unread_is_counted_for_me_and_nobody_up_to_a_bound(store: Store) -> None:
    raws = [raw_task(1), raw_task(2, assignedAgentIds=["me"]), raw_task(3, assignedAgentIds=["noa"])]
    store.write(lambda db: task_store.put(db, raws)).result()
    for number in (1, 2, 3):
        put(store, 1, conversation=ConversationId(f"L1#C{number}"))
    reads = Reader(store.reading)
    assert reads.unread_count(AgentId("me"), of_all=False, most=9) == 2
    assert reads.unread_count(None, of_all=False, most=9) == 1
    assert reads.unread_count(AgentId("no"), of_all=False, most=9) == 1
    assert reads.unread_count(AgentId("me"), of_all=True, most=9) == 3
    assert reads.unread_count(None, of_all=True, most=2) == 2


def test_one_of_two_screens_tells_and_none_after_a_restart(services: Services, store: Store, folder: Path) -> None:
    moments = {f"conversation {number}": 5.0 for number in range(40)}
    with Store(folder) as other, ThreadPoolExecutor() as pool:
        desks = [services, Services(other, services.profile)] * 3
        asked = [pool.submit(each.claim_news, moments) for each in desks]
        won = [future.result().result() for future in asked]
        assert sorted(len(each) for each in won) == [0, 0, 0, 0, 0, 40]
    with Store(folder) as again:
        assert not Services(again, services.profile).claim_news(moments).result()
        assert Services(again, services.profile).claim_news({"conversation 3": 6.0}).result() == {"conversation 3"}


def test_what_was_told_long_ago_is_forgotten(store: Store) -> None:
    now = time.time()
    store.write(lambda db: claim(db, {"conversation old": 1.0}, now - FORGET_SECONDS - 1)).result()
    store.write(lambda db: claim(db, {"conversation new": 2.0}, now)).result()
    assert list(queue.all_kept(store.reading, TOLD)) == ["conversation new"]
