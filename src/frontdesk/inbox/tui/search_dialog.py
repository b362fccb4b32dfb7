"""A search over all that the store has, with its hits listed while one types."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from frontdesk.inbox import search as inbox_search
from frontdesk.inbox.search import Found, SearchScope
from frontdesk.inbox.view.highlights import hit_row
from frontdesk.storage import full_text
from frontdesk.storage.records import SearchHit
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog, Note, text_field
from frontdesk.tui.dialogs.filter_list import MOVES, ListModal
from frontdesk.tui.keymap import keys_line
from frontdesk.tui.widgets.row_list import RowList

TYPING_SECONDS = 0.12
"""How long typing rests before everything is searched."""

KINDS = tuple(SearchScope)
NOT_TYPED = (
    (span("All of the words have to be there, each as the beginning of one.", Role.DIM),),
    (span("Hebrew, Arabic, Chinese and accents are found however they are typed.", Role.DIM),),
)


@dataclass(frozen=True, slots=True)
class ChosenHit:
    """A chosen hit, and all the hits."""

    found: Found
    place: int


class SearchDialog(ListModal, Dialog[ChosenHit]):
    """A dialog that finds a hit; `n` and `N` go on from it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("tab", "kind(1)", "kind", priority=True),
        Binding("shift+tab", "kind(-1)", "kind", priority=True),
    ]
    DEFAULT_CSS = """
    SearchDialog {
        & > .dialog--box { width: 100; height: 90%; }
        & RowList { margin-top: 1; height: 1fr; }
    }
    """

    def __init__(self, app_context: AppContext, *, draft: str = "") -> None:
        super().__init__(
            trusted("Search everything"),
            keys=keys_line(("↑ ↓", "pick"), ("tab", "what"), ("enter", "open"), ("esc", "close")),
            draft=draft,
        )
        self._app_context = app_context
        self._kind = SearchScope.EVERYTHING
        self._found = Found("")
        self._hits: dict[str, SearchHit] = {}
        self._typing: Timer | None = None
        self._field = text_field("Words that were said, task titles, names, numbers")
        self._says = Note()
        self._rows = RowList(self._draw, row_height=2, empty=NOT_TYPED, always_active=True, more=self._more)
        self._rows.can_focus = False

    @property
    def found(self) -> Found:
        return self._found

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._says
        yield self._rows

    def on_mount(self) -> None:
        self.start_typing(self._field)
        # What was searched for last is there to be gone on with, and typing takes its place.
        self._field.selection = Selection(0, len(self._field.value))
        self._search()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, self._search)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._search()
        self._choose()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._choose()

    @on(RowList.Highlighted)
    @on(RowList.Marked)
    def _stop_message(self, event: RowList.Highlighted) -> None:
        event.stop()

    def action_kind(self, step: int) -> None:
        self._kind = KINDS[(KINDS.index(self._kind) + step) % len(KINDS)]
        self._search()

    def _search(self) -> None:
        """Search for what is typed, unless that is listed already."""
        if self._typing is not None:
            self._typing.stop()
            self._typing = None
        words = " ".join(self._field.value.split())
        if (words, self._kind) != (self._found.words, self._found.kind):
            self._list(inbox_search.find(self._app_context.store.reading, words, self._kind))
            if self._rows.keys:
                self._rows.move_to(self._rows.keys[0])
        self._update_note()

    def _list(self, found: Found) -> None:
        self._found = found
        self._hits = {_key(hit): hit for hit in found.hits}
        self._rows.set_empty(self._nothing() if found.words else NOT_TYPED)
        self._rows.set_keys([*self._hits], len(self._hits) + found.can_grow)
        self._rows.redraw()

    def _more(self, count: int | None) -> None:  # noqa: ARG002 - a page is as many as the last were together
        self._list(inbox_search.grown(self._app_context.store.reading, self._found))
        self._update_note()

    def _choose(self) -> None:
        if (at := self._rows.cursor_index) is not None:
            self.done(ChosenHit(self._found, at))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        return hit_row(self._hits[key], self._found.words, width, self._app_context.view())

    def _nothing(self) -> tuple[Line, ...]:
        loads = self._app_context.key("thread.older")
        return (
            (span("Nothing that is stored has all of these words.", Role.DIM),),
            (span(f"What was not loaded yet is not searched; in a thread {loads} loads older.", Role.DIM),),
        )

    def _update_note(self) -> None:
        """Show the counts, the kind that is searched, and what isn't indexed yet."""
        found = self._found
        parts = [span(f"{self._kind}", Role.ACCENT)]
        for kind in KINDS[1:]:
            count = len(found.of(kind))
            if count:
                name = kind if count > 1 else kind.removesuffix("s")
                parts.append(span(f" · {count:,}{'+' * (kind in found.more)} {name}", Role.DIM))
        if waiting := full_text.unindexed(self._app_context.store.reading):
            parts.append(span(f" · {waiting:,} not searched yet: they are being indexed", Role.WARN))
        self._says.set_line(tuple(parts))


def _key(hit: SearchHit) -> str:
    about = hit.task_id or (hit.key.message_id if hit.key is not None else "")
    return f"{hit.kind} {hit.conversation_id} {about}"
