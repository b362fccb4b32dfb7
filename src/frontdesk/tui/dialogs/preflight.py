"""PreflightDialog: all that a campaign would do and the exact JSON, read before its name is typed and it is sent.

Nothing after the POST can be taken back, so enter alone sends nothing: what confirms is the name. Its field has
the focus, so that no letter goes nowhere, and the keys that scroll work from there.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.present.lines import EMPTY, Line, Role, Span, span
from frontdesk.text import Shown, own
from frontdesk.tui.dialogs.dialog import Dialog, Note, text_field
from frontdesk.tui.dialogs.keys import KeysLine
from frontdesk.tui.keymap import keys_line, with_twins
from frontdesk.tui.safe import for_field
from frontdesk.tui.widgets.thread_view import ThreadView


class PreflightDialog(Dialog[bool]):
    """Answers with True once the name was typed; no answer is a `Closed`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "other", "name or text", priority=True),
        Binding("down", "scroll(1)", "down", priority=True),
        Binding("up", "scroll(-1)", "up", priority=True),
        Binding("pagedown", "page(1)", "page", priority=True),
        Binding("pageup", "page(-1)", "page", priority=True),
        Binding(with_twins("i"), "whole", "all of the JSON"),
    ]
    DEFAULT_CSS = """
    PreflightDialog {
        & > .dialog--box { width: 110; height: 100%; }
        & ThreadView { height: 1fr; min-height: 1; }
        & KeysLine { margin-top: 0; }
    }
    """

    def __init__(
        self,
        title: Shown,
        draw: Callable[[int], Sequence[Line]],
        name: str,
        *,
        errors: int,
        warnings: int,
        whole: Callable[[], Sequence[Shown]],
        draft: str = "",
    ) -> None:
        """A preflight.

        Args:
            title: what would be sent.
            draw: lays out what is found and the JSON for a width.
            name: the campaign's, to be typed.
            errors: how many findings keep it from being sent.
            warnings: how many a person should have read.
            whole: all of the JSON, bounded, as lines.
            draft: what was typed before.
        """
        self._errors, self._warnings = errors, warnings
        super().__init__(title, keys=self._keys_for(is_typing=not errors), draft=draft)
        self._draw, self._whole = draw, whole
        self._name = _comparable(name)
        self._laid: tuple[int, Sequence[Line]] = (0, ())
        self._view = ThreadView(lambda key, width: (self._line(int(key), width),))
        self._field = text_field("Its name; once it was sent it can't be taken back")
        self._field.disabled = bool(errors)
        self._note = Note(self._asks(name), id="asks")

    @property
    def note(self) -> Line:
        """What is said above the input."""
        return self._note.line

    def compose_body(self) -> Iterable[Widget]:
        yield self._view
        yield self._note
        yield self._field

    def on_mount(self) -> None:
        if self._errors:
            self._view.focus()
            return
        # The whole name, kept from before, would let enter alone send.
        self._draft = self._draft if _comparable(self._draft) != self._name else ""
        self.start_typing(self._field)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.query_one(KeysLine).say(self._keys_for(is_typing=event.widget is self._field))

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay)

    def _lay(self) -> None:
        """As many lines as there are at the width that there is now; line by line, so that it scrolls so."""
        if (width := self._view.line_width) and self.is_mounted:
            self._line(0, width)
            self._view.set_entries(map(str, range(len(self._laid[1]))), at_end=False)

    def _line(self, place: int, width: int) -> Line:
        """One line; none where it has fewer of them at a width that has just changed."""
        if self._laid[0] != width:
            self._laid = (width, self._draw(width))
        lines = self._laid[1]
        return lines[place] if place < len(lines) else EMPTY

    def action_other(self) -> None:
        """To the name and back to what is read."""
        if self.focused is self._field or self._errors:
            self._view.focus()
        else:
            self._field.focus()

    def action_scroll(self, lines: int) -> None:
        self._view.scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        if pages > 0:
            self._view.action_page_down()
        else:
            self._view.action_page_up()

    def action_whole(self) -> None:
        from frontdesk.tui.dialogs.record import RecordDialog

        self.app.push_screen(RecordDialog(own("What is sent"), self._whole()))

    @on(ThreadView.Chosen)
    def _read(self, event: ThreadView.Chosen) -> None:
        event.stop()
        self.action_other()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = _comparable(event.value)
        if self._errors or not typed:
            return
        if typed == self._name:
            self.done(True)
        else:
            self._note.say((span("✗ That is not its name: nothing was sent.", Role.BAD),))

    def _keys_for(self, *, is_typing: bool) -> Line:
        """What works where the focus is."""
        if is_typing:
            return keys_line(("↑ ↓", "read"), ("tab", "all JSON"), ("enter", "send"), ("esc", "back"))
        name = () if self._errors else (("tab", "name"),)
        return keys_line(("↑ ↓", "read"), *name, ("i", "all JSON"), ("esc", "back"))

    def _asks(self, name: str) -> Line:
        if self._errors:
            what = "1 error keeps" if self._errors == 1 else f"{self._errors} errors keep"
            return (span(f"✗ {what} it from being sent: esc, and mend them.", Role.BAD),)
        shown = Shown(for_field(name, lines=False)[:60])
        read = (
            f"{self._warnings} {'warning' if self._warnings == 1 else 'warnings'} to read. "
            if self._warnings
            else ""
        )
        return (span(f"{read}To send it, type its name: ", Role.WARN), Span(shown, Role.STRONG))


def _comparable(name: str) -> str:
    """A name as it can be typed: without what no field holds, and with single blanks."""
    return " ".join(for_field(name, lines=False).split())
