"""Dialog: the base of all dialogs, a centred box with a title and a line of keys."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea
from textual.widgets.input import Selection

from frontdesk_lines.content import content, prefill
from frontdesk_lines.display_text import SafeText
from frontdesk_lines.lines import EMPTY, Line, Role, Span, span, width_of
from frontdesk_lines.textual_compat.narrow_screen import PacedDialog
from frontdesk_lines.textual_compat.text_input import Field

if TYPE_CHECKING:
    from frontdesk.outbox.dialog_drafts import DialogDraft

T = TypeVar("T")

KEEP_SECONDS = 0.5
"""Seconds from the first typed letter until the text is kept, and then between two times it is kept."""

TITLE_FRAME, MAX_TITLE_CELLS = 6, 84
"""Cells of the border around a title, and the width up to which a dialog grows for its title."""

TALL = 18
"""Lines from which a screen has room for blank lines in a dialog."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """The answer of a dialog."""

    value: T


@dataclass(frozen=True, slots=True)
class Closed:
    """The dialog was closed unanswered; `draft` is the typed text, for the next one."""

    draft: str = ""


class Dialog(ModalScreen[Answered[T] | Closed], PacedDialog[Answered[T] | Closed], Generic[T]):
    """A modal box of at most the screen's size.

    Args:
        title: its action and target, as "Status · 3 tasks".
        draft: the draft of the one closed before.

    Attributes:
        accepts_queued_keys: whether keys typed before it opened are typed into it, or dropped.
        selects_draft: whether typing replaces the draft, or goes on from its end.
    """

    accepts_queued_keys: bool = True
    selects_draft: bool = True

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close", "close")]
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        /* Nothing dims the screen behind: each of its cells would be sent twice. */
        background: transparent;
        & > .dialog--box {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            border: round $border;
            border-title-color: $foreground;
            border-title-style: bold;
            background: $panel;
        }
        & KeysLine { dock: bottom; }
        & .dialog--below { margin-top: 1; }
        & .dialog--note { height: auto; padding: 0 2; }
        & LineView { background: $panel; }
        & Input {
            height: 1;
            border: none;
            padding: 0 2;
            background: $background;
            &:focus { border: none; }
        }
    }
    Dialog.-short KeysLine { margin-top: 0; }
    Dialog.-short RowList { margin-top: 0; }
    Dialog.-short .dialog--below { margin-top: 0; }
    Dialog.-short .dialog--aside { display: none; }
    Dialog.-slim { & KeysLine, & .dialog--note, & Note, & Input { padding: 0 1; } }
    Dialog.-slim > .dialog--box { padding: 0; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (50, "-wide")]  # noqa: RUF012 - Textual's type
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012 - Textual's type

    def __init__(self, title: SafeText, *, keys: Line = EMPTY, draft: str = "") -> None:
        super().__init__()
        self._heading = title
        self._keys_line = keys
        self._draft = draft
        self._late_answer: Answered[T] | None = None
        self._keep: Callable[[str], object] | None = None
        self._keep_timer: Timer | None = None

    @abstractmethod
    def compose_body(self) -> Iterable[Widget]:
        """Compose the widgets between the title and the keys."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog--box") as box:
            box.border_title = content((Span(self._heading, Role.STRONG),))
            box.styles.min_width = min(width_of((Span(self._heading),)) + TITLE_FRAME, MAX_TITLE_CELLS)
            yield from self.compose_body()
            yield KeysLine(self._keys_line)

    @property
    def draft(self) -> str:
        """The typed text, which closing would lose."""
        return next((field.value for field in self.query(Input)), self._draft)

    def keep_draft(self, keep: Callable[[str], object]) -> None:
        """Have what is typed kept while it is typed, and when the dialog is closed unanswered."""
        self._keep = keep

    def save_draft(self) -> None:
        """Keep what was typed since the last time."""
        if self._keep is not None and self._keep_timer is not None:
            self._keep_timer.stop()
            self._keep_timer = None
            self._keep(self.draft)

    @on(Input.Changed)
    @on(TextArea.Changed)
    def note_typing(self) -> None:
        """Keep the draft soon; for dialogs whose draft has more than what is typed."""
        if self._keep is not None and self._keep_timer is None:
            self._keep_timer = self.set_timer(KEEP_SECONDS, self.save_draft)

    def start_typing(self, field: Input) -> None:
        """Focus the input and fill in the draft, selected: the first letter replaces it, an arrow keeps it."""
        if self._draft:
            prefill(field, self._draft)
            if self.selects_draft:
                field.selection = Selection(0, len(field.value))
            # Before its layout a field can't scroll: the end of a long path would be hidden.
            self.call_after_refresh(lambda: field.scroll_to(len(field.value), animate=False))
        field.focus()

    def set_height(self, rows: Widget, wanted: int, share: float = 0.5) -> None:
        """Set a list's height up to a share of the screen's; to be repeated on a resize.

        A limit in the CSS would leave empty lines in the box.
        """
        rows.styles.height = self.height_for(wanted, share)

    def height_for(self, wanted: int, share: float) -> int:
        """Limit a wanted number of lines to a share of the screen."""
        room = self.app.size.height
        return max(1, min(wanted, int(room * (share if room >= TALL else share - 0.1))))

    def done(self, value: T) -> None:
        """Close with an answer, at once or when no other dialog covers this one; a second answer is ignored."""
        answer = Answered(value)
        self._keep = None  # whoever gets the answer forgets the draft once it is safe
        if self.is_active:
            self.dismiss(answer)
        elif self._late_answer is None:
            self._late_answer = answer

    def on_screen_resume(self) -> None:
        if self._late_answer is not None:
            self.dismiss(self._late_answer)

    def action_close(self) -> None:
        # `is_current` holds under another modal, too, and `dismiss` would close that one.
        if self.is_active:
            if self._keep is not None:
                self._keep(self.draft)
                self._keep = None
            self.dismiss(Closed(self.draft))

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.action_close()


