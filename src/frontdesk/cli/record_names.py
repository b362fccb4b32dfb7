"""Names beside ids in what commands print, from the profile and its store; a record without a name is its id."""

import os
from collections.abc import Iterable

from frontdesk.api.contract.ids import AgentId, StatusId, TagId
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import load_config, resolve_profile
from frontdesk.text.namesakes import fold_name


def with_id(name: str | None, identity: str) -> str:
    """Return a name and its id: "Noa (agent-noa)"; the id alone if there is no other name."""
    return identity if not name or fold_name(name) == fold_name(identity) else f"{name} ({identity})"


class RecordNames:
    """The names that a profile has for agents, lines, statuses and tags, each with its id."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def agent(self, agent_id: str) -> str:
        return with_id(self._catalogue.person(AgentId(agent_id)), agent_id)

    def agents(self, agent_ids: Iterable[str]) -> str:
        return ", ".join(map(self.agent, agent_ids))

    def line(self, line_id: str | None) -> str:
        return with_id(self._catalogue.line(line_id), line_id or "")

    def status(self, status_id: str | None) -> str:
        return with_id(self._catalogue.status(StatusId(status_id or "")), status_id or "")

    def tag(self, tag_id: str) -> str:
        return with_id(self._catalogue.tag(TagId(tag_id)).title, tag_id)


def load_names() -> RecordNames:
    """Load the names of the chosen profile."""
    return RecordNames(Catalogue(resolve_profile(load_config(), os.environ)))
