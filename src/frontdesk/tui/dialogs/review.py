"""Dialogs of text to read: RecordDialog shows a record, ReviewDialog an action before it is confirmed.

`y` or typed words confirm; enter alone never does. Where words are typed, their field has the focus, and the
keys that scroll work from there.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tui.clipboard import copy
from frontdesk.tui.dialogs.base import Dialog, KeysLine, text_field
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, cut, show_line, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, Span, paragraph, span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.thread_view import ThreadView


class RecordDialog(Dialog[None]):
    """Shows lines; it has no answer.

    Args:
        lines: text that is wrapped here, and that can be copied; or a callable that lays it out for a width.
        whole: the text to copy, where the lines are only a part of it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("q", "i"), "close", "close"),
        Binding(with_layout_keys("y"), "copy", "copy"),
    ]
    DEFAULT_CSS = """
    RecordDialog {
        & > .dialog--box { width: 100; height: 90%; }
    }
    """

    def __init__(
        self, title: SafeText, lines: Sequence[SafeText] | Callable[[int], Sequence[Line]], *, whole: str = ""
    ) -> None:
        copy_keys = () if callable(lines) else (("y", "copy"),)
        super().__init__(
            title, keys=keys_line(("j k", "scroll"), ("g G", "top, end"), *copy_keys, ("esc", "close"))
        )
        self._copied_name, self._whole = title, whole
        self._draw = lines if callable(lines) else None
        self._lines = () if callable(lines) else tuple(lines)
        self.view = ThreadView(self._draw_text, empty=((span("Nothing to show."),),), shows_cursor=False)

    def compose_body(self) -> Iterable[Widget]:
        yield self.view

    def on_mount(self) -> None:
        count = 1 if self._draw is not None else len(self._lines)
        self.view.set_entries(map(str, range(count)), at_end=False)
        self.view.focus()

    def action_copy(self) -> None:
        if text := self._whole or "\n".join(line.text for line in self._lines):
            copy(self.app, text, self._copied_name)

    def redraw(self) -> None:
        if self._draw is not None and self.is_mounted:
            self.view.redraw()

    def _draw_text(self, key: str, width: int) -> tuple[Line, ...]:
        if self._draw is not None:
            return tuple(self._draw(width))
        return tuple(paragraph(self._lines[int(key)], max(1, width)))


AROUND = 7
"""Lines of frame, input and keys where the whole text fits, without those of the question."""

NAME_CELLS = 160
"""Cells of a name in the question; the text above has the whole name."""


