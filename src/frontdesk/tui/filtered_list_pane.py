"""FilteredListPane, a list sorted and filtered here, and TypeToFilterPane, its filter line alone."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic

from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from frontdesk.config.facts import RecordKind, RecordT
from frontdesk.storage import change_feed, clients
from frontdesk.storage.records import Event
from frontdesk.sync import status_view
from frontdesk.tui.context import AppContext
from frontdesk_lines.content import prefill
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import EMPTY, Line, Role, span
from frontdesk_lines.textual_compat.text_input import Field
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

REST_SECONDS = 0.12
"""Delay of the filter after the last key."""

MAX_FAULT_LENGTH = 400
"""Characters of what can't be used of a text; more is cut."""


class TypeToFilterPane(Pane):
    """A pane with an input that appears above `rows`: a filter, or a search."""

    DEFAULT_CSS = """
    TypeToFilterPane > Input {
        display: none;
        height: 1;
        border: none;
        padding: 0 1;
        background: $panel;
    }
    TypeToFilterPane.-typing > Input { display: block; }
    TypeToFilterPane > #filter-note { display: none; height: auto; padding: 0 1; background: $panel; }
    TypeToFilterPane.-typing > #filter-note.-shown { display: block; }
    """
    placeholder: ClassVar[str] = ""
    how_to_clear: ClassVar[str] = "clear the filter"
    """What the key does that leads back, said below a kept text; empty where the pane says so itself."""
    rows: RowList
    _app_context: AppContext

    def __init__(self, id: str, typed: str = "") -> None:
        super().__init__(id=id)
        self.typed = typed
        self._typing: Timer | None = None
        # Created on first use: most runs type nothing.
        self._field: Input | None = None
        self._note: Note | None = None
        self._faults: tuple[str, ...] = ()
        if typed:
            self.add_class("-typing", update=False)

    @abstractmethod
    def apply_typed(self, typed: str) -> None:
        """Filter or search by the typed text; empty ends it."""

    def compose(self) -> ComposeResult:
        if self.typed:
            yield self._make_field(self.typed)
            yield self._make_note()
        yield self.rows

    def begin_typing(self) -> None:
        # At once, unlike `focus`: the keys typed behind this one would be the list's.
        self.screen.set_focus(self._show_field())

    def type_again(self, typed: str) -> None:
        """Show the input with an earlier text, without moving the focus."""
        prefill(self._show_field(), typed)
        self._apply()

    def end_typing(self) -> bool:
        """Clear and hide the input; False where it is hidden."""
        if not self.has_class("-typing"):
            return False
        if self._field is not None:
            self._field.value = ""
        self._apply()
        self._hide()
        return True

    def show_faults(self, faults: Sequence[str]) -> None:
        """Show in full what can't be used of the typed text."""
        self._faults = tuple(faults)
        self._update_note()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._stop()
        self._typing = self.set_timer(REST_SECONDS, self._apply)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._apply()
        if self._faults:
            return  # the text has to be corrected first, or cleared
        if self.typed:
            self.screen.set_focus(self.rows)
        else:
            self._hide()

    def _show_field(self) -> Input:
        self.add_class("-typing")
        if (field := self._field) is None:
            field = self._make_field()
            self.mount(field, self._make_note(), before=self.rows)
        return field

    def _hide(self) -> None:
        had_focus = self._field is not None and self._field.has_focus
        self.remove_class("-typing")
        if had_focus:
            self.screen.set_focus(self.rows)

    def _make_field(self, value: str = "") -> Input:
        self._field = Field(placeholder=self.placeholder, compact=True)
        prefill(self._field, value)
        self._field.cursor_blink = False  # an idle screen sends no byte
        return self._field

    def _make_note(self) -> Note:
        self._note = Note(id="filter-note")
        self._update_note()
        return self._note

    def _note_line(self) -> Line:
        if self._faults:
            return (span(show_line(". ".join(self._faults), MAX_FAULT_LENGTH), Role.WARN),)
        if not self.typed or not self.how_to_clear:
            return EMPTY
        words = f" unmark, then {self.how_to_clear}" if self.rows.marks else f" {self.how_to_clear}"
        return (span(self._app_context.key("go.back"), Role.ACCENT), span(words, Role.DIM))

    def _update_note(self) -> None:
        if self._note is not None:
            self._note.set_line(self._note_line())
            self._note.set_class(bool(self._note.line), "-shown")

    def _stop(self) -> None:
        if self._typing is not None:
            self._typing.stop()
            self._typing = None

    def _apply(self) -> None:
        self._stop()
        typed = "" if self._field is None else self._field.value.strip()
        if typed != self.typed:
            self.typed = typed
            self.apply_typed(typed)
            self._update_note()


def hand_on(pane: Pane, event: RowList.Highlighted) -> None:
    """Hand a message of a pane's list on: Textual ends it at the parent that caused it, as a filter does."""
    event.stop()
    if pane.parent is not None:
        pane.parent.post_message(RowList.Highlighted(event.view, event.key))


