"""Which widgets an update asks for their lines; every screen composes with it.

For two cells in a list Textual asks every widget of the screen for all of its lines, 300 of them, and a
key on a list took twice the processor time for that.
"""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class NarrowCompositor(Compositor):
    """Asks for the lines between the first and the last that differ, of the widgets that are seen there."""

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """What those widgets show, front to back: what is behind one that fills the place isn't asked for."""
        if not crop:
            yield from super()._get_renders(crop)
            return
        # Whole lines: Textual cuts a strip at the edges of widgets, and these are where they always are.
        band = Region(0, crop.y, self.size.width, crop.height)
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip).intersection(band)
            if not seen or not seen.overlaps(crop):
                continue
            yield region, seen, widget.render_lines(seen.translate(-region.offset))
            if seen.contains_region(crop):
                return
