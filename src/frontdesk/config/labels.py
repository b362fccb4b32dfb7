"""Names that a profile gives to statuses and tags."""

from dataclasses import dataclass

from frontdesk.api.contract.ids import StatusId, TagId


@dataclass(frozen=True, slots=True)
class StatusLabel:
    """A task status and its name on the screen."""

    id: StatusId
    name: str


@dataclass(frozen=True, slots=True)
class TagLabel:
    """A tag of the catalogue; `associated_to` is needed only in a campaign's audience."""

    id: TagId
    title: str
    color: str = ""
    associated_to: str | None = None


BUILT_IN_STATUSES = (
    StatusLabel(StatusId("open"), "Open"),
    StatusLabel(StatusId("standby"), "In progress"),
    StatusLabel(StatusId("completed"), "Completed"),
)
"""The built-in values of `statusCase` (docs/interface.md, Task)."""
