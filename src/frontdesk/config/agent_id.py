"""Checks of agent ids from the configuration, the environment or `login`, since people type words such as `me`."""

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.hosts import ConfigError

_RESERVED = frozenset({"me", "myself", "mine", "none", "nobody", "unassigned", "null", "''", '""'})


def check_agent_id(typed: str, where: str = "", remedy: str = "") -> AgentId | None:
    """Return an agent id, or `None` for an empty one.

    Args:
        where: the key or variable that has the id.
        remedy: the remedy for a wrong id.

    Raises:
        ConfigError: the id is a word for oneself or nobody, to whom tasks would then be assigned.
    """
    typed = typed.strip()
    if typed.casefold() in _RESERVED:
        raise ConfigError(f"{where}{': ' if where else ''}{typed!r} isn't an agent id. {remedy}".rstrip())
    return AgentId(typed) if typed else None
