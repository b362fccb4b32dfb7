"""Compose only what changed: of a screen once a batch, of a dialog once a tick of its timer.

Leans on `Compositor._get_renders` and `_dirty_regions`; on `Screen._compositor`, `_compositor_refresh`,
`_dirty_widgets`, `_on_timer_update`, `_binding_chain` and `_bindings`; on `Widget._repaint_required`; on
`App._batch_count` and `_keymap`; and on `_css_update_count` of app and screen (8.2.8). For two cells in a list
`_get_renders` asks every widget of the screen for all of its lines, 300 of them: a key on a list took twice the
processor time. Textual composes a dialog that opens four times, with all that is seen below it. It takes the
styles of each new screen of a mode for outdated, and parses those of all widgets twice more. What a key changes it
composes after the queues of three widgets, and up to two ticks (33 ms) after the frame before, such as that of a
thread that follows the cursor.

Guarantees that each cell of an update has what Textual's own compositor puts there, that whatever a dialog has
changed is composed at the end of its timer's tick, and that a screen is styled again if the theme changes after
it was made.
"""

import time
from collections.abc import Iterable

from textual._compositor import Compositor
from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode
from textual.geometry import Region
from textual.screen import UPDATE_PERIOD, ScreenResultType
from textual.strip import Strip
from textual.widget import Widget

from frontdesk_lines.textual_compat.text_selection import SelectingScreen
from frontdesk_lines.widgets.line_view import LineView


class NarrowCompositor(Compositor):
    """Renders only the lines between the first and the last that differ, of the widgets seen there."""

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Render those widgets front to back, without those that are fully covered."""
        if not crop:
            yield from super()._get_renders(crop)
            return
        # Whole lines: Textual cuts a strip at the edges of widgets, which don't change.
        band = Region(0, crop.y, self.size.width, crop.height)
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip).intersection(band)
            if not seen or not seen.overlaps(crop):
                continue
            yield region, seen, widget.render_lines(seen.translate(-region.offset))
            if seen.contains_region(crop):
                return


class PacedDialog(SelectingScreen[ScreenResultType]):
    """A dialog that is composed once a tick, and not before its first."""

    _has_ticked = False
    _is_ticking = False

    def _on_timer_update(self) -> None:
        """Compose once what Textual composes after the layout and after the repaint."""
        self._has_ticked = self._is_ticking = True
        super()._on_timer_update()
        self._is_ticking = False
        if not self.is_current or self.app._batch_count:
            return
        if self._compositor._dirty_regions:
            self._compositor_refresh()
        else:
            self._dirty_widgets.clear()  # nothing of them is seen; else every message would start another tick

    def _compositor_refresh(self) -> None:
        """Wait for the end of a batch, when Textual composes anyway, or of the tick."""
        if self._has_ticked and not self._is_ticking and not self.app._batch_count:
            super()._compositor_refresh()


class NarrowScreen(SelectingScreen[None]):
    """A screen that composes with `NarrowCompositor`, and not during a batch.

    Args:
        bindings: further ones, which override those of the class; `set_bindings` replaces them.
    """

    def __init__(self, bindings: Iterable[Binding] = ()) -> None:
        super().__init__()
        self._css_update_count = self.app._css_update_count
        self._compositor = NarrowCompositor()
        self._painted_at = 0.0
        self._own_bindings = self._bindings.key_to_bindings
        self.set_bindings(bindings)

    def set_bindings(self, bindings: Iterable[Binding]) -> None:
        self._bindings.key_to_bindings = self._own_bindings | BindingsMap(bindings).key_to_bindings

    @property
    def _binding_chain(self) -> list[tuple[DOMNode, BindingsMap]]:
        """Return the bindings that a key is looked up in, uncopied: nothing around a list of lines takes a key."""
        focused = self.focused
        if not isinstance(focused, LineView) or focused.loading or self.app._keymap:
            return super()._binding_chain
        return [(node, node._bindings) for node in focused.ancestors_with_self]

    def paint_now(self, widget: Widget) -> None:
        """Compose and send what a key has changed in a widget, instead of at the next tick of the timer.

        Not more often than the timer ticks: keys that come faster share a frame.
        """
        now = time.monotonic()
        if not widget._repaint_required or not self.is_active or now - self._painted_at < UPDATE_PERIOD:
            return
        self._painted_at = now
        widget._repaint_required = False
        self._dirty_widgets.add(widget)
        self._on_timer_update()

    def _compositor_refresh(self) -> None:
        """Wait for the end of a batch: Textual composes then anyway."""
        if not self.app._batch_count:
            super()._compositor_refresh()
