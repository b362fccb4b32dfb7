"""A store of the size that the speed targets name, made of the large sandbox.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.large FOLDER [SIZE]

Makes FOLDER/sandbox (a sandbox's data) and FOLDER/profile (the store of somebody who has loaded all of
it), where they aren't there yet. It takes some ten minutes; the other benchmarks read both. SIZE
is another size of the sandbox: small takes seconds.
"""

import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import threads
from frontdesk.storage import full_text
from frontdesk.storage.database import Store
from frontdesk.storage.records import Json, MessagePosition
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId
from frontdesk_sandbox.fixtures import ACCOUNT
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import open_world


class Fetched(NamedTuple):
    """A page of a thread as the platform would have answered it."""

    conversation: ConversationId
    messages: list[Json]
    start: MessagePosition | None
    has_more: bool


PAGE = 100
PAGES_AT_ONCE = 50


def make(folder: Path, size: str = "large") -> None:
    """Both, where they are missing."""
    data, profile = folder / "sandbox", folder / "profile"
    if not data.exists():
        began = time.monotonic()
        open_world(SandboxOptions(data=data, size=size, crowd=False)).close()
        print(f"sandbox: {time.monotonic() - began:.0f} s", flush=True)
    if not profile.exists():
        began = time.monotonic()
        _fill(data, profile)
        print(f"store: {time.monotonic() - began:.0f} s", flush=True)


def _fill(data: Path, profile: Path) -> None:
    (file,) = data.glob("*.db")
    db = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    with Store(profile, syncs=True) as store:
        raws = [json.loads(row[0]) for row in db.execute("SELECT json FROM tasks WHERE account = ?", (ACCOUNT,))]
        for at in range(0, len(raws), 1000):
            store.write(partial(task_store.put, tasks=raws[at : at + 1000])).result()
        waiting: list[Fetched] = []
        now = time.time()

        def put(job: apsw.Connection) -> None:
            for page in waiting:
                threads.put_page(job, page[0], page[1], start=page.start, has_more=page.has_more, now=now)

        for each in _pages(db):
            waiting.append(each)
            if len(waiting) == PAGES_AT_ONCE:
                store.write(put).result()
                waiting.clear()
        store.write(put).result()
        while store.write(lambda job: full_text.index_batch(job, 20_000)).result():
            pass


def _pages(db: apsw.Connection) -> Iterator[Fetched]:
    found = db.execute(
        "SELECT line, customer, json FROM messages WHERE account = ?"
        " ORDER BY line, customer, created_at DESC, message_id DESC",
        (ACCOUNT,),
    )
    for (line, customer), rows in groupby(found, key=lambda row: row[:2]):
        raws = [json.loads(row[2]) for row in rows]
        conversation = ConversationId(str(raws[0].get("participantsIdentifiers") or f"{line}#{customer}"))
        for at in range(0, len(raws), PAGE):
            start = threads.position_of(raws[at - 1]) if at else None
            yield Fetched(conversation, raws[at : at + PAGE], start, has_more=at + PAGE < len(raws))


if __name__ == "__main__":
    make(Path(sys.argv[1]), *sys.argv[2:])
