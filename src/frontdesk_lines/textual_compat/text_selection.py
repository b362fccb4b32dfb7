"""Select text with the mouse by Textual's own selection, inside the widget in which the drag began.

Leans on `Screen._select_state` and `_forward_event` (8.2.8). Textual selects everything between two widgets, those
of other panes too, and a widget as a whole after a double click. It also starts a selection in a widget that was
just removed, which ends the app (Textualize/textual#6643).

Guarantees that only a `SelectableWidget` is selected, with both ends inside it.
"""

from abc import abstractmethod

from textual import events
from textual.geometry import Offset
from textual.screen import Screen, ScreenResultType
from textual.selection import Selection
from textual.widget import Widget


class SelectableWidget(Widget):
    """A widget that returns its selected text; the lines of its strips have offsets."""

    @abstractmethod
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text between two offsets and what ends it."""

    @property
    def selected(self) -> tuple[Offset, Offset] | None:
        """The first offset of its selection and the one after the last, or None."""
        start, end = (self.text_selection if self.is_attached else None) or (None, None)
        return None if start is None or end is None else (start, end)


class SelectingScreen(Screen[ScreenResultType]):
    """A screen whose texts can be selected."""

    def _forward_event(self, event: events.Event) -> None:
        """Begin with nothing selected, and take the end of a drag for no click."""
        if isinstance(event, events.MouseDown):
            self.clear_selection()
        elif isinstance(event, events.Click) and self.selections:
            return
        super()._forward_event(event)

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Return the selectable widget at a cell and the place in its text; in a drag the widget it began in."""
        began_in = None if self._select_state is None else self._select_state.start.content_widget
        if began_in is not None and (region := began_in.content_region):
            x = min(max(x, region.x), region.right - 1)
            y = min(max(y, region.y), region.bottom - 1)
        widget, offset = super().get_widget_and_offset_at(x, y)
        is_usable = isinstance(widget, SelectableWidget) and widget.is_attached and began_in in (None, widget)
        return (widget, offset) if is_usable and offset is not None else (None, None)

    def validate_selections(self, selections: dict[Widget, Selection]) -> dict[Widget, Selection]:
        """Leave out widgets that Textual selects as a whole."""
        return {widget: each for widget, each in selections.items() if None not in each}

    def get_selected_text(self) -> str | None:
        return super().get_selected_text() or None
