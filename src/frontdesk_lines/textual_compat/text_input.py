"""Field: an input that joins pasted lines, and in which Hebrew and Arabic are legible while they are typed.

Leans on `Input._cursor_visible` (8.2.8): its blinking has no public name, and right-to-left lines are drawn here,
cursor included.

Guarantees the cursor that `Input.render_line` would draw.
"""

from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Offset
from textual.strip import Strip
from textual.widgets import Input

from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import lay_out_typed


class Field(Input):
    """An input that paints a line with right-to-left letters in reading order, aligned right.

    While something is selected, or if it is longer than the field, it is painted as it was typed. The arrows
    move by letter, `left` towards the beginning.
    """

    PASTE_JOINER: ClassVar[str] = " "
    """Put between the lines of a pasted text."""

    def on_paste(self, event: events.Paste) -> None:
        """Join pasted lines: `Input`, which runs next, inserts the first line only."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        event.text = self.PASTE_JOINER.join(map(str.strip, lines)) if len(lines) > 1 else "".join(lines)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the caret as it is painted; `Input` names the one after it at the end of a text."""
        if (laid := self._laid_out(0)) is None:
            before = cell_len(self.value[: self.cursor_position]) - self.scroll_offset.x
        else:
            words, at = laid
            width = self.scrollable_content_region.width
            before = cell_width(words[:at]) + (width - cell_width(words) if is_right_to_left(self.value) else 0)
        return self.content_region.offset + Offset(before, 0)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if (laid := self._laid_out(y)) is None:
            return super().render_line(y)
        words, at = laid
        line = Text(words, no_wrap=True, overflow="ignore", end="")
        if self.has_focus and self._cursor_visible:
            line.stylize(self.get_component_rich_style("input--cursor"), at, at + 1)
        if is_right_to_left(self.value):
            line.pad_left(width - cell_width(words))
        segments = self.app.console.render(line, self.app.console_options.update_width(width))
        return Strip(segments).extend_cell_length(width).apply_style(self.rich_style)

    def _laid_out(self, y: int) -> tuple[str, int] | None:
        """Return a right-to-left line as it is painted and its caret; None for one that `Input` paints."""
        if y or not self.selection.is_empty or self.password or self.scroll_offset.x:
            return None
        laid = lay_out_typed(self.value, self.cursor_position)
        return None if laid is None or cell_width(laid[0]) > self.scrollable_content_region.width else laid
