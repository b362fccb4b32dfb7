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

from frontdesk.api.contract.ids import StatusId
from frontdesk.app.services import Services
from frontdesk.config import settings
from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import FeedWatcher
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, Event
from frontdesk.sync.process import EngineProcess

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
    known = [task_id for status in services.queries.task_counts() for task_id in services.queries.task_ids(status)]
    own = sorted(task_id for task_id in known if zlib.crc32(task_id.encode()) % 2 == half)
    conversations = services.queries.conversation_ids(ConversationOrder.WAITING)
    while not resting.wait(PAUSE_SECONDS):
        task_id, status = chance.choice(own), chance.choice(STATUSES)
        done = services.set_status([task_id], status).result()
        committed_at = time.time()
        if done.batch:
            ids = [change.change_id for change in queue.of_batch(store.reading, done.batch)]
            say(wrote=ids, task=task_id, status=status, at=committed_at)
        here = chance.choice(conversations)
        services.look(Focus("inbox", here, active_at=time.time()))
        services.queries.messages_before(here, None, 50)
        services.queries.conversation_ids(ConversationOrder.ACTIVITY)
        services.mark_read(here)
        services.queries.health()
        if chance.random() < 0.1:
            services.ask_refresh()


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
            services.look_away()
    except Exception:
        say(error=traceback.format_exc())
    watcher.stop()
    engine.stop(20)


if __name__ == "__main__":
    main()
