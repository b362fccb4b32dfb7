"""What every screen and pane is given: the desk, the clock, the zone and the signs.

Made once by the command line (or a test, with a fixed clock) and passed down.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo

from frontdesk.desk.desk import Desk
from frontdesk.present.glyphs import Glyphs
from frontdesk.present.view import View


@dataclass(frozen=True, slots=True)
class Room:
    """The surroundings of a screen."""

    desk: Desk
    glyphs: Glyphs
    zone: tzinfo
    clock: Callable[[], float]

    def view(self) -> View:
        """How rows are drawn at this moment."""
        return View(self.desk.catalogue, self.glyphs, self.clock(), self.zone)
