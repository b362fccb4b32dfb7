"""The context of drawing rows: names, glyphs, zone and time, made anew for each redraw."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.catalogue import Catalogue
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The context of one redraw.

    Attributes:
        keys: keys of the person's keymap, by action id, for texts that name a key.
    """

    names: Catalogue
    glyphs: Glyphs
    now: float
    zone: tzinfo
    keys: Mapping[str, str] = field(default_factory=dict)

    def key(self, name: str, usual: str) -> str:
        """The key of this action, for people."""
        return self.keys.get(name, usual)

    def person(self, agent_id: AgentId) -> SafeText:
        """An agent's name; "you" for the reader."""
        return trusted("you") if agent_id == self.names.me else show_line(self.names.person(agent_id), 30)