class FilteredListPane(TypeToFilterPane, Generic[RecordT]):
    """The records of a kind, as rows keyed by id."""

    row_height: ClassVar[int] = 1

    class ListChanged(Message):
        """The person chose another order or filter, which the next run restores."""

    def __init__(
        self, app_context: AppContext, id: str, kind: RecordKind[RecordT], order: object, filtered_by: object
    ) -> None:
        """Show all records until a filter is typed; `order` and `filtered_by` are those of an earlier run."""
        super().__init__(id, str(filtered_by or ""))
        self._app_context, self.kind = app_context, kind
        self.order = order if isinstance(order, str) and order in kind.orders else next(iter(kind.orders))
        self._cursor_before: str | None = None
        """The cursor before a filter was typed."""
        self.listing: Any = None
        self._records: dict[str, RecordT] = {}
        self.rows = RowList(self._draw, row_height=self.row_height, can_mark=False)

    def on_mount(self) -> None:
        self.read_again()

    @property
    def selected(self) -> RecordT | None:
        return self.record(self.rows.cursor_key)

    @property
    def records(self) -> Sequence[RecordT]:
        return tuple(self._records.values())

    def record(self, key: str | None) -> RecordT | None:
        return self._records.get(key or "")

    @property
    def was_read(self) -> bool:
        return self.listing is not None and self.listing.read_at is not None

    @property
    def is_known(self) -> bool:
        """Whether there is anything whose age can be shown."""
        return self.was_read or bool(self._records)

    def read_changed_keys(self) -> Sequence[str]:
        """Read the list, and return the ids of the rows that changed."""
        before, self.listing = self._records, self.kind.read(self._app_context.store.reading)
        self._records = {self.kind.key(each): each for each in self.listing.records}
        return [key for key, record in self._records.items() if before.get(key) != record]

    def _listed_keys(self, cursor: str | None) -> Sequence[str]:
        """Return the sorted ids that pass the filter, and `cursor` in any case."""
        found = self.kind.matching(self._records.values(), self.typed)
        kept = self.record(cursor)
        if kept is not None and kept not in found:
            found.append(kept)
        return [self.kind.key(each) for each in self.kind.in_order(found, self.order)]

    def heading(self, shown: int) -> Line:
        """Return the title, with how many are shown."""
        known = len(self._records)
        count = f"{known:,}" if shown == known else f"{shown:,} of {known:,}"
        return span(self.kind.plural), span(f" · {count}", Role.DIM)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self.record(key)
        return () if record is None else self.draw_row(key, record, width)

    @abstractmethod
    def draw_row(self, key: str, record: RecordT, width: int) -> tuple[Line, ...]:
        """Draw a record as a row."""

    @abstractmethod
    def is_affected_by(self, events: frozenset[Event]) -> bool:
        """Return whether an event may change the list."""

    def store_changed(self, events: frozenset[Event]) -> None:
        if change_feed.EVERYTHING in events or self.is_affected_by(events):
            self.read_again()
        elif not self.rows.keys and any(event.kind == change_feed.HEALTH for event in events):
            self.show_rows()

    def read_again(self) -> None:
        others = self.read_changed_keys()
        self.show_rows()
        self.rows.refresh_keys(others)

    def next_order(self) -> None:
        orders = [*self.kind.orders]
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.show_rows()
        self.post_message(self.ListChanged())

    def begin_typing(self) -> None:
        if not self.typed:
            self._cursor_before = self.rows.cursor_key
        super().begin_typing()

    def apply_typed(self, typed: str) -> None:
        here = self.rows.cursor_key
        self.show_rows(filter_changed=True)
        if typed and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        elif not typed and here is None and self._cursor_before is not None:
            # The filter matched nothing.
            self.rows.move_to(self._cursor_before)
        self.post_message(self.ListChanged())

    def show_rows(self, *, filter_changed: bool = False) -> None:
        """Show the sorted rows; the cursor's row stays without a match unless the person changed the filter."""
        keys = self._listed_keys(None if filter_changed else self.rows.cursor_key)
        self.rows.set_empty(self._why_empty())
        self.rows.set_keys(keys)
        unread = (span(self.kind.plural), span(" · not loaded yet", Role.DIM))  # without a count: it isn't empty
        self.set_title(self.heading(len(keys)) if self.was_read or keys else unread)
        self.set_subtitle((span(f"by {self.order}", Role.DIM),))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        hand_on(self, event)

    def _why_empty(self) -> tuple[Line, ...]:
        if self.typed and self._records:
            words: tuple[str, ...] = (
                f"No {self.kind.name} matches",
                f"“{show_line(self.typed, 40).text}”.",
                f"Press {self._app_context.key('go.back')} to clear the filter.",
            )
        elif not self.was_read:
            words = status_view.before_first(
                clients.health(self._app_context.store.reading), self._app_context.view()
            )
        else:
            words = (
                f"The account has no {self.kind.name}s.",
                f"Press {self._app_context.key('view.refresh')} to check again.",
            )
        return tuple((span(each, Role.DIM),) for each in words)
