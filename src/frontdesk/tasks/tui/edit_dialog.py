"""EditDialog: title and body of the task it was opened on; only what was touched is saved.

Enter in the title or the words at the end save; in the body enter begins a line. What is closed
with Esc is kept, together with what it was written over: a colleague's words that came meanwhile
are a conflict then, and are not lost.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.tui.content import content, for_field
from frontdesk.tui.dialogs.answer_button import Answer
from frontdesk.tui.dialogs.base import Dialog, Note, text_field
from frontdesk.tui.keymap import keys_line

TITLE, BODY = "title", "body"

MOST = {TITLE: 1_000, BODY: 20_000}
"""Longer texts are not edited here: a field lays all of its text out anew on every key."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The texts that were touched, and what they and the others were before, by the interface's names."""

    texts: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)

    @property
    def draft(self) -> str:
        """To be given to the next dialog on the same task."""
        return json.dumps(asdict(self)) if self.texts else ""

    @classmethod
    def of_draft(cls, draft: str) -> "Edited":
        """What was kept of the dialog before."""
        return cls(**json.loads(draft)) if draft else cls()


class EditDialog(Dialog[Edited]):
    """Answers with what was touched."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    EditDialog {
        & > .dialog--box { width: 84; }
        & .edit--label { height: 1; padding: 0 2; color: $text-muted; }
        & TextArea {
            height: 30vh;
            min-height: 3;
            max-height: 14;
            border: none;
            padding: 0 2;
            background: $background;
            &:focus { border: none; }
        }
        & .edit--answers { height: 1; margin-top: 1; padding: 0 2; }
    }
    EditDialog.-short { & TextArea { height: 2; min-height: 1; } & .edit--answers { margin-top: 0; } }
    """

    def __init__(
        self, title: SafeText, texts: Mapping[str, str], *, activity_key: str = "6", draft: str = ""
    ) -> None:
        """An edit dialog.

        Args:
            title: what it works on, as "Edit · Late delivery".
            texts: title and body as they are shown now.
            activity_key: the key of the screen where a conflict is decided.
            draft: of the dialog on this task that was closed unanswered.
        """
        super().__init__(
            title, keys=keys_line(("tab", "next"), ("enter", "in the title saves"), ("esc", "close")), draft=draft
        )
        self._activity_key = activity_key
        kept = Edited.of_draft(draft)
        self._before = {**texts, **{name: kept.before[name] for name in kept.texts}}
        self._has_moved = any(texts[name] != self._before[name] for name in kept.texts)
        self._clean = {name: for_field(text, lines=name == BODY) for name, text in self._before.items()}
        self._title = text_field()
        self._title_at_first = kept.texts.get(TITLE, self._clean[TITLE][: MOST[TITLE]])
        self._body = TextArea(kept.texts.get(BODY, self._clean[BODY][: MOST[BODY]]), highlight_cursor_line=False)
        self._body.cursor_blink = False
        for name, widget in ((TITLE, self._title), (BODY, self._body)):
            widget.disabled = len(self._clean[name]) > MOST[name]

    @property
    def edited(self) -> Edited:
        """What was touched so far."""
        now = {TITLE: self._title.value, BODY: self._body.text}
        editable = [name for name in now if len(self._clean[name]) <= MOST[name]]
        touched = {name: now[name] for name in editable if now[name] != self._clean[name]}
        return Edited(touched, {name: self._before[name] for name in touched})

    @property
    def draft(self) -> str:
        """What was touched and would be lost."""
        return self.edited.draft

    def compose_body(self) -> Iterable[Widget]:
        yield Static(content(trusted("Title")), classes="edit--label")
        yield self._title
        yield Static(content(trusted("Body")), classes="edit--label")
        yield self._body
        yield Note(self._note())
        with Horizontal(classes="edit--answers"):
            yield Answer(trusted("Save"), is_yes=True)
            yield Answer(trusted("Close"), is_yes=False)

    def on_mount(self) -> None:
        self._title.value = self._title_at_first
        first = self._body if self._title.disabled else self._title
        first.focus()

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self, event: Input.Changed | TextArea.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._save()

    @on(Answer.Pressed)
    def _pressed(self, event: Answer.Pressed) -> None:
        event.stop()
        if event.is_yes:
            self._save()
        else:
            self.action_close()

    def _save(self) -> None:
        if self.edited.texts:
            self.done(self.edited)
        else:
            self.action_close()

    def _note(self) -> Line:
        too_long = [name for name, text in self._clean.items() if len(text) > MOST[name]]
        if too_long:
            return (span(f"Too long to be edited here: {' and '.join(too_long)}.", Role.WARN),)
        if self._has_moved:
            where = f"Activity ({self._activity_key})"
            return (span(f"Someone else changed it since. If you save, you choose in {where}.", Role.WARN),)
        return EMPTY
