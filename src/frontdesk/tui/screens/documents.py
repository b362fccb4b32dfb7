"""A list of documents and the facts of one: what the workflow and AI agent screens share."""

from abc import abstractmethod
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.present import connection
from frontdesk.present.lines import Line, Role, span
from frontdesk.store import feed
from frontdesk.store.records import DocumentRecord, Event
from frontdesk.text import own
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.room import Room
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.widgets.line_box import LineBox
from frontdesk.tui.widgets.pane import Pane
from frontdesk.tui.widgets.row_list import RowList


class DocumentsScreen(DeskScreen):
    """A screen over one kind of documents."""

    kind = ""
    heading = ""
    nothing = ""
    """What is said where all was read and there is none."""

    CSS = """
    DocumentsScreen #documents { width: 1fr; }
    DocumentsScreen #document { width: 1fr; }
    """

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__(room, keymap)
        self._records: dict[str, DocumentRecord] = {}
        self.facts = LineBox(self._fact_lines)
        self.rows = RowList(self._draw, row_height=2, empty=self._why_empty())

    @abstractmethod
    def read(self) -> Sequence[DocumentRecord]:
        """The documents in the store."""

    @abstractmethod
    def row(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        """A document as two lines."""

    @abstractmethod
    def detail(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        """What is known of a document."""

    def compose_body(self) -> ComposeResult:
        self._list = Pane(self.rows, title=own(self.heading), id="documents")
        with Container(classes="body"):
            yield self._list
            yield Pane(self.facts, title=own("Detail"), id="document")

    def on_mount(self) -> None:
        self._read_again()

    def home(self) -> Widget:
        return self.rows

    def raw_record(self) -> tuple[str, object] | None:
        record = self._records.get(self.rows.cursor_key or "")
        return None if record is None else (self.heading, record.raw)

    def copied_id(self) -> str | None:
        return self.rows.cursor_key

    def show_changes(self, events: frozenset[Event]) -> None:
        is_first = not self._records and any(event.kind == feed.HEALTH for event in events)
        if is_first or feed.EVERYTHING in events or Event(feed.DOCUMENT, self.kind) in events:
            self._read_again()
            self.rows.redraw()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.facts.redraw()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.read_all(own(self.heading), self._fact_lines)

    def _read_again(self) -> None:
        self.rows.set_empty(self._why_empty())
        self._records = {each.document_id: each for each in self.read()}
        self.rows.set_keys(list(self._records))
        count = span(f" · {len(self._records)}", Role.DIM)
        self._list.set_title((span(self.heading), count))
        self.facts.redraw()

    def _why_empty(self) -> tuple[Line, ...]:
        health = self.room.desk.reads.health()
        if health.fresh_at is None:
            words = connection.before_first(health, self.room.view())
        else:
            words = (self.nothing, f"{self.room.key('view.refresh')} looks again.")
        return tuple((span(each, Role.DIM),) for each in words)

    def _fact_lines(self, width: int) -> tuple[Line, ...]:
        record = self._records.get(self.rows.cursor_key or "")
        return () if record is None else self.detail(record, width)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        return () if record is None else self.row(record, width)
