"""DueDialog: a due time in words, with a preview of the time they mean, or one of the presets."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on, work
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.filter_list import MOVES, ListModal
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.display_text import NOTHING, SafeText
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span
from frontdesk_lines.textual_compat.text_input import Field
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

PAUSE_SECONDS = 0.12

DIGIT_SECONDS = 0.5
"""The pause after which a digit alone is a preset: `17:00`, `24 dec` and `3d` begin with one, too."""

KEEP = "keep"
"""The value of a preset that leaves the due time as it is."""


@dataclass(frozen=True, slots=True)
class DuePreview:
    """A parsed due time: the time in words, whether it can be used, and the value to answer with.

    `warning` says that it is past or that the clocks change; for words that can't be used, what to write instead.
    """

    text: SafeText
    ok: bool
    value: object = None
    warning: SafeText = NOTHING


@dataclass(frozen=True, slots=True)
class DuePreset:
    """A due time under a digit.

    Attributes:
        digit: the key; "0" for none.
        label: as "tomorrow 9:00".
    """

    digit: str
    label: SafeText
    at: SafeText = NOTHING
    value: object = None
    is_past: bool = False


class _WordsField(Field):
    """An input that tells of a preset's digit where a text begins."""

    @dataclass(repr=False, eq=False)
    class DigitPressed(Message):
        """Sent when the digit of a preset is pressed in an empty input, or replaces all of its text."""

        digit: str

    def __init__(self, placeholder: str, digits: Collection[str]) -> None:
        super().__init__(placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False  # an idle dialog sends no byte
        self._digits = digits

    def on_key(self, event: events.Key) -> None:
        is_first = not self.value or self.selected_text == self.value
        if is_first and event.character is not None and event.character in self._digits:
            self.post_message(self.DigitPressed(event.character))


class DueDialog(ListModal, Dialog[object]):
    """Answers with the value of a preview or preset; the digit of a preset answers once no text follows it.

    Args:
        parse: makes a preview from words; called in a thread, since its first call may be slow.
        zero: what the preset under 0 does.
        hint: shown below while nothing is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES]
    DEFAULT_CSS = """
    DueDialog {
        & > .dialog--box { width: 60; }
        & RowList { min-height: 1; }
    }
    DueDialog.-roomy > .dialog--box { width: 80; }
    """

    def __init__(
        self,
        title: SafeText,
        presets: Sequence[DuePreset],
        parse: Callable[[str], DuePreview],
        *,
        current: SafeText = NOTHING,
        zero: str = "clears",
        hint: SafeText = NOTHING,
        draft: str = "",
    ) -> None:
        super().__init__(
            title,
            keys=keys_line(
                (f"0–{max((each.digit for each in presets), default='0')}", f"choose, 0 {zero}"),
                ("↓", "pick"),
                ("enter", "set"),
                ("esc", "cancel"),
            ),
            draft=draft,
        )
        self._presets = {preset.digit: preset for preset in presets}
        self._parse = parse
        self._current = current
        self._field = _WordsField("tomorrow 9am, fri, +3d, 17:00, 24 dec", self._presets)
        self._note = Note(self._now_line(), id="preview")
        self._hint: Line = (Span(hint, Role.DIM),) if hint else EMPTY
        self._warning = Note(self._hint, id="warning")
        self._rows = RowList(self._draw)
        self._rows.can_focus = False
        self._rows.always_active = False
        self._picking = False

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._note
        yield self._warning
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys(tuple(self._presets))
        self.start_typing(self._field)

    def on_resize(self) -> None:
        self.set_height(self._rows, len(self._presets), 0.5)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._pick(False)
        words = event.value.strip()
        self._warning.set_line(EMPTY if words else self._hint)
        if not words:
            self.workers.cancel_group(self, "preview")
            self._note.set_line(self._now_line())
        elif (preset := self._presets.get(words)) is not None:
            self.workers.cancel_group(self, "preview")
            self._note.set_line((span("→ ", Role.DIM), Span(preset.label), span("  "), Span(preset.at, Role.GOOD)))
            self._rows.move_to(preset.digit)
        else:
            self._preview(words)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        words = event.value.strip()
        if self._picking and self._rows.cursor_key is not None:
            self.done(self._presets[self._rows.cursor_key].value)
        elif words in self._presets:
            self.done(self._presets[words].value)
        elif words:
            self._preview(words, answer=True)
        else:
            self._warning.set_line((span("Type a time, or press the digit of a preset.", Role.WARN),))

    @on(_WordsField.DigitPressed)
    def _digit_pressed(self, event: _WordsField.DigitPressed) -> None:
        event.stop()

        def answer() -> None:
            if self._field.value == event.digit and not self._picking:
                self.done(self._presets[event.digit].value)

        def answer_behind_keys() -> None:
            self.app.call_later(self._field.call_later, answer)

        self.set_timer(DIGIT_SECONDS, answer_behind_keys)

    @on(events.Click, "RowList")
    def _clicked(self, event: events.Click) -> None:
        if (digit := self._rows.key_at(event.y)) is not None:
            self.done(self._presets[digit].value)

    @work(exclusive=True, group="preview", exit_on_error=False)
    async def _preview(self, words: str, answer: bool = False) -> None:
        if not answer:
            await asyncio.sleep(PAUSE_SECONDS)
        preview = await asyncio.to_thread(self._parse, words)
        if words != self._field.value.strip():
            return
        if answer and preview.ok:
            self.done(preview.value)
            return
        role = Role.GOOD if preview.ok else Role.BAD
        self._note.set_line((span("→ " if preview.ok else "✗ ", role), Span(preview.text, role)))
        self._warning.set_line(_aside(preview))

    def followed(self) -> Widget | None:
        return self._rows if self._picking else self.focused

    def action_move(self, rows: int) -> None:
        if not self._picking:
            self._pick(True)
        elif rows < 0 and self._rows.cursor_index == 0:
            self._pick(False)
        else:
            super().action_move(rows)

    def action_page(self, pages: int) -> None:
        self._pick(True)
        super().action_page(pages)

    def _pick(self, picking: bool) -> None:
        """Set whether enter takes the preset under the cursor."""
        if picking != self._picking:
            self._picking = picking
            self._rows.always_active = picking
            self._rows.sync()

    def _now_line(self) -> Line:
        return (span("Current: ", Role.DIM), Span(self._current, Role.DIM)) if self._current else EMPTY

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        preset = self._presets[key]
        words = (span(f"{preset.digit}  ", Role.ACCENT), Span(preset.label))
        past = (span("past  ", Role.WARN),) if preset.is_past else ()
        return (fit(words, width, (*past, Span(preset.at, Role.DIM))),)


def _aside(preview: DuePreview) -> Line:
    if not preview.warning:
        return EMPTY
    return (
        (span("! ", Role.WARN), Span(preview.warning, Role.WARN))
        if preview.ok
        else (Span(preview.warning, Role.DIM),)
    )
