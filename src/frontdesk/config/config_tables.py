"""Tables of config.toml that no dataclass has: profiles and their catalogues, macros, `[[sla]]`.

`settings`, `macros` and `service_clocks.policies` parse them.
"""

from typing import Annotated, NotRequired, Required, TypedDict

from frontdesk.config.key_meaning import Meaning
from frontdesk.config.replies import ReplySetting
from frontdesk.config.team import TeamSettings
from frontdesk.config.web_pages import PLACEHOLDERS

_URL = r"^\s*([Hh][Tt][Tt][Pp][Ss]://|[Hh][Tt][Tt][Pp]://(localhost|127\.|\[::1\]))"


class LineRow(TypedDict):
    """A row of `lines`."""

    id: Annotated[str, Meaning("The line's phone number id.")]
    label: Annotated[str, Meaning("Its name on the screen.")]


class AgentRow(TypedDict):
    """A row of `agents`."""

    id: Annotated[str, Meaning("The person's agent id on the platform.")]
    name: Annotated[str, Meaning("Their name on the screen.")]


class StatusRow(TypedDict):
    """A row of `statuses`."""

    id: Annotated[str, Meaning("The status's id; `open`, `standby` and `completed` are the built-in ones.")]
    name: Annotated[str, Meaning("Its name on the screen.")]


class TagRow(TypedDict):
    """A row of `tags`."""

    id: Annotated[str, Meaning("The tag's id.")]
    title: Annotated[str, Meaning("Its name on the screen.")]
    color: NotRequired[Annotated[str, Meaning("Its color.")]]
    associated_to: NotRequired[
        Annotated[str, Meaning("The id of the account it belongs to; campaigns sent to tags need it.")]
    ]


class ProfileTable(TypedDict, total=False):
    """The table `[profiles.NAME]`."""

    base_url: Required[
        Annotated[
            str, Meaning("The platform's address, `https://…`; plain `http` only for this machine.", pattern=_URL)
        ]
    ]
    campaigns_url: Annotated[
        str, Meaning("The address for campaigns, if it differs.", default="base_url", pattern=_URL)
    ]
    workflows_url: Annotated[
        str, Meaning("The address for workflows, if it differs.", default="base_url", pattern=_URL)
    ]
    business_url: Annotated[
        str, Meaning("The address for tasks, if it differs.", default="base_url", pattern=_URL)
    ]
    ai_url: Annotated[str, Meaning("The address for AI agents, if it differs.", default="base_url", pattern=_URL)]
    agent_id: Annotated[
        str,
        Meaning(
            'Your agent id on the platform. Without it, "mine" and "assign to me" are off. If you don\'t know it, '
            "look at a task assigned to you: `assignedAgentIds` in `frontdesk tasks list --json`."
        ),
    ]
    credentials_command: Annotated[
        list[str],
        Meaning(
            "A program that prints your credentials, and its arguments.",
            see="configuration.md#credentials-from-a-program",
        ),
    ]
    keyring: Annotated[
        bool,
        Meaning(
            "`true`: your credentials are in the system's keyring. Can't be combined with `credentials_command`.",
            see="configuration.md#credentials-in-the-systems-keyring",
            default="false",
        ),
    ]
    lines: Annotated[list[LineRow], Meaning("Names of lines.")]
    agents: Annotated[list[AgentRow], Meaning("Names of people.")]
    statuses: Annotated[
        list[StatusRow],
        Meaning(
            "Your own task statuses, in the board's order. Open, in progress and completed always exist; name "
            "them here, by their ids, to rename or reorder them."
        ),
    ]
    tags: Annotated[list[TagRow], Meaning("Tags that you can add.")]
    watched_campaigns: Annotated[list[str], Meaning("Ids of campaigns to watch.")]
    web_url: Annotated[
        dict[str, str],
        Meaning(
            "Addresses of the platform's own pages, which `Z` opens.",
            choices=tuple(PLACEHOLDERS),
            see="configuration.md#the-platforms-own-pages",
        ),
    ]
    replies: Annotated[
        list[ReplySetting], Meaning("Answers that `E` offers in a conversation.", see="configuration.md#replies")
    ]
    team: Annotated[
        TeamSettings,
        Meaning("The team that this machine belongs to.", default="you work alone", see="configuration.md#a-team"),
    ]


class MacroTable(TypedDict):
    """A table of `[[macros]]`."""

    name: Annotated[str, Meaning("Its name in the palette, in the key help and in Activity.")]
    key: Annotated[
        str, Meaning("A key that is free in the inbox and on the board, such as `B`, `f5` or `ctrl+g`.")
    ]
    do: Annotated[
        list[str],
        Meaning(
            "Its steps, such as `status waiting`; only `assign` and `tag` can be there more than once.",
            see="configuration.md#macros",
        ),
    ]


_TIME = r"^(\d{1,4}h)?(\d{1,4}m)?$"


class ServiceClockTable(TypedDict, total=False):
    """A table of `[[sla]]`."""

    name: Required[Annotated[str, Meaning("Its name on the screen.")]]
    match: Annotated[
        str,
        Meaning(
            "Which conversations it covers: filter words with `line:`, `agent:`, `tag:`, `status:`, "
            "`is:unassigned`, `is:task`, and their opposites. Other words aren't allowed, because their matches "
            "change with time or differ between people.",
            default="all",
            see="configuration.md#filter-words",
        ),
    ]
    zone: Required[Annotated[str, Meaning("The time zone of the hours, such as `Europe/Rome`.")]]
    hours: Required[
        Annotated[
            list[str],
            Meaning(
                "Business hours: days, then one or more periods that don't overlap, until `24:00` at most, such "
                "as `mon-fri 09:00-13:00 14:00-18:00`."
            ),
        ]
    ]
    holidays: Annotated[list[str], Meaning("Dates on which you are closed, such as `2026-12-24`.", default="none")]
    country: Annotated[
        str,
        Meaning(
            "A country, such as `IT`, or a part of one, such as `DE-BY`, on whose public holidays you are "
            "closed. Needs the extra `holidays`.",
            default="none",
        ),
    ]
    first_response: Annotated[
        str,
        Meaning(
            "Business time for the first response: `45m`, `1h30m`, `16h`. At least one of the three is needed.",
            default="none",
            pattern=_TIME,
        ),
    ]
    next_response: Annotated[
        str, Meaning("Business time for each further response.", default="none", pattern=_TIME)
    ]
    resolution: Annotated[str, Meaning("Business time for a task.", default="none", pattern=_TIME)]
    pauses: Annotated[
        list[str], Meaning("Ids or names of statuses that pause the resolution clock.", default="none")
    ]
    warn: Annotated[
        str,
        Meaning(
            "How long before a deadline you get an alert, in ordinary time, not business time; another one comes "
            "once the deadline has passed.",
            default='"15m"',
            pattern=_TIME,
        ),
    ]
