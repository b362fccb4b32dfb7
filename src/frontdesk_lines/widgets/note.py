"""Note: a line of text."""

from textual.selection import Selection
from textual.widgets import Static

from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.content import content
from frontdesk_lines.copied_text import Cell, selected_text
from frontdesk_lines.lines import EMPTY, Line, lay_out_line
from frontdesk_lines.textual_compat.text_selection import SelectableWidget


class Note(SelectableWidget, Static):
    """A line of text, updated without a new layout unless CSS makes its height automatic."""

    DEFAULT_CSS = "Note { height: 1; padding: 0 2; }"

    def __init__(self, line: Line = EMPTY, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(content(line), id=id, classes=classes)
        self.line = line

    def set_line(self, line: Line) -> None:
        if line != self.line:
            self.line = line
            self.update(content(line), layout=self.styles.is_auto_height)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        line = lay_out_line(self.line)
        shown = "".join(part.text.text for part in line)
        first, end = (Cell(cell_width(shown[: each.x]) if each else 0, 0) for each in selection)
        return selected_text([line], first, end), "\n"
