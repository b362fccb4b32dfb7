"""The contents of a screen's status line: connection, marks, bulk action, outbox, and hints at keys."""

from collections.abc import Callable
from typing import NamedTuple

from textual.widget import Widget
from textual.widgets import Input

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox.bulk import describe_progress
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.invalid_items import unreadable_on
from frontdesk.sync import status_view
from frontdesk.sync.freshness import view_health
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.text.privacy import is_private
from frontdesk.tui.context import AppContext
from frontdesk.tui.hints import NamedTarget, hints
from frontdesk.tui.widgets.line_bar import StatusLine
from frontdesk.tui.widgets.row_list import RowList
from frontdesk.tui.widgets.thread_view import ThreadView


class ScreenState(NamedTuple):
    """What a screen shows at this moment.

    Attributes:
        pane: the focused pane, as `hints` names it; empty for the context of its widget.
        typing: the activity while an input has the focus: `typing` or `searching`.
        rows: the list whose emptiness changes the hints.
        hidden_marks: how many marked rows a filter or a view leaves out.
        was_read: False where the view was never read and so has no age.
        readable_thread: the conversation whose thread can be read on the screen; empty for none.
    """

    pane: str = ""
    typing: str = "typing"
    rows: RowList | None = None
    is_filtered: bool = False
    marked: int = 0
    hidden_marks: int = 0
    was_read: bool = True
    readable_thread: str = ""

    def activity(self, focused: Widget | None) -> str:
        """Return the key of `hints` for this state: typing, marks, an empty list, or the focused pane."""
        if isinstance(focused, Input):
            return self.typing
        if self.marked:
            return "marks"
        if self.rows is not None and focused is self.rows and not self.rows.keys:
            return "filtered" if self.is_filtered else "empty"
        return self.pane or widget_context(focused)


def widget_context(focused: Widget | None) -> str:
    """Return the keymap's context of the focused widget."""
    return "thread" if isinstance(focused, ThreadView) else "list"


class RunTracker:
    """The bulk action that is being sent, as it was read last.

    Attributes:
        batch: its batch; empty where none runs.
    """

    def __init__(self, app_context: AppContext, stop_key: Callable[[], str]) -> None:
        self._app_context, self._stop_key = app_context, stop_key
        self.batch = ""
        self.progress: Line = EMPTY

    def update(self) -> str:
        """Read the progress and return the batch that ended since; empty where none did."""
        store = self._app_context.store
        run = outbox_bulk.oldest_running(store.reading, self._app_context.clock())
        ended, self.batch = self.batch, "" if run is None else run.batch
        self.progress = EMPTY
        if run is not None:
            limit = outbox_bulk.present_limits(store).start
            self.progress = describe_progress(run, limit, stops=self._stop_key())
        return ended if ended != self.batch else ""

    def forget(self) -> None:
        """Forget the batch, so that its end isn't reported."""
        self.batch = ""


class StatusBar:
    """Keeps a status line up to date; the line paints only the words that differ.

    Attributes:
        on_run_end: called with a batch that is confirmed on all rows.
        name_target: returns the task that keys work on where the hints have to name it.
    """

    def __init__(
        self,
        app_context: AppContext,
        key_context: str,
        state: Callable[[], ScreenState],
        focused: Callable[[], Widget | None],
        *,
        shown: Callable[[], Focus] = Focus,
        has_marks: bool = False,
    ) -> None:
        self._app_context, self._key_context = app_context, key_context
        self._shown = shown
        self._state, self._focused = state, focused
        # Held, not queried: while the app exits a screen outlives its widgets.
        self.line = StatusLine()
        can_stop = key_context in app_context.keymap["bulk.stop"].contexts
        self.run = RunTracker(app_context, lambda: app_context.key("bulk.stop") if can_stop else "")
        self.on_run_end: Callable[[str], None] = lambda _: None
        self.name_target: Callable[[], NamedTarget | None] = lambda: None
        self._has_marks = has_marks

    def update(self) -> None:
        db, view = self._app_context.store.reading, self._app_context.view()
        state, health = self._state(), view_health(clients.shown_health(self._app_context.store), self._shown())
        now = (health if state.was_read else health._replace(fresh_at=None), view)
        parts: list[Line] = [tuple(status_view.words(*now)), _marked_words(state)]
        added = [part(view) for part in self._app_context.status_parts]
        parts += [part.line for part in added]
        ended, progress = self.run.update(), self.run.progress
        if ended:
            self.on_run_end(ended)
        if progress:
            parts.append(progress)
        unsent, undecided = outbox_bulk.unconfirmed_count(db), outbox_bulk.undecided_count(db)
        if self._app_context.store.settings.read_only:
            parts.insert(1, (span(outbox_bulk.describe_read_only(unsent), Role.WARN),))
        elif unsent and not progress:
            parts.append((span(f"{view.glyphs.pending} {unsent} to send", Role.PENDING),))
        unreadable, activity = unreadable_on(db, self._key_context), self._app_context.key("go.activity")
        compact = {part.line: part.compact for part in added}
        if unreadable:
            words = "item unreadable, see" if unreadable == "1" else "items unreadable, see"
            parts.insert(1, (span(f"{unreadable} {words} {activity}", Role.WARN),))
            compact[parts[1]] = (span(f"{unreadable} unreadable ({activity})", Role.WARN),)
        if is_private():
            parts.insert(1, (span("privacy on", Role.WARN),))
        if undecided:
            parts.append(
                (
                    span(
                        f"{view.glyphs.warning} {outbox_bulk.describe_undecided(undecided)} ({activity})", Role.BAD
                    ),
                )
            )
        self.update_hints()
        self.line.set_left(
            *parts,
            shorter=[tuple(status_view.short_words(*now)), tuple(status_view.shortest_words(*now))],
            compact=compact,
        )

    def update_hints(self) -> None:
        state, focused, context = self._state(), self._focused(), self._key_context
        app_context = self._app_context
        health = status_view.current_health(clients.shown_health(app_context.store), app_context.view()).state
        contexts = (context, widget_context(focused)) if self._has_marks else (context,)
        found = hints(app_context.keymap, context, state.activity(focused), contexts, health, self.name_target())
        self.line.set_right(*found)


def _marked_words(state: ScreenState) -> Line:
    listed = f", {state.hidden_marks:,} not listed" if state.hidden_marks else ""
    return (span(f"{state.marked:,} marked{listed}", Role.WARN),) if state.marked else EMPTY
