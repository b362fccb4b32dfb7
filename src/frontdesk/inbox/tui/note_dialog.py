"""The dialog in which a note is written; `@` and letters list the agents who can be mentioned."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import TextArea

from frontdesk.inbox.changes import clean_note, note_refusal, suggestions, typed_mention
from frontdesk.inbox.store.notes import MAX_LETTERS
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import AnswerButton
from frontdesk.tui.dialogs.filter_list import MOVES, ListModal
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk.tui.editor import EDITOR_KEY, edit_area
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

NEAR_LIMIT = MAX_LETTERS - 500
"""From so many characters on they are counted."""

STAYS = "Only your team sees it; the customer never does."


class ReceiverDialog(PickerDialog):
    """Answers with the id of the agent to whom a conversation is handed over."""

    keys = keys_line(("↑ ↓", "pick"), ("enter", "next"), ("esc", "cancel"))


class NoteDialog(ListModal, Dialog[str]):
    """Answers with the text of a note."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        EDITOR_KEY,
        Binding("tab", "complete_or_leave", "next", priority=True),
        Binding("enter", "complete", "complete", priority=True),
    ]
    DEFAULT_CSS = """
    NoteDialog {
        & > .dialog--box { width: 84; }
        & TextArea {
            height: 25vh;
            min-height: 3;
            max-height: 12;
            border: none;
            padding: 0 2;
            background: $background;
            &:focus { border: none; }
        }
        & RowList { height: 0; }
        & Note { height: auto; min-height: 1; }
        & .note--answers { height: 1; margin-top: 1; padding: 0 2; }
    }
    NoteDialog.-short { & TextArea { height: 2; min-height: 1; } & .note--answers { margin-top: 0; } }
    """

    def __init__(
        self, title: SafeText, people: Mapping[AgentId, SafeText], names: Mapping[AgentId, str], *, draft: str = ""
    ) -> None:
        """Prepare the dialog.

        Args:
            people: who can be mentioned, by the names that are shown.
            names: the names that are typed.
        """
        super().__init__(
            title,
            keys=keys_line(("@", "mention"), ("tab", "to Save"), ("ctrl+g", "own editor"), ("esc", "cancel")),
            draft=draft,
        )
        self._people, self._names = people, names
        self._text = TextArea(clean_for_input(draft, lines=True), highlight_cursor_line=False)
        self._text.cursor_blink = False
        self._rows = RowList(self._draw, can_mark=False, always_active=True)
        self._rows.can_focus = False
        self._note = Note(self._note_line())

    @property
    def draft(self) -> str:
        return self._text.text

    def compose_body(self) -> Iterable[Widget]:
        yield self._text
        yield self._rows
        yield self._note
        with Horizontal(classes="note--answers"):
            yield AnswerButton(trusted("Save"), is_yes=True)
            yield AnswerButton(trusted("Cancel"), is_yes=False)

    def on_mount(self) -> None:
        if self.draft:
            self._text.select_all()  # typing replaces what is left of the last time, an arrow key keeps it
        self._text.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave the keys of the list to the text while nobody is listed."""
        return action not in ("complete", "move", "page") or bool(self._rows.keys)

    @on(TextArea.Changed)
    @on(TextArea.SelectionChanged)
    def _typed(self, event: TextArea.Changed | TextArea.SelectionChanged) -> None:
        event.stop()
        typed = typed_mention(self._before_cursor())
        found = [] if typed is None or not self._text.has_focus else suggestions(typed, self._names)
        if list(self._rows.keys) != found:
            self._rows.set_keys(found)
            self._rows.styles.height = len(found)
            if found:
                self._rows.move_to(found[0])
        self._note.set_line(self._note_line())

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_complete()

    @on(AnswerButton.Pressed)
    def _pressed(self, event: AnswerButton.Pressed) -> None:
        event.stop()
        if not event.is_yes:
            self.action_close()
        elif why := note_refusal(clean_note(self.draft)):
            self._note.set_line((span(why, Role.WARN),))
        else:
            self.done(self.draft)

    def action_edit_outside(self) -> None:
        self._note.set_line(self._note_line())
        edit_area(self, self._text, self._note, MAX_LETTERS)

    def action_complete(self) -> None:
        """Write the name under the list's cursor in place of what is typed of it."""
        typed, key = typed_mention(self._before_cursor()), self._rows.cursor_key
        if typed is None or key is None:
            return
        row, column = self._text.cursor_location
        self._text.replace(f"{self._names[AgentId(key)]} ", (row, column - len(typed)), (row, column))
        self._text.focus()

    def action_complete_or_leave(self) -> None:
        if self._rows.keys:
            self.action_complete()
        else:
            self.focus_next()

    def _before_cursor(self) -> str:
        row, column = self._text.cursor_location
        return self._text.document.get_line(row)[:column]

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        name = self._people[AgentId(key)]
        note = () if is_private() or key == name.text else (Span(show_line(key, 30), Role.DIM),)
        return (fit((span("  @", Role.DIM), Span(name, Role.STRONG)), width, note),)

    def _note_line(self) -> Line:
        count = len(self._text.text)
        if count < NEAR_LIMIT:
            return (span(STAYS, Role.DIM),)
        role = Role.WARN if count > MAX_LETTERS else Role.DIM
        return (span(f"{count:,} of {MAX_LETTERS:,} characters", role),)
