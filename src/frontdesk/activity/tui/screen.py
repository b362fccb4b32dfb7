"""The Activity screen: every action and its state, newest first, then items that couldn't be read."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.activity.targets import ChangeTarget, find_target
from frontdesk.activity.tui.undo_action import undo_changes
from frontdesk.activity.view import (
    HEIGHT,
    MAX_LISTED,
    MAX_NAMED,
    Entry,
    about,
    about_bulk,
    about_invalid_item,
    can_undo,
    droppable_changes,
    group_changes,
    invalid_item_row,
    member_row,
    row,
)
from frontdesk.config.facts import Fact, lines
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.change_view import LABEL_CELLS, ChangeView, ChangeViews, conflicting_texts
from frontdesk.outbox.labels import inline_label
from frontdesk.storage import change_feed
from frontdesk.storage import invalid_items as invalid_item_store
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeKind, Event, InvalidItem, RecordRef
from frontdesk.tui.base_screen import BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.status_bar import ScreenState
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList


class EntryActions:
    """The actions on the changes under the cursor."""

    def __init__(self, screen: BaseScreen, app_context: AppContext) -> None:
        self._screen, self._app_context = screen, app_context

    def retry(self, changes: Sequence[Change]) -> None:
        """Send a change again, or the undecided ones of several."""
        outbox = self._app_context.outbox
        if len(changes) == 1:
            self._report(outbox.retry(changes[0].change_id), f"Resending: {self.describe(changes)}")
            return
        undecided = [each for each in changes if each.state in NEEDS_PERSON]
        if not undecided:
            self._warn("None of these changes needs a decision.")
            return
        words = f"Resending {counted(len(undecided), 'change')}: {self._label(changes)}"
        self._report(outbox.retry_all([each.change_id for each in undecided]), words)

    def drop(self, changes: Sequence[Change]) -> None:
        """Discard a change; of several, the unsent and undecided ones, once that is confirmed."""
        if len(changes) == 1:
            words = f"Discarded: {self.describe(changes)}"
            self._report(self._app_context.outbox.drop(changes[0].change_id), words)
            return
        found = droppable_changes(changes)
        if not found:
            self._warn("All of these changes were sent, so there's nothing to discard.")
            return
        from frontdesk.tui.dialogs.base import on_answer
        from frontdesk.tui.dialogs.confirm import ConfirmDialog

        count = counted(len(found), "change")
        dialog = ConfirmDialog(
            trusted(f"Discard · {self._label(changes)}"),
            trusted(f"Discard {count} of {len(changes):,}? Their values stay as they are on the platform."),
            yes=trusted(f"Discard {count}"),
        )

        def discard(_: object) -> None:
            dropping = [self._app_context.outbox.drop(each.change_id) for each in found]
            self._report(dropping[-1], f"Discarded {count}: {self._label(changes)}")

        self._screen.app.push_screen(dialog, on_answer(discard))

    def undo(self, changes: Sequence[Change]) -> None:
        undo_changes(self._screen.app, self._app_context, [each.change_id for each in changes])

    def describe(self, changes: Sequence[Change]) -> str:
        """Return the changes in a sentence: "Status Completed on "Late delivery" for Dana Levi"."""
        target = find_target(self._app_context.store.reading, changes[0])
        label = self._label(changes).removesuffix(f" {target.who.text}")
        if len(changes) > 1:
            return f"{label} on {target.who.text} and {len(changes) - 1:,} more"
        named = f"{target.what.text} for {target.who.text}" if target.what.text else target.who.text
        return f"{label} on {named if target.conversation_id else target.who.text}"

    def _label(self, changes: Sequence[Change]) -> str:
        return inline_label(show_line(changes[0].label, 60).text)

    def _report(self, future: "Future[Any]", words: str) -> None:
        on_done(self._screen.app, future, lambda done: self._show_outcome(done.exception(), words))

    def _show_outcome(self, error: BaseException | None, words: str) -> None:
        if error is None:
            notify(self._screen.app, trusted(words), timeout_seconds=3)
        else:
            said = str(error)
            notify(self._screen.app, show_line(said[:1].upper() + said[1:]), severity="warning")

    def _warn(self, words: str) -> None:
        notify(self._screen.app, trusted(words), severity="warning")


ConflictDialogs = Mapping[ChangeKind, Callable[[BaseScreen, Change], None]]
RecordMacro = Callable[[BaseScreen, Sequence[Change]], None]
_WORDS_WHEN_EMPTY = ("No changes yet.", "Each change you make appears here with its state.")


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
        conflict_dialogs: ConflictDialogs,
        record_macro: RecordMacro = lambda _screen, _changes: None,
    ):
        """Prepare the screen; `conflict_dialogs` ask for a decision on both sides of a conflict, by kind."""
        super().__init__(app_context)
        self._record_macro = record_macro
        self._views, self.conflict_dialogs = views, conflict_dialogs
        self._entries: dict[str, Entry] = {}
        self._members: dict[str, Change] = {}
        """The changes of the entries that are listed in full, by the keys of their rows."""
        self._open_entries: set[str] = set()
        self.invalid_items: dict[str, InvalidItem] = {}
        self._differences: dict[tuple[int, int], SafeText] = {}
        """Results of difference jobs, by change and how often it was sent."""
        self._is_counting = False
        self._is_under_dialog = False
        self._actions = EntryActions(self, app_context)
        self.record_actions = ActivityRecordActions(self, self._actions)
        self.facts = LineBox(self._fact_lines)
        empty = tuple((span(each, Role.DIM),) for each in _WORDS_WHEN_EMPTY)
        self.rows = RowList(self._draw, row_height=HEIGHT, empty=empty, can_mark=False)

    def compose_body(self) -> ComposeResult:
        self._list = Pane(self.rows, title=trusted("Activity"), id="changes")
        with Container(classes="body"):
            yield self._list
            yield Pane(self.facts, title=trusted("Details"), id="change")

    def on_mount(self) -> None:
        self._read_again()
        self.rows.action_cursor_first()

    def on_screen_suspend(self) -> None:
        self._is_under_dialog = self.app.screen is not self and self in self.app.screen_stack

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        super().on_screen_resume(event)
        was_under_dialog, self._is_under_dialog = self._is_under_dialog, False
        # What is picked in a dialog is done on the row that was seen below it, and who comes back from a record
        # goes on with the next row.
        if not was_under_dialog and not self.is_returned_to:
            self._open_entries.clear()
            self._read_again()
            self.rows.action_cursor_first()
        self.is_returned_to = False

    def home(self) -> Widget:
        return self.rows

    def state(self) -> ScreenState:
        changes = self.changes
        if self.change is not None and conflicting_texts(self.change):
            pane = "texts"
        elif any(each.state in NEEDS_PERSON for each in changes):
            pane = "undecided"
        elif droppable_changes(changes):
            pane = "unsent"
        else:
            pane = "done" if can_undo(changes) else "over"
        return ScreenState(pane, rows=self.rows)

    def show_changes(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or kinds & {change_feed.CHANGE, change_feed.BROKEN}:
            self._read_again()
            self.rows.redraw()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.facts.redraw()
        self._count_differences()
        self.status_bar.update_hints()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        entry, change = self.entry, self.change
        if entry is not None and change is None:
            self._open_entries ^= {entry.key}
            self._read_again()
            self.rows.redraw()
        elif change is None or (not self.open_conflict() and not self._open_record(change)):
            self.action_details()

    def action_record_macro(self) -> None:
        if self.changes:
            self._record_macro(self, self.changes)

    def action_details(self) -> None:
        self.record_actions.show_lines(trusted("Change"), self._fact_lines)

    def action_next_undecided(self) -> None:
        """Move the cursor to the next entry that needs a decision, from the last one to the first."""
        keys = [key for key in self.rows.keys if any(each.state in NEEDS_PERSON for each in self._changes_of(key))]
        if not keys:
            notify(self.app, trusted("No change needs a decision."), timeout_seconds=2)
            return
        here = self.rows.cursor_index
        later = [key for key in keys if here is not None and self.rows.keys.index(key) > here]
        self.rows.move_to((later or keys)[0])

    def action_retry(self) -> None:
        if self.accept_cursor() and not self.open_conflict():
            self._actions.retry(self.changes)

    def action_drop(self) -> None:
        if self.accept_cursor():
            self._actions.drop(self.changes)

    def open_conflict(self) -> bool:
        """Open the dialog of a change that needs a review; return whether it does."""
        change = self.change
        if change is None or not self.view_of(change).needs_review(change):
            return False
        self.conflict_dialogs[change.kind](self, change)
        return True

    def _open_record(self, change: Change) -> bool:
        """Show the conversation, task, campaign or workflow of a change; False where no screen shows it."""
        conversation_id = find_target(self.app_context.store.reading, change).conversation_id
        if conversation_id is not None:
            self.post_message(BaseScreen.ConversationRequested(conversation_id))
            return True
        if change.kind.about in ("task", "campaign", "workflow"):
            self.post_message(BaseScreen.RecordRequested(change.kind.about, change.target))
            return True
        return False

    def accept_cursor(self) -> bool:
        """Return whether a person has seen the changes under the cursor; else report why keys don't work."""
        if not self.changes:
            is_broken = self.rows.cursor_key in self.invalid_items
            words = (
                "This item couldn't be parsed, so there's nothing to resend, discard or undo."
                if is_broken
                else "No change is selected."
            )
        elif why := self.rows.why_displaced():
            self.rows.accept_cursor()
            here = self._actions.describe(self.changes)
            words = f"The list {why}; the cursor is now on {here}. Press the key again."
        else:
            return True
        notify(self.app, trusted(words), severity="warning")
        return False

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
    def entry(self) -> Entry | None:
        """The entry under the cursor; None on one target of a bulk change."""
        return self._entries.get(self.rows.cursor_key or "")

    @property
    def change(self) -> Change | None:
        """The only change under the cursor; None on a bulk change."""
        entry = self.entry
        return self._members.get(self.rows.cursor_key or "") if entry is None else entry.only

    @property
    def changes(self) -> tuple[Change, ...]:
        return self._changes_of(self.rows.cursor_key or "")

    def _changes_of(self, key: str) -> tuple[Change, ...]:
        if (member := self._members.get(key)) is not None:
            return (member,)
        entry = self._entries.get(key)
        return () if entry is None else entry.changes

    def _read_again(self) -> None:
        db = self.app_context.store.reading
        entries = group_changes(outbox_queue.recent(db))
        self._entries = {each.key: each for each in entries}
        self.invalid_items = {
            f"{each.kind}/{each.place}": each for each in invalid_item_store.all_invalid_items(db)
        }
        self._members = {}
        keys: list[str] = []
        for entry in entries:
            keys.append(entry.key)
            if entry.only is None and entry.key in self._open_entries:
                members = {f"{entry.key}/{each.target}": each for each in entry.changes}
                self._members |= members
                keys += members
        self.rows.set_keys([*keys, *self.invalid_items])
        unsent, undecided = outbox_bulk.unconfirmed_count(db), outbox_bulk.undecided_count(db)
        following = self.app_context.key("change.next")
        counts = [span(f" · {outbox_bulk.describe_undecided(undecided)} ({following} next)", Role.BAD)] * bool(
            undecided
        )
        counts += [span(f" · {unsent} unconfirmed", Role.PENDING)] * bool(unsent)
        counts = counts or [span(" · everything sent", Role.DIM)]
        counts += [span(f" · {len(self.invalid_items)} unreadable", Role.WARN)] * bool(self.invalid_items)
        self._list.set_title((span("Activity"), *counts))
        self.facts.redraw()
        if self.is_ready:
            self._count_differences()
            self.status_bar.update_hints()

    def _target(self, change: Change) -> ChangeTarget:
        return find_target(self.app_context.store.reading, change)

    def view_of(self, change: Change) -> ChangeView:
        return self._views[change.kind]

    def _fact_lines(self, width: int) -> tuple[Line, ...]:
        invalid, entry, change = self.invalid_items.get(self.rows.cursor_key or ""), self.entry, self.change
        view = self.app_context.view()
        told: Iterable[Fact] = ()
        if invalid is not None:
            told = about_invalid_item(invalid)
        elif change is not None:
            differences = self._differences.get((change.change_id, change.sends), NOTHING)
            told = about(change, self.view_of(change), self._target(change), view, differences)
        elif entry is not None:
            targets = {each.change_id: self._target(each) for each in entry.changes[:MAX_LISTED]}
            told = about_bulk(entry, self._views, targets, view)
        return lines(told, width, view, LABEL_CELLS)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        view = self.app_context.view()
        if key in self.invalid_items:
            return invalid_item_row(self.invalid_items[key], width, view)
        if (member := self._members.get(key)) is not None:
            return member_row(member, self.view_of(member), self._target(member), width, view)
        entry = self._entries.get(key)
        if entry is None:
            return ()
        return row(entry, self._views, [self._target(each) for each in entry.changes[:MAX_NAMED]], width, view)


class ActivityRecordActions(RecordActions):
    """Record actions on the change, or the invalid item, under the cursor."""

    def __init__(self, screen: ActivityScreen, entry_actions: EntryActions) -> None:
        super().__init__(screen, screen.app_context)
        self._activity, self._entry_actions = screen, entry_actions

    def undo_selected(self) -> bool:
        if self._activity.accept_cursor():
            self._entry_actions.undo(self._activity.changes)
        return True

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

    def merge_texts(self) -> None:
        """Edit both versions of a text into one, or compare those of a change that is reviewed whole."""
        if not self._activity.accept_cursor() or self._activity.open_conflict():
            return
        change = self._activity.change
        if change is None or not conflicting_texts(change):
            words = "No text is in conflict here, so there's nothing to merge."
            notify(self._activity.app, trusted(words), severity="warning")
        else:
            self._activity.conflict_dialogs[change.kind](self._activity, change)

    def selected(self) -> list[RecordRef]:
        return [RecordRef("change", str(each.change_id)) for each in self._activity.changes]

    @property
    def _invalid_item(self) -> InvalidItem | None:
        return self._activity.invalid_items.get(self._activity.rows.cursor_key or "")


def _parsed(raw: str) -> object:
    """Return the item as JSON, or its text where only a part was kept."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw
