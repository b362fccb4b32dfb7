"""AppContext: the store, the outbox, the clock, the zone and the glyphs, given to every screen and pane.

Made once by the command line (or a test, with a fixed clock) and passed down.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import Line
from frontdesk.tui.keymap import NAVIGATION, Keymap, shown_key


@dataclass(frozen=True, slots=True)
class AppContext:
    """The surroundings of a screen.

    Attributes:
        environ: what the terminal says of itself.
        keys: the keymap as this person has it, for words that name a key.
        status_parts: words that features add to the status line, made when it is brought up to date.
        has_bearer: whether the profile has a Bearer token, with which webhooks are deleted; reads a file.
    """

    store: ProfileStore
    outbox: OutboxCommands
    glyphs: Glyphs
    zone: tzinfo
    clock: Callable[[], float]
    environ: Mapping[str, str] = field(default_factory=dict)
    keys: Keymap = field(default_factory=lambda: Keymap(NAVIGATION))
    has_bearer: Callable[[], bool] = lambda: False
    status_parts: Sequence[Callable[[RenderContext], Line]] = ()

    def key(self, name: str) -> str:
        """Return the key of this id as people write it."""
        return shown_key(self.keys[name])

    def view(self) -> RenderContext:
        """Return the context in which rows are drawn now."""
        return RenderContext(self.store.catalogue, self.glyphs, self.clock(), self.zone, self.keys.chosen)
