"""Send only the cells that differ from what the terminal shows, filtered last.

Leans on `App._display`, through which every frame goes, with `_batch_count`, `_closed` and
`_previous_cursor_position`; on `_exit`; on `_notifications`, `_refresh_notifications` and `_unnotify` for
`toasts`; and on `textual._compositor.CompositorUpdate` (8.2.8). Textual sends whole regions: 3.3 times the
bytes for a dialog.

Guarantees the cells that Textual would leave, and not a byte if nothing differs. Frames of an unknown kind,
and apps that are headless or inline, are left to Textual.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from textual import events
from textual._compositor import CompositorUpdate
from textual.filter import LineFilter
from textual.notifications import Notification
from textual.screen import Screen

from frontdesk_lines.terminal_abilities import terminal_abilities
from frontdesk_lines.terminal_cursor import cursor_cell
from frontdesk_lines.textual_compat.ansi_writer import erases_in_colour
from frontdesk_lines.textual_compat.crash import CrashReportingApp
from frontdesk_lines.textual_compat.driver import driver_class
from frontdesk_lines.textual_compat.line_filters import own_filters, without_colours
from frontdesk_lines.textual_compat.screen_buffer import ScreenBuffer, Sequences
from frontdesk_lines.textual_compat.toasts import Toasts, lines_below
from frontdesk_lines.wide_cells import position_cells

_NO_CARET = {
    "input-cursor-background": "transparent",
    "input-cursor-foreground": "auto",
    "input-cursor-text-style": "none",
}


class DiffingApp(CrashReportingApp):
    """An app that sends only the cells that differ.

    Args:
        bidi: the component that lays out right-to-left text, `settings.Settings.bidi`.
        ascii_only: whether the terminal draws no other signs.
        environ: the variables that tell what else it can do.

    Attributes:
        shows_cursor: whether the terminal's own cursor is seen, instead of a painted one in fields; set before
            `__init__`, which reads the styles.
        uses_mouse: whether the terminal reports the mouse; set before the app runs.
    """

    shows_cursor = False
    uses_mouse = True

    def __init__(self, bidi: str, *, ascii_only: bool, environ: Mapping[str, str] = MappingProxyType({})):
        super().__init__()
        terminal = terminal_abilities(environ)
        self.driver_class = driver_class(self.driver_class, bidi, is_xterm_like=terminal.is_xterm_like)
        self.no_color = self.no_color or not terminal.has_colors
        self.has_letters = terminal.has_letters
        self._own_filters = own_filters(ascii_only=ascii_only, has_letters=terminal.has_letters)
        self._notifications = Toasts()
        self._cells = ScreenBuffer(erases=erases_in_colour())

    def screen_painted(self, screen: Screen[object]) -> None:
        """Run before each frame of a screen is sent to the terminal."""

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables; a painted caret below the terminal's cursor would be inverted twice."""
        variables = super().get_css_variables()
        return variables | _NO_CARET if self.shows_cursor else variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that all lines pass last (docs/architecture.md, Text from outside)."""
        filters = super().get_line_filters()
        if self.no_color:
            # Textual would send greys; without colours only text attributes tell things apart.
            filters = without_colours(filters)
        return [*filters, *self._own_filters]

    async def on_event(self, event: events.Event) -> None:
        """Forget the cells on a resize: a terminal then moves its lines."""
        if isinstance(event, events.Resize):
            self._cells.forget()
        await super().on_event(event)

    def action_redraw(self) -> None:
        self._cells.forget()
        self.refresh(repaint=True, layout=True)

    def clear_toasts(self) -> bool:
        """Remove all toasts; return whether there were any."""
        had_any = len(self._notifications) > 0
        self.clear_notifications()
        return had_any

    def _refresh_notifications(self) -> None:
        """Show toasts on the top screen alone and off the cursor's row, without empty boxes."""
        for screen in self.screen_stack:
            for rack in screen.query("ToastRack"):
                rack.display = screen is self.screen
                if rack.display and not screen.is_modal and (cursor := cursor_cell(screen)) is not None:
                    height = getattr(screen.focused, "row_height", 1)
                    rack.styles.margin = (0, 0, lines_below(screen, self._notifications, cursor.y, height), 0)
            for holder in screen.query("ToastRack > ToastHolder"):
                if not holder.children:
                    holder.remove()
        super()._refresh_notifications()

    def _unnotify(self, notification: Notification, refresh: bool = True) -> None:
        """Show a toast that waited for room."""
        toasts = self._notifications
        super()._unnotify(notification, refresh or (isinstance(toasts, Toasts) and toasts.has_waiting))

    @property
    def is_ending(self) -> bool:
        """True while the app exits: Textual refuses to mount anything from then on."""
        return self._exit

    def _display(self, screen: Screen[object], renderable: object) -> None:
        if renderable is None or self._batch_count or not self.is_running:
            return
        self.screen_painted(screen)
        # Textual sets the cursor for fields only, but screen readers and braille displays follow it everywhere.
        self.cursor_position = cursor_cell(self.screen) or self.cursor_position
        if isinstance(renderable, CompositorUpdate) and not (self._closed or self.is_headless or self.is_inline):
            text = self._cells.difference(renderable, self.size, self.console)
            if text is not None:
                cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
                if not text and cursor == self._previous_cursor_position:
                    self.post_display_hook()
                    return
                # `CellDriver` does it for a terminal; a browser's driver writes what it gets.
                renderable = Sequences(position_cells(text) if self.is_web else text)
        super()._display(screen, renderable)  # type: ignore[arg-type]
