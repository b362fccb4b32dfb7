"""The Activity screen: every change and its state, then items that couldn't be read."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.activity.actions import inline_label
from frontdesk.activity.view import HEIGHT, facts, invalid_item_lines, invalid_item_row, row
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.change_view import ChangeView, ChangeViews
from frontdesk.storage import change_feed
from frontdesk.storage import invalid_items as invalid_item_store
from frontdesk.storage.record_lookup import STANDALONE, change_target
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeKind, ChangeState, Event, InvalidItem
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.base_screen import BaseScreen, RecordActions
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.status_bar import ScreenState
from frontdesk.tui.widgets.line_page import LineBox
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList

_FINISHED = (ChangeState.SENDING, ChangeState.CONFIRMED, ChangeState.UNDONE, ChangeState.DROPPED)
"""What is neither given up nor sent again."""


class ActivityScreen(BaseScreen):
    """The Activity screen, mode 6."""

    key_context = "activity"
    CSS = """
    ActivityScreen #changes { width: 3fr; }
    ActivityScreen #change { width: 2fr; }
    ActivityScreen.-narrow > .body { layout: vertical; }
    ActivityScreen.-narrow #changes { width: 1fr; }
    ActivityScreen.-narrow #change { width: 1fr; height: 14; max-height: 64%; }
    """

    def __init__(
        self,
        app_context: AppContext,
        views: ChangeViews,
        conflict_dialogs: Mapping[ChangeKind, Callable[[BaseScreen, Change], None]],
    ):
        """Prepare the screen; `conflict_dialogs` ask for a decision on conflicts that need a review, by kind."""
        super().__init__(app_context)
        self._views, self._conflict_dialogs = views, conflict_dialogs
        self._changes: dict[str, Change] = {}
        self.invalid_items: dict[str, InvalidItem] = {}
        self._differences: dict[tuple[int, int], SafeText] = {}
        """Results of difference jobs, by change and how often it was sent."""
        self._is_counting = False
        self._is_under_dialog = False
        self.record_actions = ActivityRecordActions(self)
        self.facts = LineBox(self._fact_lines)
        words = ("No changes yet.", "Each change you make appears here with its state.")
        self.rows = RowList(self._draw, row_height=HEIGHT, empty=tuple((span(each, Role.DIM),) for each in words))

    def compose_body(self) -> ComposeResult:
        self._list = Pane(self.rows, title=trusted("Activity"), id="changes")
        with Container(classes="body"):
            yield self._list
            yield Pane(self.facts, title=trusted("Details"), id="change")

    def on_mount(self) -> None:
        self._read_again()
        self._focus_undecided()

    def on_screen_suspend(self) -> None:
        self._is_under_dialog = self.app.screen is not self and self in self.app.screen_stack

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        super().on_screen_resume(event)
        was_under_dialog, self._is_under_dialog = self._is_under_dialog, False
        # What is picked in a dialog is done on the row that was seen below it.
        if not was_under_dialog:
            self._focus_undecided()

    def home(self) -> Widget:
        return self.rows

    def state(self) -> ScreenState:
        change = self.change
        if change is None or change.state in _FINISHED:
            pane = "over"
        else:
            pane = "undecided" if change.state in NEEDS_PERSON else "unsent"
        return ScreenState(pane, rows=self.rows)

    def show_changes(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or kinds & {change_feed.CHANGE, change_feed.BROKEN}:
            self._read_again()
            if change_feed.EVERYTHING in events or change_feed.BROKEN in kinds:
                self.rows.redraw()
            else:
                self.rows.refresh_keys(event.id for event in events if event.kind == change_feed.CHANGE)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.facts.redraw()
        self._count_differences()
        self.status_bar.update_hints()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if not self._open_conflict():
            self.record_actions.show_lines(trusted("Change"), self._fact_lines)

    def action_retry(self) -> None:
        if (change := self._selected()) is not None and not self._open_conflict():
            retrying, words = (
                self.app_context.outbox.retry(change.change_id),
                f"Resending: {self._describe(change)}",
            )
            on_done(self.app, retrying, lambda done: self._report(done.exception(), words))

    def _open_conflict(self) -> bool:
        """Open the dialog of a change that needs a review; return whether it does."""
        change = self.change
        if change is None or not self.view_of(change).needs_review(change):
            return False
        self._conflict_dialogs[change.kind](self, change)
        return True

    def action_drop(self) -> None:
        if (change := self._selected()) is not None:
            dropping, words = (
                self.app_context.outbox.drop(change.change_id),
                f"Discarded: {self._describe(change)}",
            )
            on_done(self.app, dropping, lambda done: self._report(done.exception(), words))

    def _selected(self) -> Change | None:
        """Return the change under the cursor; without one, report why."""
        change = self.change
        if change is None:
            is_broken = self.rows.cursor_key in self.invalid_items
            words = (
                "This item couldn't be read, so there's nothing to resend or discard."
                if is_broken
                else "No change is selected."
            )
            notify(self.app, trusted(words), severity="warning")
        elif self.rows.displaced_key is not None:
            self.rows.accept_cursor()
            words = f"The list changed; the cursor is now on {self._describe(change)}. Press the key again."
            notify(self.app, trusted(words), severity="warning")
            return None
        return change

    def _describe(self, change: Change) -> str:
        return f"{inline_label(show_line(change.label, 60).text)} on {self._target(change).text}"

    def _report(self, error: BaseException | None, words: str) -> None:
        if error is not None:
            words = str(error)
            notify(self.app, show_line(words[:1].upper() + words[1:]), severity="warning")
        else:
            notify(self.app, trusted(words), timeout_seconds=3)

    def _count_differences(self) -> None:
        """Count the differences of the change under the cursor on a thread: its payload may be megabytes."""
        change = self.change
        if change is None or self._is_counting:
            return
        # Once it is sent it is compared with the version that it was sent over.
        key = (change.change_id, change.sends)
        job = self.view_of(change).difference_job(change)
        if job is None or key in self._differences:
            return

        def done(settled: "Future[SafeText]") -> None:
            self._is_counting = False
            failed = settled.cancelled() or settled.exception() is not None
            self._differences[key] = NOTHING if failed else settled.result()
            self.facts.redraw()
            self._count_differences()

        self._is_counting = True
        on_done(self.app, self.app_context.store.read_in_background(job), done)

    @property
    def change(self) -> Change | None:
        return self._changes.get(self.rows.cursor_key or "")

    def _read_again(self) -> None:
        db = self.app_context.store.reading
        self._changes = {str(each.change_id): each for each in outbox_queue.recent(db)}
        self.invalid_items = {
            f"{each.kind}/{each.place}": each for each in invalid_item_store.all_invalid_items(db)
        }
        self.rows.set_keys([*self._changes, *self.invalid_items])
        unsent, undecided = outbox_bulk.unconfirmed_count(db), outbox_bulk.undecided_count(db)
        counts = [f"{undecided} undecided"] * bool(undecided) + [f"{unsent} unconfirmed"] * bool(unsent)
        counts = counts or ["everything sent"]
        counts += [f"{len(self.invalid_items)} unreadable"] * bool(self.invalid_items)
        words = f" · {' · '.join(counts)}"
        role = Role.BAD if undecided else Role.DIM
        self._list.set_title((span("Activity"), span(words, role)))
        self.facts.redraw()
        if self.is_ready:
            self._count_differences()
            self.status_bar.update_hints()

    def _focus_undecided(self) -> None:
        """Move the cursor to an undecided change, and scroll there; one under the cursor keeps it."""
        waiting = [key for key, change in self._changes.items() if change.state in NEEDS_PERSON]
        if waiting:
            here = self.rows.cursor_key
            self.rows.move_to(here if here in waiting else waiting[0])

    def _target(self, change: Change) -> SafeText:
        if change.kind.about in STANDALONE:
            return show_line(change.target, 80)
        return change_target(self.app_context.store.reading, change)

    def view_of(self, change: Change) -> ChangeView:
        return self._views[change.kind]

    def _fact_lines(self, width: int) -> tuple[Line, ...]:
        invalid, change = self.invalid_items.get(self.rows.cursor_key or ""), self.change
        if invalid is not None:
            return invalid_item_lines(invalid, width)
        if change is None:
            return ()
        differences = self._differences.get((change.change_id, change.sends), NOTHING)
        change_view, target = self.view_of(change), self._target(change)
        return facts(change, change_view, target, width, self.app_context.view(), differences)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        if key in self.invalid_items:
            return invalid_item_row(self.invalid_items[key], width, self.app_context.view())
        change = self._changes.get(key)
        if change is None:
            return ()
        return row(change, self.view_of(change), self._target(change), width, self.app_context.view())


class ActivityRecordActions(RecordActions):
    """Record actions on the change, or the invalid item, under the cursor."""

    def __init__(self, screen: ActivityScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._activity = screen

    def raw(self) -> tuple[str, object] | None:
        invalid, change = self._invalid_item, self._activity.change
        if invalid is not None:
            return f"Unreadable: {show_line(invalid.kind, 20).text}", _parsed(invalid.raw)
        if change is None:
            return None
        return self._activity.view_of(change).raw_record(change, self._app_context.store.reading)

    def copied_id(self) -> str | None:
        if (invalid := self._invalid_item) is not None:
            return invalid.place
        return None if (change := self._activity.change) is None else change.target

    @property
    def _invalid_item(self) -> InvalidItem | None:
        return self._activity.invalid_items.get(self._activity.rows.cursor_key or "")


def _parsed(raw: str) -> object:
    """Return the item as JSON, or its text where only a part was kept."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw
