"""A campaign before it is sent, its tests, and the body that creates it (docs/interface.md, Create campaign).

The id is made at the start, so that nothing is sent under two. A list may be 100,000 recipients, so a screen runs
`build_body`, `recipient_digest` and `is_same_campaign` on a thread.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

import apsw

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.config.settings import TagLabel
from frontdesk.outbox import queue
from frontdesk.storage.records import Change, ChangeKind, Json, JsonObject
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk_lists.models import NO_COUNTRY, ColumnMapping, ListedRecipient, iso_code, members_digest

if TYPE_CHECKING:
    from frontdesk_lists.phone_numbers import Number

SIZE_UNKNOWN = "the number of recipients is unknown until the campaign is sent"
"""Of an audience by tags."""

LIST_SUFFIXES = (".csv", ".txt", ".tsv", ".xlsx", ".xlsm")
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
    """The numbers in a list, and how it is read; None or empty is guessed.

    Attributes:
        skips_doubtful: doubtful rows are left out.
        confirmed: the fields of `columns` that a person chose.
        headings: the first row at that time; with others, the columns are other ones.
    """

    path: str
    sheet: str = ""
    columns: ColumnMapping | None = None
    encoding: str = ""
    delimiter: str = ""
    skips_doubtful: bool = False
    confirmed: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()


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
        country: ISO code for numbers without a calling code; empty for none.
        country_reason: why frontdesk suggested the country; empty where a person chose it.
        is_country_chosen: a person chose the country, or none.
        made_at: Unix seconds.
        test_of: the draft that this one is a test of; empty for any other.
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
    country_reason: str = ""
    is_country_chosen: bool = False
    test_of: str = ""

    @property
    def has_own_id(self) -> bool:
        return not self.campaign_id.endswith(f"-{self.draft_id}")

    @property
    def home_country(self) -> str | None:
        """Return the country to read a list with: `NO_COUNTRY` where a person chose none, None while undecided."""
        return self.country or (NO_COUNTRY if self.is_country_chosen else None)


def new_draft(now: datetime, chance: Random, audience: Audience | None = None) -> Draft:
    """Make a draft with a new id by `chance`, which has the day of `now` in the person's zone."""
    tail = "".join(chance.choice(_ALPHABET) for _ in range(TAIL_LETTERS))
    return Draft(tail, CampaignId(f"campaign-{now:%Y%m%d}-{tail}"), now.timestamp(), audience=audience)


def rename_draft(draft: Draft, name: str) -> Draft:
    """Rename the draft; a generated id follows the name."""
    if draft.has_own_id:
        return replace(draft, name=name)
    day = draft.campaign_id.rsplit("-", 2)[1]
    return replace(draft, name=name, campaign_id=CampaignId(f"{slug(name)}-{day}-{draft.draft_id}"))


def with_answer(draft: Draft, field: str, answer: str) -> Draft:
    """Return the draft with a typed answer in one of its texts; an empty country isn't decided."""
    if field == "name":
        return rename_draft(draft, answer)
    if field == "country":
        country = "" if answer.casefold() == NO_COUNTRY else iso_code(answer)
        return replace(draft, country=country, country_reason="", is_country_chosen=bool(answer))
    changed: dict[str, Any] = {field: answer}
    return replace(draft, **changed)


def known_texts(raw: Json) -> dict[str, Any]:
    """Return the texts of a draft, other than its name, that a campaign of the platform has."""
    return {field: json_access.text(raw.get(name)) for field, name in _NAMES.items()}


_NAMES = {
    "description": "description",
    "workflow_id": "workflowId",
    "workflow_name": "workflowName",
    "line_id": "associatedToBusinessId",
    "folder_id": "folderId",
}


def slug(name: str) -> str:
    """Return a name's plain letters and digits, for an id; `campaign` where it has none."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()[:200])
    return plain[:SLUG_LETTERS].strip("-") or "campaign"


def to_json(draft: Draft) -> JsonObject:
    return asdict(draft)


def from_json(kept: object) -> Draft | None:
    """Read a draft that `to_json` wrote; None for anything else. Missing or malformed fields are not decided."""
    if not isinstance(kept, Mapping):
        return None
    draft_id, campaign_id = (json_access.text(kept.get(name)) for name in ("draft_id", "campaign_id"))
    made_at = json_access.number(kept.get("made_at"))
    if not draft_id or not campaign_id or made_at is None:
        return None
    scheduled_at = json_access.number(kept.get("scheduled_at"))
    audience = audience_from_json(kept.get("audience"))
    more = {"scheduled_at": scheduled_at, "audience": audience, **_texts_and_switches(Draft, kept)}
    return Draft(draft_id, CampaignId(campaign_id), made_at, **more)


def audience_from_json(kept: object) -> Audience | None:
    if not isinstance(kept, Mapping):
        return None
    if isinstance(kept.get("tags"), list):
        return FromTags(tuple(tag for each in kept["tags"] if (tag := _tag_from_json(each)) is not None))
    if isinstance(kept.get("path"), str):
        return FromFile(
            kept["path"],
            **_texts_and_switches(FromFile, kept),
            columns=_columns_from_json(kept.get("columns")),
            confirmed=tuple(map(str, json_access.elements(kept.get("confirmed")))),
            headings=tuple(map(str, json_access.elements(kept.get("headings")))),
        )
    if isinstance(kept.get("number"), str):
        return OneCustomer(kept["number"], **_texts_and_switches(OneCustomer, kept))
    return None


def _texts_and_switches(kind: type[Draft | FromFile | OneCustomer], kept: Json) -> dict[str, Any]:
    """Return the fields that are empty or off by default; one of another type isn't decided."""
    found = [(each.name, each.default) for each in fields(kind) if each.default in ("", False)]
    return {name: kept[name] for name, default in found if type(kept.get(name)) is type(default)}


def _tag_from_json(kept: object) -> TagLabel | None:
    tag = json_access.mapping(kept)
    names = ("id", "title", "color", "associated_to")
    tag_id, title, color, account = (json_access.text(tag.get(name)) for name in names)
    return TagLabel(TagId(tag_id), title or tag_id, color, account or None) if tag_id else None


def _columns_from_json(kept: object) -> ColumnMapping | None:
    if not isinstance(kept, Mapping):
        return None
    number, name, country = (_index(kept.get(each)) for each in ("number", "name", "country"))
    return None if number is None else ColumnMapping(number, name, country, kept.get("has_header") is True)


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


UNCOLOURED = "gray"
"""For a tag without a colour; the interface requires one."""

LISTS = ("customerList", "conversationTags")
PART = 500
"""Recipients in a batch: a few milliseconds, so that keys aren't delayed."""

SHOWN_OF_A_LIST = 3
"""Recipients shown at each end of a shortened list."""


def build_body(draft: Draft, recipients: Iterable[ListedRecipient] = ()) -> JsonObject:
    """Build the request body; only an audience from a file uses the recipients."""
    is_future = draft.scheduled_at is not None
    body: JsonObject = {
        "id": draft.campaign_id,
        "name": _without_surrogates(draft.name),
        "contentType": "triggerWorkflow",
        "workflowId": draft.workflow_id,
        "workflowName": _without_surrogates(draft.workflow_name),
        "folderId": _without_surrogates(draft.folder_id),
        "whenToSendMessage": "future" if is_future else "now",
        "associatedToBusinessId": draft.line_id,
        "isActive": True,
    }
    if draft.description:
        body["description"] = _without_surrogates(draft.description)
    if draft.scheduled_at is not None:
        body["scheduledAt"] = round(draft.scheduled_at * 1000)
    audience = draft.audience
    if isinstance(audience, FromTags):
        # A list goes without: all its numbers have their calling code, and as one of the country the platform may
        # read them once more.
        country = {"audienceCountry": draft.country} if draft.country and not draft.country_reason else {}
        tags = [_tag(each) for each in audience.tags]
        return {**body, **country, "source": "tags", "conversationTags": tags}
    if isinstance(audience, OneCustomer):
        recipients = [ListedRecipient(audience.number, audience.name, "", 0)]
    return {**body, "source": "excel", "customerList": [_recipient(each) for each in recipients]}


def split_body(body: JsonObject) -> Iterator[JsonObject]:
    """Yield the body with a part of its recipients each, at least once: other threads work in between."""
    listed = body.get("customerList")
    if not isinstance(listed, list) or len(listed) <= PART:
        yield body
        return
    for first in range(0, len(listed), PART):
        yield {**body, "customerList": listed[first : first + PART]}


def dump_body(body: JsonObject) -> str:
    parts = list(split_body(body))
    if len(parts) == 1:
        return _dump(body)
    head = _dump({name: value for name, value in body.items() if name != "customerList"})
    lists = (_dump(part["customerList"])[1:-1] for part in parts)
    return f'{head[:-1]},"customerList":[{",".join(lists)}]}}'


def body_size(text: str) -> int:
    """Return the bytes of a body as it is sent; what can't be encoded is refused when it is."""
    return len(text.encode("utf-8", "surrogatepass"))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def recipient_count(body: JsonObject) -> int | None:
    """Return the number of recipients; None for tags."""
    listed = body.get("customerList")
    return len(listed) if isinstance(listed, list) else None


def recipient_digest(body: JsonObject) -> str:
    """Return the `members_digest` of the recipients' numbers, or of the tags' ids."""
    return members_digest(members_of(body))


def action_key(body: Json, digest: str | None = None) -> str:
    """Return what a campaign does and to whom, without its id and name; `digest` is that of its recipients."""
    members = members_digest(members_of(body)) if digest is None else digest
    return f"{body.get('workflowId')} {body.get('associatedToBusinessId')} {members}"


def replace_list(body: JsonObject) -> JsonObject:
    """Return the body with a count in place of its recipients."""
    listed = body.get("customerList")
    if not isinstance(listed, list):
        return body
    return {**body, "customerList": f"{len(listed):,} recipients"}


def make_receipt(body: JsonObject, answer: str, sent_at: float | None, now: float) -> JsonObject:
    """Make the record of a created campaign; `answer` is the platform's, or how it was found to be stored."""
    return {
        "campaignId": body.get("id"),
        "name": body.get("name"),
        "answer": answer,
        "sentAt": sent_at,
        "confirmedAt": now,
        "count": recipient_count(body),
        "digest": recipient_digest(body),
        "body": replace_list(body),
    }


def shorten_body(body: JsonObject, most: int = 2 * SHOWN_OF_A_LIST) -> str:
    """Format the body as JSON; a longer list is shortened to its ends."""
    short = {name: _ends(value, most) if name in LISTS else value for name, value in body.items()}
    return json.dumps(short, ensure_ascii=False, indent=2)


def is_same_campaign(sent: JsonObject, stored: JsonObject) -> bool:
    """Whether the stored campaign is what was sent; fields that the platform doesn't return are ignored."""
    if any(name in stored and stored[name] != sent.get(name) for name in _COMPARED):
        return False
    has_list = any(stored.get(name) for name in LISTS)
    return not has_list or members_of(sent) == members_of(stored)


_COMPARED = (
    "name",
    "contentType",
    "workflowId",
    "associatedToBusinessId",
    "whenToSendMessage",
    "scheduledAt",
    "source",
)


def members_of(body: Json) -> list[str]:
    """Return the recipients' numbers or the tags' ids, in order."""
    if isinstance(listed := body.get("customerList"), list):
        return [str(each.get("phoneNumberId")) if isinstance(each, dict) else "" for each in listed]
    tags = body.get("conversationTags")
    return [str(each.get("id")) if isinstance(each, dict) else "" for each in tags or ()]


def _recipient(each: ListedRecipient) -> JsonObject:
    recipient = {"phoneNumberId": each.number}
    if each.name:
        recipient["customerName"] = _without_surrogates(each.name)
    if each.country:
        recipient["countryCode"] = each.country
    return recipient


def _tag(tag: TagLabel) -> JsonObject:
    return {
        "id": tag.id,
        "title": _without_surrogates(tag.title),
        "color": tag.color or UNCOLOURED,
        "associatedTo": tag.associated_to or "",
    }


