"""NewsMarks: the rows of a screen that are new since the person's last look, until they are seen.

A row is seen once it was on the screen for `SEEN_SECONDS` while the person was there, once a check finds the
cursor on it, or once the key has led to it. News is read in the background, after events that may bring some.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

from textual.timer import Timer

from frontdesk.outbox import news
from frontdesk.outbox.news import News, NewsSource, Reader
from frontdesk.storage import change_feed
from frontdesk.storage.records import Event
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.futures import on_done
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.widgets.row_list import RowList

CHECK_SECONDS = 2.0
"""How often it is checked what is on the screen."""

SEEN_SECONDS = 10.0
REST_SECONDS, REST_SHARE = 2.0, 20
"""The least rest between two reads, which is at least so many times as long as a read took."""

LOOK_SECONDS = 600.0
"""How often it is kept that everything was seen, so that a read begins near to now."""

MAX_UNLISTED = 20
"""So many rows are looked for further down than the lists are read; a filter leaves out all of them."""


class NewsMarks:
    """The rows with news in the lists of a screen.

    Args:
        event_kind: of the change feed; news is read again after such an event.
        row_lists: those of the screen, the focused one first.
        changed: called when other rows have news.

    Attributes:
        unseen: the newest news of each row that shows its sign or isn't listed.
    """

    def __init__(
        self,
        screen: BaseScreen,
        source: NewsSource,
        event_kind: str,
        row_lists: Callable[[], Sequence[RowList]],
        changed: Callable[[], object],
    ) -> None:
        self._screen, self._source, self._event_kind = screen, source, event_kind
        self._row_lists, self._changed = row_lists, changed
        self._store = screen.app_context.store
        self.unseen: Mapping[str, News] = {}
        self._seen: dict[str, News] = {}
        """What was seen in this run: it may not be written yet. Signs stay until the next check."""
        self._shown: dict[str, float] = {}
        """For how many seconds each of these rows has been on the screen."""
        self._is_stale = False
        self._rest: Timer | None = None
        self._is_reading = False
        self._looked_at = 0.0

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self.unseen)

    def start(self) -> None:
        self._look(())
        self._read_soon()
        self._screen.set_interval(CHECK_SECONDS, self.check)

    def apply_events(self, events: frozenset[Event]) -> None:
        if change_feed.EVERYTHING in events or any(event.kind == self._event_kind for event in events):
            self._read_soon()

    def check(self) -> None:
        """Count for how long rows were on the screen, and keep those that were there long enough as seen."""
        if not (self.unseen and self._screen.is_current and self._screen.app_context.is_attended()):
            return
        lists = [each for each in self._row_lists() if each.region.overlaps(self._screen.region)]
        there = {key for each in lists for key in each.keys_on_screen if key in self.unseen}
        cursors = {each.cursor_key for each in lists if each.has_focus}
        self._shown = {key: self._shown.get(key, 0.0) + CHECK_SECONDS for key in there}
        seen = [key for key, seconds in self._shown.items() if key in cursors or seconds >= SEEN_SECONDS]
        self._keep_seen([key for key in seen if self._is_new(key)])
        self._show({key: each for key, each in self.unseen.items() if self._is_new(key)})

    def show_next(self) -> None:
        """Move to the next row with news: in the focused list, then in the others, then to rows further down."""
        new = dict.fromkeys(key for key in self.unseen if self._is_new(key))
        focused, *others = self._row_lists()
        after = 0 if focused.cursor_index is None else focused.cursor_index + 1
        keys = (*focused.keys[after:], *(key for each in others for key in each.keys), *focused.keys[:after])
        listed = dict.fromkeys(key for key in keys if key in new)
        for key in (*listed, *[key for key in new if key not in listed][:MAX_UNLISTED]):
            if self._screen.record_actions.show_record(key):
                self._keep_seen([key])
                words, left = show_line(self.unseen[key].words, 160).text, len(new) - 1
                more = f" · {left:,} more new" if left else ""
                notify(self._screen.app, trusted(f"{words[:1].upper()}{words[1:]}{more}"), timeout_seconds=3)
                return
        notify(self._screen.app, trusted("Nothing else is new since your last look."), timeout_seconds=2)

    def _is_new(self, key: str) -> bool:
        return self._seen.get(key) != self.unseen[key]

    def _keep_seen(self, keys: Sequence[str]) -> None:
        if keys:
            self._seen |= {key: self.unseen[key] for key in keys}
            self._look(keys)

    def _look(self, keys: Sequence[str]) -> None:
        self._looked_at = time.monotonic()
        self._store.write_unawaited(partial(news.look, reader=self._reader(), rows=keys))

    def _reader(self) -> Reader:
        return Reader(self._source, self._store.catalogue.me, self._screen.app_context.clock())

    def _read_soon(self) -> None:
        """Read news now, or after the read or the rest that is under way."""
        self._is_stale = True
        if self._is_reading or self._rest is not None:
            return
        self._is_reading, self._is_stale = True, False
        began = time.monotonic()

        def done(found: "Future[dict[str, News]]") -> None:
            self._is_reading = False
            rest = max(REST_SECONDS, REST_SHARE * (time.monotonic() - began))
            self._rest = self._screen.set_timer(rest, self._end_rest)
            if found.cancelled() or found.exception() is not None:
                return
            there = found.result()
            if not there and began - self._looked_at > LOOK_SECONDS:
                self._look(())
            # What was seen stays away, even if that isn't written yet; or until its sign goes.
            seen, shown = self._seen, self.unseen
            self._show(
                {key: each for key, each in there.items() if each in (shown.get(key),) or each != seen.get(key)}
            )

        job = partial(news.unseen, reader=self._reader())
        on_done(self._screen.app, self._store.read_in_background(job), done)

    def _end_rest(self) -> None:
        self._rest = None
        if self._is_stale:
            self._read_soon()

    def _show(self, unseen: Mapping[str, News]) -> None:
        before, self.unseen = self.unseen, unseen
        if unseen.keys() != before.keys():
            for each in self._row_lists():
                each.set_new(self.keys)
            self._changed()
