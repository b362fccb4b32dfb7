"""A screen's process without a terminal: an engine beside it, a feed that is watched, and work on half of the
tasks until a line comes on standard input; it ends when that does. What it does and hears is told in
lines of JSON.

Started by `test_processes`; its arguments are the store's folder and which half is its own.
"""

import json
import os
import random
import sys
import threading
import time
import traceback
import zlib
from pathlib import Path

from frontdesk.config import settings
from frontdesk.engine.supervisor import EngineProcess
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import thread_pages
from frontdesk.outbox import queue
from frontdesk.storage import change_feed, clients
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, Event
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import StatusId
from services import Services

PAUSE_SECONDS = 0.4
STATUSES = (StatusId("open"), StatusId("standby"), StatusId("completed"))


def say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def heard(events: frozenset[Event]) -> None:
    now = time.time()
    say(heard=[event.id for event in events if event.kind == change_feed.CHANGE], at=now)


def work(services: Services, store: Store, half: int, resting: threading.Event) -> None:
    """Change a task, look at something else, read what a screen reads; again and again."""
    chance = random.Random(half)
    known = [
        task_id
        for status in task_store.counts_by_status(services.store.reading)
        for task_id in task_store.ids_of_status(services.store.reading, status)
    ]
    own = sorted(task_id for task_id in known if zlib.crc32(task_id.encode()) % 2 == half)
    conversations = conversation_store.ids(services.store.reading, ConversationOrder.WAITING)
    while not resting.wait(PAUSE_SECONDS):
        task_id, status = chance.choice(own), chance.choice(STATUSES)
        done = services.tasks.set_status([task_id], status).result()
        committed_at = time.time()
        if done.batch:
            ids = [change.change_id for change in queue.of_batch(store.reading, done.batch)]
            say(wrote=ids, task=task_id, status=status, at=committed_at)
        here = chance.choice(conversations)
        services.sync.report_focus(Focus("inbox", here, active_at=time.time()))
        thread_pages.page_before(services.store.reading, here, None, 50)
        conversation_store.ids(services.store.reading, ConversationOrder.ACTIVITY)
        services.inbox.mark_read(here)
        clients.health(services.store.reading)
        if chance.random() < 0.1:
            services.sync.request_refresh()


def listen(resting: threading.Event, ending: threading.Event) -> None:
    # Not through sys.stdin: its lock, held by a thread, makes Python abort when the process ends.
    while os.read(0, 100):
        resting.set()
    resting.set()
    ending.set()


def main() -> None:
    folder, half = Path(sys.argv[1]), int(sys.argv[2])
    profile = settings.resolve_profile(settings.load_config(), os.environ)
    engine = EngineProcess(folder, os.environ)
    resting, ending = threading.Event(), threading.Event()
    threading.Thread(target=listen, args=(resting, ending), daemon=True).start()
    watcher = FeedWatcher(folder, heard)
    watcher.start()
    engine.start()
    try:
        with Store(folder) as store:
            services = Services(store, profile)
            say(ready=half)
            work(services, store, half, resting)
            say(rests=half)
            ending.wait()
            services.sync.clear_focus()
    except Exception:
        say(error=traceback.format_exc())
    watcher.stop()
    engine.stop(20)


if __name__ == "__main__":
    main()