def _ends(value: Any, most: int) -> Any:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) <= most:
        return value
    half = max(1, most // 2)
    return [*value[:half], f"… {len(value) - 2 * half:,} more …", *value[-half:]]


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


OF_CLONED = "the cloned campaign has it"


@dataclass(frozen=True, slots=True)
class CampaignClone:
    """A draft made of a campaign, and what a person has to give again, in words."""

    draft: Draft
    wanted: tuple[str, ...]


def known_fields(db: apsw.Connection, record: CampaignRecord) -> Json:
    """Return a campaign's fields as the platform has them; what it leaves out, from our receipt and change."""
    receipt = queue.kept(db, draft_store.RECEIPT, record.campaign_id)
    body = json_access.mapping(receipt.get("body")) if isinstance(receipt, Mapping) else {}
    home = next((each.fields.get("country") for each in _created(db, record.campaign_id)), None)
    on_platform = {name: value for name, value in record.raw.items() if value not in (None, "")}
    return {"audienceCountry": home, **body, **on_platform}


def sent_audience(db: apsw.Connection, campaign_id: CampaignId) -> Audience | None:
    """Return the audience of a campaign that was created on the screen, while Activity has it."""
    found = (audience_from_json(each.fields.get("audience")) for each in _created(db, campaign_id))
    return next((each for each in found if each is not None), None)


def _created(db: apsw.Connection, campaign_id: CampaignId) -> Iterator[Change]:
    return (each for each in queue.recent_of(db, campaign_id, limit=100) if each.kind is ChangeKind.CAMPAIGN)


def clone_campaign(
    fields: Json, new: Draft, sent: Audience | None, now: float, is_file: Callable[[str], bool]
) -> CampaignClone | None:
    """Fill a new draft with what is known of a campaign; None where nothing is.

    Args:
        sent: its audience as it was chosen here, where that is known.
        now: Unix seconds; an earlier scheduled time is left out.
        is_file: whether a list is still where it was.
    """
    if not json_access.text(fields.get("workflowId")):
        return None
    country = json_access.text(fields.get("audienceCountry"))
    audience, list_words = _audience(fields, sent, is_file)
    draft = replace(
        new, **known_texts(fields), country="" if country == NO_COUNTRY else country, audience=audience
    )
    if isinstance(audience, FromTags):
        draft = replace(draft, is_country_chosen=bool(country))
    elif draft.country:
        # A file that is read again, or another one, may hold other people.
        draft = replace(draft, country_reason=OF_CLONED)
    at = json_access.number(fields.get("scheduledAt"))
    wanted = [list_words] if list_words else []
    wanted += [
        words for words, value in (("the line", draft.line_id), ("the folder", draft.folder_id)) if not value
    ]
    if at is not None and at / 1000 > now:
        draft = replace(draft, scheduled_at=at / 1000)
    elif fields.get("whenToSendMessage") == "future" or at is not None:
        wanted.append("the time, which has passed")
    return CampaignClone(draft, (*wanted, "the name"))


def _audience(fields: Json, sent: Audience | None, is_file: Callable[[str], bool]) -> tuple[Audience | None, str]:
    """Return the audience, or what has to be given in its place."""
    tags = [json_access.mapping(each) for each in json_access.elements(fields.get("conversationTags"))]
    chosen = audience_from_json({"tags": [{**tag, "associated_to": tag.get("associatedTo")} for tag in tags]})
    if isinstance(chosen, FromTags) and chosen.tags:
        return chosen, ""
    if not isinstance(sent, FromFile):
        return None, "the audience"
    return (sent, "") if is_file(sent.path) else (None, "the list, whose file is gone")


OWN_NUMBER = "own number"
"""Kept: the number that tests are sent to, in digits with the calling code."""

TEST_SUFFIX = " - test"
"""Ends the name of a test, which is typed to send it: signs that every keyboard has."""

EXAMPLE_NUMBER = "+972 52 234 5678"
"""How to write a number; a valid one."""

_MAX_TEST_NAME = 80


class NotOwnNumber(ValueError):
    """The text is no number that a test can be sent to; it says why."""


def read_own_number(typed: str, country: str) -> "Number":
    """Return a number with its calling code, a doubtful one to be confirmed; raises `NotOwnNumber`."""
    # Its tables are large, and most campaigns don't need them.
    from frontdesk_lists.phone_numbers import BadNumber, Form, foreign_number, read_number, two_readings

    try:
        number = read_number(typed, country or None)
        if number.other:
            raise two_readings(number.digits, number.other)
        if number.form is Form.FOREIGN:
            raise foreign_number(number, country)
    except BadNumber as error:
        why = str(error).partition(";")[0]
        raise NotOwnNumber(f"{why}; write the whole number, such as {EXAMPLE_NUMBER}") from None
    return number


def own_number(db: apsw.Connection) -> str:
    kept = queue.kept(db, OWN_NUMBER, "")
    return kept if isinstance(kept, str) else ""


def make_test_draft(
    draft: Draft, number: str, recipient: ListedRecipient | None, now: datetime, chance: Random
) -> Draft:
    """Make a draft that sends the same to one's own number, now, with the name of a recipient of the list."""
    named = draft.audience if isinstance(draft.audience, OneCustomer) else recipient
    made = replace(
        new_draft(now, chance, OneCustomer(number, "" if named is None else named.name)),
        description=draft.description,
        workflow_id=draft.workflow_id,
        workflow_name=draft.workflow_name,
        folder_id=draft.folder_id,
        line_id=draft.line_id,
        test_of=draft.draft_id,
    )
    title = draft.name or draft.workflow_name or "Campaign"
    return rename_draft(made, title[:_MAX_TEST_NAME].rstrip() + TEST_SUFFIX)
