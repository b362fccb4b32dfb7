"""What every row needs besides its record: names, signs, and the time it is drawn at.

Made anew by a screen for each redraw and handed to the other modules of this folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Protocol

from frontdesk.api.contract.ids import AgentId, LineId, StatusId, TagId
from frontdesk.config.settings import TagLabel
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.glyphs import Glyphs


class Names(Protocol):
    """Names for ids, as `config.catalogue.Catalogue` knows them."""

    @property
    def me(self) -> AgentId | None: ...

    def line(self, line_id: LineId | str | None) -> str: ...

    def person(self, agent_id: AgentId) -> str: ...

    def status(self, status_id: StatusId | str) -> str: ...

    def tag(self, tag_id: TagId) -> TagLabel: ...


@dataclass(frozen=True, slots=True)
class RenderContext:
    """How rows are drawn now.

    Attributes:
        keys: keys that a person chose instead of the usual ones, by id, for words that name a key.
    """

    names: Names
    glyphs: Glyphs
    now: float
    zone: tzinfo
    keys: Mapping[str, str] = field(default_factory=dict)

    def key(self, name: str, usual: str) -> str:
        """The key of this id as people write it."""
        return self.keys.get(name, usual)

    def person(self, agent_id: AgentId) -> SafeText:
        """What to call somebody on the screen: whoever reads it is "you"."""
        return trusted("you") if agent_id == self.names.me else show_line(self.names.person(agent_id), 30)
