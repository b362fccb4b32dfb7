"""MentionNotices: a toast for each note that mentions the reader or hands over to them, and their count.

The count stays in the status line until the conversations are opened. A claim in the store shows each toast once,
by one screen, also for what came while the program was closed.
"""

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import App
from textual.timer import Timer

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store import notes
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view.note import author_of
from frontdesk.outbox.commands import FORGET_SECONDS
from frontdesk.storage import change_feed
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import Event
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.context import AppContext, StatusPart
from frontdesk.tui.futures import show_once
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, capitalized, counted, cut, show_line, trusted
from frontdesk_lines.lines import EMPTY, Role, span

GATHER_SECONDS = 0.3
"""How long events are gathered: notes come in bursts."""

MAX_TOASTS = 2
"""More notes than this at once are told of in one toast."""

TOAST_SECONDS = 15.0
MAX_NAMED, NAME_CELLS, TEXT_CELLS = 3, 30, 80


def toast_words(note: TeamNote, customer: SafeText, view: RenderContext) -> SafeText:
    """Return who wants what: "Dan handed over Maya Cohen: call her back"."""
    author, said = author_of(note, view), show_line(" ".join(note.text.split()), TEXT_CELLS)
    who, about = capitalized(author.text), cut(customer.text, NAME_CELLS)
    does = f"mentions you in {about}" if note.hand_over_to is None else f"handed over {about}"
    return SafeText(f"{who} {does}: {said.text}", author.was_sanitized or said.was_sanitized)


def summary_words(found: Sequence[TeamNote], customers: Sequence[SafeText], key: str) -> SafeText:
    """Return one sentence for many notes: their number, the first customers, and the key that opens them."""
    named = list(dict.fromkeys(cut(each.text, NAME_CELLS) for each in customers))
    who = ", ".join(named[:MAX_NAMED]) + (" …" if len(named) > MAX_NAMED else "")
    return trusted(f"{_count_words(found)}: {who}. Press {key} to open them.")


def status_part(found: Sequence[TeamNote], view: RenderContext) -> StatusPart:
    if not found:
        return StatusPart(EMPTY, EMPTY)
    opens = (span(f" {view.key('find.mention', '@')}", Role.ACCENT), span(" open", Role.DIM))
    return StatusPart(
        (span(_count_words(found), Role.BADGE), *opens),
        (span(f"{len(found)} for you", Role.BADGE), opens[0]),
    )


def _count_words(found: Sequence[TeamNote]) -> str:
    handed = sum(1 for each in found if each.hand_over_to is not None)
    parts = [f"{handed} handed to you"] if handed else []
    if mentions := len(found) - handed:
        parts.append(counted(mentions, "mention"))
    return ", ".join(parts)


class MentionNotices:
    """The notes for the reader that they haven't seen.

    Attributes:
        waiting: these notes, oldest first.
    """

    def __init__(self, app: App[Any], app_context: AppContext, changed: Callable[[], object]):
        self._app, self._app_context, self._changed = app, app_context, changed
        self.waiting: Sequence[TeamNote] = ()
        self._is_started = False
        self._gathering: Timer | None = None

    def start(self) -> None:
        """Show what came while the program was closed."""
        self._is_started = True
        self._refresh()

    def apply_events(self, events: frozenset[Event]) -> None:
        if not self._is_started or self._gathering is not None:
            return
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.NOTES for event in events):
            self._gathering = self._app.set_timer(GATHER_SECONDS, self._refresh)

    def status_part(self, view: RenderContext) -> StatusPart:
        return status_part(self.waiting, view)

    @property
    def _db(self) -> ReadConnection:
        return self._app_context.store.reading

    def _refresh(self) -> None:
        self._gathering = None
        store = self._app_context.store
        before = self.waiting
        self.waiting = notes.unseen(self._db, store.catalogue.me) if store.profile.team is not None else ()
        # What is older was claimed before, and the claim is deleted by now.
        oldest = self._app_context.clock() - FORGET_SECONDS
        new = [each for each in self.waiting if each not in before and each.arrived_at > oldest]
        by_name = {f"mention {each.note_id}": (each.arrived_at, each) for each in new}
        show_once(self._app, self._app_context.outbox, by_name, self._show)
        if self.waiting != before:
            self._changed()

    def _show(self, new: Sequence[TeamNote]) -> None:
        customers = [conversation_name(self._db, each.conversation_id) for each in new]
        if len(new) > MAX_TOASTS:
            words = [summary_words(new, customers, self._app_context.key("find.mention"))]
        else:
            view = self._app_context.view()
            words = [toast_words(note, name, view) for note, name in zip(new, customers, strict=True)]
        for each in words:
            notify(self._app, each, timeout_seconds=TOAST_SECONDS)
