"""ListedPane: what the platform lists and keeps no order of, sorted here and filtered as one types.

Workflows and AI agents are such; each says what it knows, and how a row of it looks.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Generic, TypeVar

from textual.message import Message

from frontdesk.storage import change_feed, clients
from frontdesk.storage.records import Event
from frontdesk.sync import status_view
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.panes.type_to_filter_pane import TypingPane
from frontdesk.tui.widgets.row_list import RowList

OrderT = TypeVar("OrderT", bound=StrEnum)


class ListedPane(TypingPane, Generic[OrderT]):
    """Rows keyed by id; it says which one the cursor is on and which one was opened."""

    thing: ClassVar[str] = ""
    """What a row is, as it is called on the screen."""
    name_of_all: ClassVar[str] = ""
    """What the list is called."""
    row_height: ClassVar[int] = 1

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row, or on none."""

        key: str | None

        def can_replace(self, message: Message) -> bool:
            """Only the last place of a moving cursor matters."""
            return isinstance(message, ListedPane.Highlighted)

    @dataclass
    class Opened(Message):
        """A row was chosen with enter."""

        key: str

    @dataclass
    class ListChanged(Message):
        """The person chose another order or filter, which should outlast this run."""

    def __init__(self, app_context: AppContext, id: str, order: OrderT, filtered_by: str) -> None:
        """A list that is read when it is mounted."""
        super().__init__(id, filtered_by)
        self._app_context = app_context
        self.order = order
        self._stood_on: str | None = None
        """Where the cursor was before a filter was typed."""
        self.rows = RowList(self.draw, row_height=self.row_height, can_mark=False)

    def on_mount(self) -> None:
        self.read_again()

    @property
    @abstractmethod
    def known(self) -> int:
        """How many are listed, whatever the filter."""

    @property
    @abstractmethod
    def was_read(self) -> bool:
        """Whether the list was ever read."""

    @abstractmethod
    def differing(self) -> Sequence[str]:
        """Read the list, and answer with the ids of those that are other than before."""

    @abstractmethod
    def wanted(self, here: str | None) -> Sequence[str]:
        """The ids in their order that the filter lets through, and `here`, whether it does or not."""

    @abstractmethod
    def heading(self, shown: int) -> Line:
        """The title, with how many are shown."""

    @abstractmethod
    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The lines of a row; none of what isn't listed any more."""

    @abstractmethod
    def is_about(self, events: frozenset[Event]) -> bool:
        """Whether the list may be another now."""

    def store_changed(self, events: frozenset[Event]) -> None:
        """Show what differs, and nothing else."""
        if change_feed.EVERYTHING in events or self.is_about(events):
            self.read_again()
        elif not self.rows.keys and any(event.kind == change_feed.HEALTH for event in events):
            self.show_rows()

    def read_again(self) -> None:
        """Read the list, and show it."""
        others = self.differing()
        self.show_rows()
        self.rows.refresh_keys(others)

    def sort(self, order: OrderT) -> None:
        """Sort by something else; the cursor stays where it is."""
        self.order = order
        self.show_rows()
        self.post_message(self.ListChanged())

    def begin_typing(self) -> None:
        if not self.typed:
            self._stood_on = self.rows.cursor_key
        super().begin_typing()

    def take(self, typed: str) -> None:
        here = self.rows.cursor_key
        self.show_rows(anew=True)
        if typed and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        elif not typed and here is None and self._stood_on is not None:
            # What finds nothing has led nowhere.
            self.rows.move_to(self._stood_on)
        self.post_message(self.ListChanged())

    def show_rows(self, *, anew: bool = False) -> None:
        """The rows in their order. What the cursor is on stays, although the filter may want it no more:
        what comes by itself never takes it away.

        Args:
            anew: a person has just typed another filter.
        """
        keys = self.wanted(None if anew else self.rows.cursor_key)
        self.rows.set_empty(self._why_empty())
        self.rows.set_keys(keys)
        self.set_title(self.heading(len(keys)) if self.was_read or keys else self._unread_heading())
        self.set_subtitle((span(f"by {self.order}", Role.DIM),))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(event.key))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Opened(event.key))

    def _unread_heading(self) -> Line:
        """No count: nothing is known is not the same as none."""
        return (span(self.name_of_all), span(" · not read yet", Role.DIM))

    def _why_empty(self) -> tuple[Line, ...]:
        if self.typed and self.known:
            words: tuple[str, ...] = (
                f"No {self.thing} matches",
                f"“{show_line(self.typed, 40).text}”.",
                f"{self._app_context.key('go.back')} takes the filter off",
            )
        elif not self.was_read:
            words = status_view.before_first(
                clients.health(self._app_context.store.reading), self._app_context.view()
            )
        else:
            words = (f"The account has no {self.thing}.", f"{self._app_context.key('view.refresh')} looks again.")
        return tuple((span(each, Role.DIM),) for each in words)
