"""Dialogs that find a conversation (by a search, by name, by two ids), show a message or open its links."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.inbox import search as inbox_search
from frontdesk.inbox.customer_lookup import NotOneCustomer, Pair, pair
from frontdesk.inbox.search import SearchResults, SearchScope
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view import message, message_parts
from frontdesk.inbox.view.highlights import hit_row
from frontdesk.inbox.view.message import MessageEntry
from frontdesk.inbox.view.note import full_note_lines
from frontdesk.inbox.view.parties import Parties
from frontdesk.storage import full_text
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.records import Json, SearchHit
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.context import AppContext
from frontdesk.tui.desktop import OVER_SSH, is_remote, open_link
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog, on_answer, text_field
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.digit_choice import DigitDialog
from frontdesk.tui.dialogs.filter_list import MOVES, FilterDialog, ListModal
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

TYPING_SECONDS = 0.12
"""How long typing rests before everything is searched."""

_ADDRESS_SECONDS = 20.0
"""How long an address is shown that has to be typed elsewhere."""

KINDS = tuple(SearchScope)
NOT_TYPED = (
    (span("All words must match; each can be the start of a longer one.", Role.DIM),),
    (span("Accents, Hebrew points and Arabic vowel marks are ignored.", Role.DIM),),
)


@dataclass(frozen=True, slots=True)
class ChosenHit:
    """A chosen hit, and all the hits."""

    results: SearchResults
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
            keys=keys_line(("↑ ↓", "pick"), ("tab", "type"), ("enter", "open"), ("esc", "close")),
            draft=draft,
        )
        self._app_context = app_context
        self._kind = SearchScope.EVERYTHING
        self._results = SearchResults("")
        self._hits: dict[str, SearchHit] = {}
        self._typing: Timer | None = None
        self._field = text_field("Message text, task text, names, numbers")
        self._says = Note()
        self._rows = RowList(self._draw, row_height=2, empty=NOT_TYPED, always_active=True, more=self._more)
        self._rows.can_focus = False

    @property
    def results(self) -> SearchResults:
        return self._results

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._says
        yield self._rows

    def on_mount(self) -> None:
        self.start_typing(self._field)
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

    def action_kind(self, step: int) -> None:
        self._kind = KINDS[(KINDS.index(self._kind) + step) % len(KINDS)]
        self._search()

    def _search(self) -> None:
        """Search for what is typed, unless that is listed already."""
        if self._typing is not None:
            self._typing.stop()
            self._typing = None
        words = " ".join(self._field.value.split())
        if (words, self._kind) != (self._results.words, self._results.kind):
            self._list(inbox_search.find(self._app_context.store.reading, words, self._kind))
            if self._rows.keys:
                self._rows.move_to(self._rows.keys[0])
        self._update_note()

    def _list(self, results: SearchResults) -> None:
        self._results = results
        self._hits = {_key(hit): hit for hit in results.hits}
        self._rows.set_empty(self._nothing() if results.words else NOT_TYPED)
        self._rows.set_keys([*self._hits], len(self._hits) + results.can_grow)
        self._rows.redraw()

    def _more(self, count: int | None) -> None:  # noqa: ARG002 - a page is as many as the last were together
        self._list(inbox_search.find_more(self._app_context.store.reading, self._results))
        self._update_note()

    def _choose(self) -> None:
        if (at := self._rows.cursor_index) is not None:
            self.done(ChosenHit(self._results, at))

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        return hit_row(self._hits[key], self._results.words, width, self._app_context.view())

    def _nothing(self) -> tuple[Line, ...]:
        loads = self._app_context.key("thread.older")
        return (
            (span("No match among the loaded messages, tasks and customers.", Role.DIM),),
            (
                span(
                    f"Only loaded messages are searched. In a thread, press {loads} to load older ones.", Role.DIM
                ),
            ),
        )

    def _update_note(self) -> None:
        results = self._results
        parts = [span(f"{self._kind}", Role.ACCENT)]
        for kind in KINDS[1:]:
            count = len(results.of(kind))
            if count:
                name = kind if count > 1 else kind.removesuffix("s")
                parts.append(span(f" · {count:,}{'+' * (kind in results.more)} {name}", Role.DIM))
        if waiting := full_text.unindexed(self._app_context.store.reading):
            parts.append(span(f" · still indexing {counted(waiting, 'item')}", Role.WARN))
        if share := read_coverage(self._app_context.store.reading).words(of_threads=True):
            parts.append(span(f" · {share}", Role.DIM))
        self._says.set_line(tuple(parts))


def _key(hit: SearchHit) -> str:
    about = hit.task_id or (hit.key.message_id if hit.key is not None else "")
    return f"{hit.kind} {hit.conversation_id} {about}"


NO_LINES = "No lines loaded yet. Type the line's id, a space and the customer's id."

NOTHING_TYPED = "Type the customer's number or id first."


class OpenPairDialog(FilterDialog[Pair]):
    """A dialog for a line and a customer that no task names."""

    DEFAULT_CSS = "OpenPairDialog Note { margin-top: 1; height: auto; min-height: 1; }"
    keys = keys_line(("↑ ↓", "line"), ("enter", "open"), ("esc", "close"))
    placeholder = "Customer: +972 52-123-4567, 052 1234567, or an id"
    empty = NO_LINES

    def __init__(
        self,
        lines: Mapping[LineId, SafeText],
        find: Callable[[str, LineId], CustomerId | None],
        *,
        line_id: LineId | None = None,
        draft: str = "",
    ) -> None:
        """Prepare the dialog.

        Args:
            find: looks up who a number without its country is.
        """
        super().__init__(trusted("Open a conversation"), draft=draft)
        self._lines, self._find = dict(lines), find
        self._first, self._fault = line_id, ""
        self._note = Note()

    def compose_body(self) -> Iterable[Widget]:
        yield from super().compose_body()
        yield self._note

    def on_mount(self) -> None:
        self.list_keys([*self._lines])
        if self._first is not None:
            self._rows.move_to(self._first)

    @property
    def pair(self) -> Pair | None:
        picked, self._fault = self._rows.cursor_key, ""
        try:
            return pair(self.typed, self._lines, None if picked is None else LineId(picked), self._find)
        except NotOneCustomer as error:
            self._fault = f"{error}."
            return None

    def matches(self, typed: str) -> list[str]:  # noqa: ARG002 - lines are picked, not searched
        """Return all lines: what is typed is the customer."""
        return [*self._lines]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        name = self._lines[LineId(key)]
        suffix = () if name.text == key else (Span(show_line(key, 30), Role.DIM),)
        return (fit((span("  "), Span(name, Role.STRONG)), width, suffix),)

    def accept(self) -> None:
        wanted = self.pair
        if wanted is not None and wanted.line_id is not None:
            self.done(wanted)
        elif not self.typed:
            self._show_note(NOTHING_TYPED, Role.WARN)
        else:
            not_one = self._fault or "Not an id or a number with its calling code."
            self._show_note(not_one if wanted is None else NO_LINES, Role.BAD)

    def action_move(self, rows: int) -> None:
        super().action_move(rows)
        self._update_pair()

    def choose(self, key: str) -> None:  # noqa: ARG002 - the click has put the cursor there
        self._update_pair()

    def _narrow(self) -> None:
        """Select a line that is typed; all stay listed."""
        wanted = self.pair
        if wanted is not None and wanted.line_id in self._lines:
            self._rows.move_to(str(wanted.line_id))
        self._update_pair()

    def _update_pair(self) -> None:
        wanted = self.pair
        if wanted is None or wanted.line_id is None:
            self._show_note(self._fault, Role.WARN)
            return
        name = self._lines.get(wanted.line_id, show_line(wanted.line_id, 30))
        self._show_note(f"→ {show_line(wanted.customer_id, 40).text} on {name.text}", Role.GOOD)

    def _show_note(self, words: str, role: Role = Role.DIM) -> None:
        self._note.set_line((span(trusted(words), role),) if words else ())


Find = Callable[[str], Sequence[ConversationId]]
Draw = Callable[[ConversationId, int], Line]


class JumpDialog(FilterDialog[ConversationId]):
    """A dialog that finds a known conversation by name, number or id."""

    DEFAULT_CSS = "JumpDialog > .dialog--box { width: 84; }"
    keys = keys_line(("↑ ↓", "pick"), ("enter", "open"), ("esc", "close"))
    placeholder = "Name, number or id; you can skip letters"

    def __init__(
        self, find: Find, draw_one: Draw, recent: Sequence[ConversationId], *, opens: str, draft: str = ""
    ) -> None:
        """Prepare the dialog.

        Args:
            recent: listed while nothing is typed.
            opens: the key that opens one that isn't known.
        """
        self.empty = f"No conversation with that name. Press {opens} to open one by its number."
        super().__init__(trusted("Jump to a conversation"), draft=draft)
        self._find, self._draw_one = find, draw_one
        self._recent = [str(each) for each in recent]

    def matches(self, typed: str) -> list[str]:
        return [str(each) for each in self._find(typed)] if typed else self._recent

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        return (self._draw_one(ConversationId(key), width),)

    def accept(self) -> None:
        if self._rows.cursor_key is not None:
            self.done(ConversationId(self._rows.cursor_key))

    def choose(self, key: str) -> None:
        self.done(ConversationId(key))


def show_full_message(screen: BaseScreen, entry: MessageEntry, parties: Parties) -> None:
    lines = message.full_message_lines(entry, screen.app_context.view(), parties)
    screen.app.push_screen(RecordDialog(trusted("Message"), lines))


def show_full_note(screen: BaseScreen, each: TeamNote) -> None:
    screen.app.push_screen(RecordDialog(trusted("Note"), full_note_lines(each, screen.app_context.view())))


class CopyPartsDialog(DigitDialog):
    """Answers with the place of the text to copy: 0 for the whole message, else one of its numbers and links."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        super().__init__(trusted("Copy"), [str(place) for place in range(len(texts))])

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        shown = show_line(self._texts[int(key)].replace("\n", " "), message_parts.MAX_LINK_LENGTH)
        name = (Span(shown, Role.STRONG),) if int(key) else (span("all  ", Role.STRONG), Span(shown, Role.DIM))
        return (fit((self.digit(key), *name), width),)


