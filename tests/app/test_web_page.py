"""The key that opens the platform's own page, and the record that the inbox opens at."""

from concurrent.futures import Future
from dataclasses import replace

import pytest

from frontdesk.accounts.profile_switcher import StartTarget
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tui import web_page
from kit import At, running
from tui.hosts import until

pytestmark = pytest.mark.anyio

PAGES = {"conversation": "https://desk.example/{line}/{customer}", "task": "https://desk.example/t/{task}"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open; it takes them."""
    found: list[str] = []

    def open_link(_app: object, url: str, _environ: object) -> "Future[bool]":
        found.append(url)
        done: Future[bool] = Future()
        done.set_result(True)
        return done

    monkeypatch.setattr(web_page, "open_link", open_link)
    return found


def use_pages(at: At) -> None:
    store = at.app.app_context.store
    store.profile = replace(store.profile, web_url=PAGES)


async def says(at: At, words: str) -> None:
    await until(lambda: words in at.toasts)


async def test_the_page_of_the_conversation_and_of_the_card_is_opened_or_its_address_copied(
    store: Store, opened: list[str]
) -> None:
    async with running(store) as at:
        shown = at.inbox.list.cursor
        assert shown is not None
        ids = record_lookup.conversation_ids(store.reading, shown)
        await at.press("Z")
        await says(at, "set conversation in its web_url")
        assert opened == []
        use_pages(at)
        await at.press("Z")
        await until(lambda: opened)
        assert opened == [f"https://desk.example/{ids['line']}/{ids['customer']}".replace("+", "%2B")]
        await says(at, "Opened the conversation's page")
        over_ssh = at.app.app_context._replace(environ={"SSH_TTY": "/dev/pts/1", "TERM": "xterm"})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(at.inbox.record_actions, "_app_context", over_ssh)
            await at.press("Z")
            await says(at, "Copied https://desk.example/")
            await says(at, "over SSH, frontdesk can't open your browser")
        assert len(opened) == 1
        await at.press("2")
        await until(lambda: at.app.current_mode == "board" and at.board.is_ready)
        await at.press("Z")
        await until(lambda: len(opened) == 2)
        assert opened[1].startswith("https://desk.example/t/")


async def test_the_inbox_opens_at_a_conversation_or_task(store: Store) -> None:
    async with running(store) as at:
        keys = at.inbox.list.rows.keys
        wanted = next(each for each in keys if each != at.inbox.list.cursor)
        at.app._open_start_target(StartTarget("conversation", str(wanted), "2 more."))
        await until(lambda: at.inbox.list.cursor == wanted and at.inbox.thread.conversation_id == wanted)
        await says(at, "2 more.")
        at.app._open_start_target(StartTarget("task", "t2"))
        await until(lambda: at.app.current_mode == "board")
