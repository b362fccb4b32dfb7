"""What a person sees when the disk takes nothing any more: why, what was not done, and no crash."""

import apsw
import pytest

from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from kit import At, running
from tui.hosts import quiet, until
from tui.screen_text import shown_toasts

pytestmark = pytest.mark.anyio


def set_pages(store: Store, spare: int) -> None:
    """Let both files grow by so many pages and no more, as a full disk does."""

    def limit(db: object) -> None:
        for name in ("main", "outbox"):
            now = store.reading.execute(f"PRAGMA {name}.page_count").fetchone()[0]
            db.execute(f"PRAGMA {name}.max_page_count = {now + spare}")  # type: ignore[attr-defined]

    store.write(limit).result()


def writer_of(store: Store) -> apsw.Connection:
    """The connection that writes, to have it refuse as a disk does that was mounted anew after an error."""
    found: list[apsw.Connection] = []
    store.write(found.append).result()
    return found[0]


def told(at: At, words: str) -> list[str]:
    return [each for each in shown_toasts(at.app) if words in each]


async def test_a_deed_that_the_disk_refuses_is_said_and_the_screen_lives_on(store: Store) -> None:
    async with running(store) as at:
        writer = writer_of(store)
        writer.execute("PRAGMA query_only = 1")
        await at.press("c")
        await until(lambda: told(at, "Nothing was done: the store in"))
        assert queue.unsent(store.reading) == []
        assert isinstance(at.app.current_screen, InboxScreen)
        assert not at.app.app_context.store.can_write()
        writer.execute("PRAGMA query_only = 0")
        await at.press("c")
        await until(lambda: len(queue.unsent(store.reading)) == 1)
        assert at.app.app_context.store.can_write()
        await quiet(at.app)


async def test_what_nobody_waits_for_is_refused_aloud_once(store: Store) -> None:
    async with running(store) as at:
        fill_both_files(store)
        for _ in range(3):
            at.services.outbox.save_view_state("inbox", "x" * 20_000)
        await until(lambda: told(at, "Couldn't save: the disk is full"))
        store.write(lambda db: None).result()
        await quiet(at.app)
        assert len(told(at, "Couldn't save")) == 1


def fill_both_files(store: Store) -> None:
    """Use up what room the pages in use have left."""
    set_pages(store, 0)
    for size in (2_000, 500, 100, 20):
        for number in range(200):
            row = (f"fill-{size}-{number}", "x" * size)
            sql = "INSERT INTO outbox.kept VALUES ('ballast', ?, ?, 1.0)"
            if store.write(lambda db, row=row, sql=sql: db.execute(sql, row).fetchall()).exception():
                break
