"""AppContext: the store, the outbox, the clock, the zone and the glyphs of all screens and panes."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.database import ProfileStore
from frontdesk.tui.keymap import Keymap, first_key_name
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Line


class StatusPart(NamedTuple):
    """A part of the status line, and the form it takes where room is short."""

    line: Line
    compact: Line


class AppContext(NamedTuple):
    """The dependencies of a screen; made once by the command line, or by a test with a fixed clock.

    Attributes:
        environ: the environment variables that describe the terminal.
        is_attended: whether a person looks at the terminal: it has the focus, and they have pressed a key lately.
        status_parts: parts that features add to the status line, drawn at each update.
        has_bearer: whether the profile has a Bearer token, with which webhooks are deleted; reads a file.
    """

    store: ProfileStore
    outbox: OutboxCommands
    glyphs: Glyphs
    zone: tzinfo
    clock: Callable[[], float]
    keymap: Keymap
    environ: Mapping[str, str] = MappingProxyType({})
    has_bearer: Callable[[], bool] = lambda: False
    is_attended: Callable[[], bool] = lambda: True
    status_parts: Sequence[Callable[[RenderContext], StatusPart]] = ()

    def key(self, name: str) -> str:
        """Return the first key of an action for display."""
        return first_key_name(self.keymap[name])

    def view(self) -> RenderContext:
        store, keys = self.store, self.keymap.chosen
        return RenderContext(
            store.catalogue,
            self.glyphs,
            self.clock(),
            self.zone,
            keys,
            engine_process=store.engine_process(),
            is_engine_replaced=store.is_engine_replaced(),
        )
