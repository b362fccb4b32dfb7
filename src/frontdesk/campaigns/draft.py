"""A campaign before it is sent, to and from JSON; its id is made first, so that nothing is sent under two."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from frontdesk.api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk.campaigns.audience.models import ColumnMapping
from frontdesk.config.settings import TagLabel
from frontdesk.storage.records import JsonObject

SLUG_LETTERS = 24
TAIL_LETTERS = 7
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters that are not taken for one another when they are read aloud: 31 ** 7 ids on each day."""


@dataclass(frozen=True, slots=True)
class FromTags:
    """The conversations that carry any of these tags."""

    tags: tuple[TagLabel, ...]


@dataclass(frozen=True, slots=True)
class FromFile:
    """The numbers in a list, and how it is read; None or empty is guessed."""

    path: str
    sheet: str = ""
    columns: ColumnMapping | None = None
    encoding: str = ""
    delimiter: str = ""


@dataclass(frozen=True, slots=True)
class OneCustomer:
    """One customer, by a number with its calling code."""

    number: str
    name: str = ""


Audience = FromTags | FromFile | OneCustomer


@dataclass(frozen=True, slots=True)
class Draft:
    """What was decided about a campaign; empty or None is not decided yet.

    Attributes:
        draft_id: the end of a generated `campaign_id`.
        when_words: as the person wrote them; empty is now.
        scheduled_at: Unix seconds; None is now.
        country: ISO code for numbers without a calling code.
        made_at: Unix seconds.
    """

    draft_id: str
    campaign_id: CampaignId
    made_at: float
    name: str = ""
    description: str = ""
    workflow_id: WorkflowId = WorkflowId("")
    workflow_name: str = ""
    folder_id: FolderId = FolderId("")
    line_id: LineId = LineId("")
    when_words: str = ""
    scheduled_at: float | None = None
    country: str = ""
    audience: Audience | None = None

    @property
    def has_own_id(self) -> bool:
        return not self.campaign_id.endswith(f"-{self.draft_id}")


def new_draft(now: datetime, chance: Random, audience: Audience | None = None) -> Draft:
    """Make a draft with a new id, which has the day of `now` in the person's zone.

    Args:
        chance: the source of ids; `random.SystemRandom()` outside of tests.
    """
    tail = _tail(chance)
    return Draft(tail, CampaignId(f"campaign-{now:%Y%m%d}-{tail}"), now.timestamp(), audience=audience)


def named(draft: Draft, name: str) -> Draft:
    """Rename the draft; a generated id follows the name."""
    if draft.has_own_id:
        return _with(draft, name=name)
    day = draft.campaign_id.rsplit("-", 2)[1]
    return _with(draft, name=name, campaign_id=CampaignId(f"{slug(name)}-{day}-{draft.draft_id}"))


def slug(name: str) -> str:
    """Return a name's plain letters and digits, for an id; `campaign` where it has none."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()[:200])[: SLUG_LETTERS + 1]
    return plain[:SLUG_LETTERS].strip("-") or "campaign"


def to_json(draft: Draft) -> JsonObject:
    kept = {name: getattr(draft, name) for name in (*_TEXTS, "made_at", "scheduled_at")}
    kept["audience"] = _audience_to_json(draft.audience)
    return kept


def from_json(kept: object) -> Draft | None:
    """Read a draft that `to_json` wrote; None for anything else. Missing or malformed fields are not decided."""
    if not isinstance(kept, Mapping):
        return None
    texts = {name: kept[name] for name in _TEXTS if isinstance(kept.get(name), str)}
    made_at = _number(kept.get("made_at"))
    if not texts.get("draft_id") or not texts.get("campaign_id") or made_at is None:
        return None
    scheduled_at = _number(kept.get("scheduled_at"))
    audience = _audience_from_json(kept.get("audience"))
    return Draft(**texts, made_at=made_at, scheduled_at=scheduled_at, audience=audience)


_TEXTS = (
    "draft_id",
    "campaign_id",
    "name",
    "description",
    "workflow_id",
    "workflow_name",
    "folder_id",
    "line_id",
    "when_words",
    "country",
)
_TAG_FIELDS = ("id", "title", "color", "associated_to")
_FILE_TEXTS = ("path", "sheet", "encoding", "delimiter")
_COLUMNS = ("number", "name", "country", "has_header")


def _with(draft: Draft, **values: Any) -> Draft:
    from dataclasses import replace

    return replace(draft, **values)


def _tail(chance: Random) -> str:
    return "".join(chance.choice(_ALPHABET) for _ in range(TAIL_LETTERS))


def _audience_to_json(audience: Audience | None) -> JsonObject | None:
    if isinstance(audience, FromTags):
        return {"tags": [{name: getattr(tag, name) for name in _TAG_FIELDS} for tag in audience.tags]}
    if isinstance(audience, FromFile):
        chosen = audience.columns
        columns = None if chosen is None else {name: getattr(chosen, name) for name in _COLUMNS}
        return {**{name: getattr(audience, name) for name in _FILE_TEXTS}, "columns": columns}
    if isinstance(audience, OneCustomer):
        return {"number": audience.number, "name": audience.name}
    return None


def _audience_from_json(kept: object) -> Audience | None:
    if not isinstance(kept, Mapping):
        return None
    if isinstance(kept.get("tags"), list):
        return FromTags(tuple(tag for each in kept["tags"] if (tag := _tag_from_json(each)) is not None))
    if isinstance(kept.get("path"), str):
        texts = {name: kept[name] for name in _FILE_TEXTS if isinstance(kept.get(name), str)}
        return FromFile(**texts, columns=_columns_from_json(kept.get("columns")))
    if isinstance(kept.get("number"), str):
        name = kept.get("name")
        return OneCustomer(kept["number"], name if isinstance(name, str) else "")
    return None


def _tag_from_json(kept: object) -> TagLabel | None:
    if not isinstance(kept, Mapping) or not isinstance(kept.get("id"), str):
        return None
    title, color, associated_to = (kept.get(name) for name in _TAG_FIELDS[1:])
    return TagLabel(
        TagId(kept["id"]),
        title if isinstance(title, str) else kept["id"],
        color if isinstance(color, str) else "",
        associated_to if isinstance(associated_to, str) else None,
    )


def _columns_from_json(kept: object) -> ColumnMapping | None:
    if not isinstance(kept, Mapping):
        return None
    number, name, country = (_index(kept.get(each)) for each in _COLUMNS[:3])
    return None if number is None else ColumnMapping(number, name, country, kept.get("has_header") is True)


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