def copy_message(screen: BaseScreen, raw: Json) -> None:
    """Copy a message; one with numbers or links is offered with these."""
    text, name = message_parts.message_text(raw), trusted("Message")
    parts = [] if is_private() else message_parts.copyable_parts(raw)
    if not parts:
        screen.record_actions.copy_text(text, name)
        return
    texts = (text, *parts)

    def chosen(place: str) -> None:
        copy(screen.app, texts[int(place)], name)

    screen.app.push_screen(CopyPartsDialog(texts), on_answer(chosen))


def open_links(screen: BaseScreen, raw: Json) -> None:
    """Ask before opening the link of a message; of several, which one.

    Over SSH a browser would open on the other machine, so the link is copied instead, without a question unless it
    is doubtful.
    """
    links = message_parts.links_in(raw)
    if not links:
        notify(screen.app, trusted("No links in this message."), timeout_seconds=2)
    elif len(links) == 1:
        _confirm(screen, links[0])
    else:
        _choose(screen, links)


def _choose(screen: BaseScreen, links: Sequence[str]) -> None:
    choices = [NamedChoice(str(place), _shown(link)) for place, link in enumerate(links)]
    dialog = PickerDialog(trusted(f"Links · {len(links)}"), choices, placeholder="Type to filter")

    def chosen(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            _confirm(screen, links[int(answer.value)])

    screen.app.push_screen(dialog, chosen)


def _confirm(screen: BaseScreen, link: str) -> None:
    remote = is_remote(screen.app_context.environ)
    says = message_parts.warnings(link)
    if remote and not says:
        copy(screen.app, link, trusted("Link"), why=OVER_SSH)
        return
    yes = trusted("Copy link") if remote else trusted("Open in browser")
    dialog = ConfirmDialog(trusted("Link"), _shown(link), says, yes=yes)

    def answered(answer: Answered[bool] | Closed | None) -> None:
        if not isinstance(answer, Answered):
            return
        if remote:
            copy(screen.app, link, trusted("Link"), why=OVER_SSH)
        else:
            app = screen.app
            opened = open_link(app, link, screen.app_context.environ)
            on_done(app, opened, lambda done: _report_browser(screen, link, done.result()))

    screen.app.push_screen(dialog, answered)


def _report_browser(screen: BaseScreen, link: str, is_open: bool) -> None:
    if is_open:
        return
    yourself = f"Open this address yourself: {_shown(link).text}"
    if is_private():
        key = screen.app_context.key("app.privacy")
        yourself = f"The address is hidden. Press {key} to show it, then open the link again."
    words = trusted(f"Couldn't open a browser here. {yourself}")
    notify(screen.app, words, severity="warning", timeout_seconds=_ADDRESS_SECONDS)


def _shown(link: str) -> SafeText:
    return show_line(link, message_parts.MAX_LINK_LENGTH)
