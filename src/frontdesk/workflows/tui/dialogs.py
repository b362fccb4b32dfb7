"""Dialogs of the workflows screen: a list of rows to jump to, and a dry run.

A dry run plays its script from the beginning with every step; backspace in the empty field removes the last one.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tui.dialogs.base import Dialog, text_field
from frontdesk.tui.keymap import keys_line
from frontdesk.workflows.view import simulation as words
from frontdesk_flows.simulation.script import Let, Script, ScriptAction, ScriptStep, begin, interpret
from frontdesk_flows.simulation.trace import DryRun, SimulationState
from frontdesk_lines.content import prefill
from frontdesk_lines.display_text import SafeText, show_line
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, Span, span
from frontdesk_lines.widgets.line_page import LinePage
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList


class _Rows(RowList):
    """Rows whose height depends on their width."""

    def __init__(
        self,
        draw: Callable[[str, int], Sequence[Line]],
        height: Callable[[int], int],
        changed: Callable[[], None],
        empty: Span,
    ) -> None:
        super().__init__(draw, empty=((empty,),), can_mark=False)
        self._height_at, self._changed = height, changed

    def resized(self) -> None:
        before = self.row_height
        self.set_row_height(self._height_at(self.line_width))
        super().resized()
        if self.row_height != before:
            self._changed()


class JumpListDialog(Dialog[int]):
    """Rows to choose from, drawn and measured at a width; answers with the number of the row, from 0."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding(with_layout_keys("q"), "close", "close")]
    DEFAULT_CSS = """
    JumpListDialog {
        & > .dialog--box { width: 90; }
        & RowList { margin-top: 1; min-height: 2; }
        & Note { height: auto; }
    }
    """

    def __init__(
        self,
        title: SafeText,
        count: int,
        draw: Callable[[int, int], Sequence[Line]],
        *,
        height: Callable[[int], int],
        empty: str = "",
        note: Line = EMPTY,
        enter_label: str = "go there",
    ) -> None:
        moving = (("enter", enter_label), ("j k", "move")) if count else ()
        super().__init__(title, keys=keys_line(*moving, ("esc", "close")))
        self._count, self._note = count, note
        self._rows = _Rows(lambda key, width: draw(int(key), width), height, self.on_resize, span(empty))

    @property
    def rows(self) -> RowList:
        return self._rows

    def compose_body(self) -> Iterable[Widget]:
        if self._note:
            yield Note(self._note)
        yield self._rows

    def on_mount(self) -> None:
        self._rows.set_keys([str(row) for row in range(self._count)])
        self._rows.focus()

    def on_resize(self) -> None:
        self.set_height(self._rows, max(2, self._rows.row_height * self._count), 0.7)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.done(int(event.key))


MAX_TYPED = 1_000

LEFT_OUT = "The workflow has changed: the later steps of your last dry run no longer apply and were skipped."


