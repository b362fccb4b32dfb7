"""The base URLs of the platform."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hosts:
    """The five base URLs, without a slash at the end; an empty one is `base_url` (docs/interface.md, Hosts)."""

    base_url: str
    campaigns_url: str = ""
    workflows_url: str = ""
    business_url: str = ""
    ai_url: str = ""
