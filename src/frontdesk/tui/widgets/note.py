"""Note: a line of text in a pane or a dialog."""

from textual.widgets import Static

from frontdesk.text.lines import EMPTY, Line
from frontdesk.tui.content import content


class Note(Static):
    """A line of text, updated without a new layout unless CSS makes its height automatic."""

    DEFAULT_CSS = "Note { height: 1; padding: 0 2; }"

    def __init__(self, line: Line = EMPTY, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(content(line), id=id, classes=classes)
        self.line = line

    def set_line(self, line: Line) -> None:
        if line != self.line:
            self.line = line
            self.update(content(line), layout=self.styles.is_auto_height)
