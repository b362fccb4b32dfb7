"""The business of the sandbox as plain data: lines, people, statuses, tags, folders, campaigns.

`frontdesk demo` writes a profile's catalogues from it, so nothing heavy may be imported here.
"""

from dataclasses import dataclass

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
    """A business number or page.

    Attributes:
        per_second: the pace of campaigns; a new line is slow until it has a name.
        languages: the languages of its customers.
    """

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


LINES: tuple[Line, ...] = (
    Line("972737001200", "Acme Home Israel", "whatsapp", ("he", "he", "he", "ar", "en"), 10),
    Line("34911230045", "Acme Home España", "whatsapp", ("es",), 5),
    Line("442079460018", "Acme Home Deliveries", "whatsapp", ("en", "en", "he", "ar"), 7, per_second=2.0),
    Line("17841400008123401", "acme.home on Instagram", "instagram", ("en", "es", "he"), 4),
    Line("104729871230456", "Acme Home page", "facebookMessenger", ("en", "ar"), 3),
    Line("web-acme-home", "Website chat", "web", ("en", "he", "es"), 3),
)

DELIVERIES_LINE = LINES[2].id

AGENTS: tuple[Agent, ...] = (
    Agent("agent-noa", "Noa Ben-David", "noa@acme-home.example"),
    Agent("agent-daniel", "Daniel Katz", "daniel@acme-home.example"),
    Agent("agent-lina", "Lina Khoury", "lina@acme-home.example"),
    Agent("agent-marta", "Marta Ruiz", "marta@acme-home.example"),
    Agent("agent-tom", "Tom Fletcher", "tom@acme-home.example"),
    Agent("agent-yael", "Yael Mizrahi", "yael@acme-home.example"),
    Agent("agent-omar", "Omar Nasser", "omar@acme-home.example"),
    Agent("agent-pilar", "Pilar Gómez", "pilar@acme-home.example"),
)
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
STATUSES: tuple[Status, ...] = (
    BUILT_IN_STATUSES[0],
    BUILT_IN_STATUSES[1],
    *CUSTOM_STATUSES,
    BUILT_IN_STATUSES[2],
)

TAGS: tuple[Tag, ...] = (
    Tag("tag-vip", "VIP", "#d4a017"),
    Tag("tag-refund", "Refund", "#c0392b"),
    Tag("tag-late", "Late delivery", "#e67e22"),
    Tag("tag-damaged", "Damaged", "rgb(180, 60, 60)"),
    Tag("tag-assembly", "Assembly", "teal"),
    Tag("tag-invoice", "Invoice", "slateblue"),
    Tag("tag-newsletter", "Newsletter", "#2e86de"),
    Tag("tag-wholesale", "Wholesale", "darkgreen"),
    Tag("tag-complaint", "Complaint", "#8e44ad"),
    Tag("tag-returning", "Returning customer", "#27ae60"),
)

CAMPAIGN_FOLDER = "folder-campaigns"
FOLDERS: tuple[str, ...] = ("folder-service", "folder-sales", "folder-deliveries", CAMPAIGN_FOLDER)

RUNNING_CAMPAIGN = "cmp-early-access"
CAMPAIGNS: tuple[tuple[str, str], ...] = (
    (RUNNING_CAMPAIGN, "Members' early access"),
    ("cmp-delivery-survey", "How was your delivery?"),
    ("cmp-back-in-stock", "Oak shelves are back"),
    ("cmp-weekend", "Weekend offers"),
    ("cmp-win-back", "We miss you"),
    ("cmp-loyalty", "Your loyalty points"),
    ("cmp-showroom", "Showroom opening"),
)
CAMPAIGN_IDS: tuple[str, ...] = tuple(identity for identity, _name in CAMPAIGNS)

OTHER_LINE = Line("31201230099", "Birch & Co", "whatsapp", ("en",))
OTHER_TASKS: tuple[str, ...] = ("Quote for a walnut table", "Call back about fabric samples")