def on_answer(
    use: Callable[[T], object], draft: "DialogDraft | None" = None
) -> Callable[[Answered[T] | Closed | None], None]:
    """Make a callback for `push_screen` that passes on a dialog's answer, and nothing of one closed unanswered.

    Args:
        draft: forgotten after an answer.
    """

    def answered(result: Answered[T] | Closed | None) -> None:
        if isinstance(result, Answered):
            use(result.value)
            if draft is not None:
                draft.forget()

    return answered


def text_field(placeholder: str = "", kind: type[Input] = Field) -> Input:
    """Make a one-line input that does not blink: an idle dialog sends no byte."""
    field = kind(placeholder=placeholder, select_on_focus=False)
    field.cursor_blink = False
    return field


_GAP = span("  ")
_NAMES = {"esc": "escape", "↓": "down", "↑": "up", "PgDn": "pagedown"}
_PRESSED_FIRST = "enter"


class KeysLine(Static):
    """The keys of a dialog, its last line; a click on one presses it.

    Where it is narrow its first keys are left out; the one that closes stays.

    Args:
        line: parts with a gap of two blanks between them, from `keymap.keys_line`.
    """

    DEFAULT_CSS = "KeysLine { height: 1; margin-top: 1; padding: 0 2; }"

    def __init__(self, line: Line) -> None:
        super().__init__(content(line), classes="dialog--keys")
        self._parts = _split(line)
        self._shown = self._parts

    def on_resize(self) -> None:
        self._fit()

    def set_line(self, line: Line) -> None:
        self._parts = _split(line)
        self._fit()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        offset = event.get_content_offset(self)
        at = 0
        for part in self._shown if offset is not None else ():
            if offset is not None and at <= offset.x < at + width_of(part):
                self._press(part[0].text.text.split())
                return
            at += width_of(part) + width_of((_GAP,))

    def _press(self, names: Sequence[str]) -> None:
        name = _PRESSED_FIRST if _PRESSED_FIRST in names else names[0]
        key = _NAMES.get(name, name)
        if len(name) == 1 or name in _NAMES or name in (_PRESSED_FIRST, "tab"):
            self.app.simulate_key(key)

    def _fit(self) -> None:
        shown = list(self._parts)
        while len(shown) > 1 and width_of(_joined(shown)) > self.content_size.width:
            shown.pop(0)
        if shown != self._shown:
            self._shown = shown
            self.update(content(_joined(shown)), layout=False)


def _split(line: Line) -> list[Line]:
    """Split at the gaps; each part begins with its key."""
    parts: list[list[Span]] = [[]]
    for each in line:
        if each == _GAP:
            parts.append([])
        else:
            parts[-1].append(each)
    return [tuple(part) for part in parts if part]


def _joined(parts: Sequence[Line]) -> Line:
    line = [each for part in parts for each in (_GAP, *part)]
    return tuple(line[1:])
