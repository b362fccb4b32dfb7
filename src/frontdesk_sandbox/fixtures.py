"""The business of the sandbox as plain data: lines, people, statuses, tags, folders, campaigns.

`frontdesk demo` writes a profile's catalogues from it, so nothing heavy may be imported here.
"""

from dataclasses import dataclass

from frontdesk_sandbox.data import read_table

ACCOUNT = "acme-home"
OTHER_ACCOUNT = "birch-and-co"

COOKIE_NAME = "token"
TOKEN = "sandbox"
COOKIE = f"{COOKIE_NAME}={TOKEN}"
API_KEY = "sandbox-key"
BEARER = "sandbox-bearer"
OTHER_TOKEN = "sandbox-other"
OTHER_API_KEY = "other-key"
OTHER_BEARER = "other-bearer"


@dataclass(frozen=True, slots=True)
class Line:
    """A business number or page; `per_second` is the pace of campaigns, slow while a new line has no name."""

    id: str
    label: str
    platform: str
    languages: tuple[str, ...] = ("en",)
    weight: int = 1
    per_second: float = 80.0


@dataclass(frozen=True, slots=True)
class Agent:
    """A member of the team."""

    id: str
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Status:
    """A task status and its name for people."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A conversation tag, with the four fields of the interface."""

    id: str
    title: str
    color: str
    associatedTo: str = ACCOUNT


_BUSINESS = read_table("business")

LINES = tuple(Line(**line | {"languages": tuple(line["languages"])}) for line in _BUSINESS["lines"])

DELIVERIES_LINE = LINES[2].id

AGENTS = tuple(Agent(**agent) for agent in _BUSINESS["agents"])
ME = AGENTS[0]

BUILT_IN_STATUSES: tuple[Status, ...] = (
    Status("open", "Open"),
    Status("standby", "In progress"),
    Status("completed", "Completed"),
)
CUSTOM_STATUSES: tuple[Status, ...] = (
    Status("st-waiting-customer", "Waiting for customer"),
    Status("st-with-warehouse", "With the warehouse"),
)
STATUSES: tuple[Status, ...] = (BUILT_IN_STATUSES[0], BUILT_IN_STATUSES[1], *CUSTOM_STATUSES, BUILT_IN_STATUSES[2])

TAGS = tuple(Tag(**tag) for tag in _BUSINESS["tags"])

CAMPAIGN_FOLDER = "folder-campaigns"
FOLDERS: tuple[str, ...] = ("folder-service", "folder-sales", "folder-deliveries", CAMPAIGN_FOLDER)

RUNNING_CAMPAIGN = "cmp-early-access"
CAMPAIGNS = {campaign["id"]: campaign["name"] for campaign in _BUSINESS["campaigns"]}
CAMPAIGN_IDS = tuple(CAMPAIGNS)

OTHER_LINE = Line("31201230099", "Birch & Co", "whatsapp", ("en",))
OTHER_TASKS: tuple[str, ...] = ("Quote for a walnut table", "Call back about fabric samples")