class ReviewDialog(Dialog[bool]):
    """Answers with True once it was confirmed, and with False where it is dropped; no answer is a `Closed`.

    Args:
        draw: lays the text out for a width.
        drop_label: the label of `x`, which drops the action for good; empty where it can't.
        confirm_words: words of which one has to be typed to confirm; without any `y` does.
        is_refused: whether nothing confirms it.
        full_json: all of the JSON, bounded, as lines.
    """

    accepts_queued_keys = False
    """A key typed before the text was visible must not confirm it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,shift+tab", "switch_focus", "input or text", priority=True),
        Binding("down", "scroll(1)", "down", priority=True),
        Binding("up", "scroll(-1)", "up", priority=True),
        Binding("pagedown", "page(1)", "page", priority=True),
        Binding("pageup", "page(-1)", "page", priority=True),
        Binding(with_layout_keys("i"), "show_json", "all of the JSON"),
        Binding(with_layout_keys("y"), "yes", "yes"),
        Binding(with_layout_keys("n"), "no", "no"),
        Binding(with_layout_keys("x"), "drop", "drop"),
    ]
    DEFAULT_CSS = """
    ReviewDialog {
        & > .dialog--box { width: 110; height: 100%; }
        & ThreadView { height: 1fr; min-height: 1; }
        & #question { height: auto; max-height: 6; }
        & KeysLine { margin-top: 0; }
    }
    ReviewDialog.-fits > .dialog--box { height: auto; }
    ReviewDialog.-fits #question { margin-top: 1; }
    """

    def __init__(
        self,
        title: SafeText,
        draw: Callable[[int], Sequence[Line]],
        question: Line,
        *,
        confirm_label: str,
        drop_label: str = "",
        confirm_words: Sequence[str] = (),
        words_name: str = "name",
        placeholder: str = "",
        is_refused: bool = False,
        full_json: Callable[[], Sequence[SafeText]] | None = None,
        draft: str = "",
    ) -> None:
        self._confirm_label, self._drop_label = confirm_label, drop_label
        self._draw, self._full_json = draw, full_json
        self._words, self._words_name = frozenset(map(_comparable, confirm_words)), words_name
        self._is_refused = is_refused
        super().__init__(title, keys=self._keys_for(is_typing=self._takes_words), draft=draft)
        self._drawn: tuple[int, Sequence[Line]] = (0, ())
        self._view = ThreadView(lambda key, width: (self._line(int(key), width),), shows_cursor=False)
        self._field = text_field(placeholder)
        self._field.disabled = is_refused
        self._note = Note(question, id="question")

    @property
    def note(self) -> Line:
        return self._note.line

    def compose_body(self) -> Iterable[Widget]:
        yield self._view
        yield self._note
        if self._words:
            yield self._field

    def on_mount(self) -> None:
        if not self._takes_words:
            self._view.focus()
            return
        # With the confirming words as a draft, enter alone would confirm.
        self._draft = self._draft if _comparable(self._draft) not in self._words else ""
        self.start_typing(self._field)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.query_one(KeysLine).set_line(self._keys_for(is_typing=event.widget is self._field))

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_text)

    def _show_text(self) -> None:
        """Lay the text out for the present width, one entry a line, so that it scrolls by lines."""
        if (width := self._view.line_width) and self.is_mounted:
            self._line(0, width)
            count = len(self._drawn[1])
            fits = count <= self.app.size.height - AROUND - max(1, self._note.size.height)
            self.set_class(fits, "-fits")
            self._view.styles.height = max(1, count) if fits else None
            self._view.set_entries(map(str, range(count)), at_end=False)

    def _line(self, index: int, width: int) -> Line:
        if self._drawn[0] != width:
            self._drawn = (width, self._draw(width))
        lines = self._drawn[1]
        return lines[index] if index < len(lines) else EMPTY

    def action_switch_focus(self) -> None:
        if self.focused is self._field or not self._takes_words:
            self._view.focus()
        else:
            self._field.focus()

    def action_scroll(self, lines: int) -> None:
        self._view.scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        self._view.page(pages * self._view.page_sizes[1])

    def action_show_json(self) -> None:
        if self._full_json is not None:
            self.app.push_screen(RecordDialog(trusted("JSON to send"), self._full_json()))

    def action_yes(self) -> None:
        if not self._words and not self._is_refused:
            self.done(True)

    def action_no(self) -> None:
        if not self._words:
            self.action_close()

    def action_drop(self) -> None:
        if self._drop_label:
            self.done(False)

    @on(ThreadView.Chosen)
    def _read(self, event: ThreadView.Chosen) -> None:
        event.stop()
        self.action_switch_focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = _comparable(event.value)
        if self._is_refused or not typed:
            return
        if typed in self._words:
            self.done(True)
        else:
            self._note.set_line((span(f"✗ The {self._words_name} doesn't match; nothing was sent.", Role.BAD),))
            self.call_after_refresh(self._show_text)

    @property
    def _takes_words(self) -> bool:
        return bool(self._words) and not self._is_refused

    def _keys_for(self, *, is_typing: bool) -> Line:
        keys = [("↑ ↓", "scroll")]
        if is_typing:
            tab_label = "text" if self._full_json is None else "all JSON"
            return keys_line(*keys, ("tab", tab_label), ("enter", self._confirm_label), ("esc", "back"))
        if self._takes_words:
            keys += [("tab", self._words_name)]
        elif not self._is_refused:
            keys += [("y", self._confirm_label)]
        keys += [("i", "all JSON")] if self._full_json is not None else []
        keys += [("x", self._drop_label)] if self._drop_label else []
        return keys_line(*keys, ("esc", "back"))


def name_to_type(name: str) -> Span:
    """Draw a name as its field takes it, for the question; a long one is cut with a sign."""
    words = cut(clean_for_input(name, lines=False), NAME_CELLS)
    return Span(show_line(words) if is_private() else SafeText(words), Role.STRONG)


def _comparable(name: str) -> str:
    """Normalize a name as it can be typed: without characters no field holds, and with single blanks."""
    return " ".join(clean_for_input(name, lines=False).split())