class DryRunDialog(Dialog[None]):
    """A dry run of the graphs as they were when it opened; its only answer is to be closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "scroll(1)", "down", priority=True),
        Binding("up", "scroll(-1)", "up", priority=True),
        Binding("pagedown", "page(1)", "page", priority=True),
        Binding("pageup", "page(-1)", "page", priority=True),
        Binding("tab", "silence", "skip wait", priority=True),
        Binding("backspace", "take_back", "step back", priority=True),
    ]
    DEFAULT_CSS = """
    DryRunDialog {
        & > .dialog--box { width: 100; height: 100%; }
        & LinePage { height: 1fr; min-height: 1; }
        & KeysLine { margin-top: 0; }
    }
    """

    def __init__(
        self, title: SafeText, play: Callable[[Script], DryRun], glyphs: Glyphs, *, draft: str = ""
    ) -> None:
        """Prepare a dry run; `draft` is the script of an earlier dialog on the same workflow."""
        super().__init__(
            title,
            keys=keys_line(
                ("↑ ↓", "scroll"),
                ("tab", "skip wait"),
                ("backspace", "step back"),
                ("enter", "send"),
                ("esc", "close"),
            ),
            draft=draft,
        )
        self._play, self._glyphs = play, glyphs
        kept, self._typed_before = _parse_draft(draft)
        self._script, self._run = begin(kept, play)
        # A step that the workflow, changed since, has no place for would refuse all that is typed after it.
        self._has_left_out = self._run.misfit is not None
        if self._run.misfit is not None:
            self._script, self._run = begin(self._script.up_to(self._run.misfit.step), play)
        self._transcript: Sequence[words.SimulationLine] = ()
        self._status_lines: Sequence[words.SimulationLine] = ()
        self._page = LinePage(self._lines)
        self._page.can_focus = False
        self._field = text_field()
        self._field.max_length = MAX_TYPED
        self._note = Note(id="enter")

    @property
    def run_so_far(self) -> DryRun:
        return self._run

    @property
    def draft(self) -> str:
        """The script, and the typed words that aren't part of it yet."""
        if not self._script.entries and not self._field.value:
            return ""
        return json.dumps([self._script.to_json(), self._field.value])

    def compose_body(self) -> Iterable[Widget]:
        yield self._page
        yield self._field
        yield self._note

    def on_mount(self) -> None:
        prefill(self._field, self._typed_before)
        self._field.focus()
        self._show()

    def on_resize(self) -> None:
        # The page lays itself out when it gets its size; then its end is to be in sight.
        self.call_after_refresh(self._page.action_cursor_last)

    def action_scroll(self, lines: int) -> None:
        self._page.scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        if pages > 0:
            self._page.action_page_down()
        else:
            self._page.action_page_up()

    def action_silence(self) -> None:
        if self._run.state in (SimulationState.ANSWER, SimulationState.TIME):
            self._add_step(ScriptStep(ScriptAction.SILENCE))

    def action_take_back(self) -> None:
        if self._field.value:
            raise SkipAction
        if self._script.entries:
            self._has_left_out = False
            self._script, self._run = begin(self._script.without_last(), self._play)
            self.note_typing()
            self._show()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._update_note()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        meaning = interpret(self._run, event.value)
        if meaning is not None:
            self._add_step(meaning)

    def _add_step(self, entry: ScriptStep | Let) -> None:
        """Play one more step; one that can't be done is reported and left out."""
        longer = self._script.with_entry(entry)
        run = self._play(longer)
        if run.misfit is not None:
            self._note.set_line((span("✗ ", Role.BAD), Span(show_line(run.misfit.words, 120), Role.BAD)))
            return
        self._script, self._run, self._has_left_out = longer, run, False
        self._field.value = ""
        self.note_typing()
        self._show()

    def _show(self) -> None:
        self._transcript = words.transcript(self._run, self._glyphs)
        self._status_lines = words.status_lines(self._run, self._glyphs)
        if self._has_left_out:
            self._status_lines = [*self._status_lines, words.SimulationLine(0, "", (span(LEFT_OUT, Role.WARN),))]
        self._page.redraw()
        self._page.action_cursor_last()
        self._update_note()

    def _update_note(self) -> None:
        meaning = interpret(self._run, self._field.value)
        lead = (span("enter: ", Role.DIM),) if meaning is not None else ()
        self._note.set_line((*lead, Span(words.step_words(self._run, meaning), Role.DIM)))

    def _lines(self, width: int) -> Sequence[Line]:
        nodes = [each for each in self._transcript if each.is_node]
        current = nodes[-1] if nodes and not self._run.state.is_over else None
        drawn = words.transcript_lines(self._transcript, width, current=current)
        return [*drawn, *((EMPTY,) if drawn else ()), *words.transcript_lines(self._status_lines, width)]


def _parse_draft(draft: str) -> tuple[Script, str]:
    try:
        kept, typed = json.loads(draft)
        return Script.from_json(kept), str(typed)
    except (ValueError, TypeError):
        return Script(), ""
