"""The thread that makes lines of news lives on, whatever fails on it."""

import io
from datetime import UTC
from functools import partial
from pathlib import Path

import apsw

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.linear.console import Console
from frontdesk.linear.notifications import LinearNotifications
from frontdesk.storage import change_feed
from frontdesk_lines.display_text import trusted
from frontdesk_lines.glyphs import glyphs
from linear.running_session import NOW, PROFILE
from new_store import open_store

DEADLINE_SECONDS = 60.0


def test_a_store_that_cannot_be_read_while_the_engine_is_checked_ends_no_news(tmp_path: Path) -> None:
    ticks: list[int] = []

    def fail() -> None:
        ticks.append(len(ticks))
        raise apsw.IOError("disk I/O error")

    with open_store(tmp_path / "profile") as store:
        view = RenderContext(Catalogue(PROFILE), glyphs(True), NOW, UTC)
        news = LinearNotifications(
            store.folder,
            Console(io.StringIO(), io.StringIO()),
            lambda: view,
            lambda _: [lambda by_kind, _: [trusted(f"{each}!") for each in by_kind.get("test", ())]],
            fail,
        )
        news.start()
        said: list[str] = []
        try:
            for word in ("one", "two"):
                store.write(partial(change_feed.append, kind="test", ids=[word])).result()

                def is_said(word: str = word) -> bool:
                    said.extend(each.text for each in news.pop_lines())
                    return f"{word}!" in said

                assert news.wait(is_said, DEADLINE_SECONDS), word
        finally:
            news.stop()
    assert len(ticks) >= 2
