"""The request body that creates a campaign (docs/interface.md, Create campaign), and its short forms.

A list may be 100,000 recipients, so a screen runs `body_of`, `digest_of` and `same_campaign` on a thread.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from frontdesk.campaigns.audience.models import ListedRecipient
from frontdesk.campaigns.draft import Draft, FromTags, OneCustomer
from frontdesk.config.settings import TagLabel
from frontdesk.storage.records import JsonObject

UNCOLOURED = "gray"
"""Of a tag whose colour nobody has said; the interface wants one."""

LISTS = ("customerList", "conversationTags")
PART = 500
"""Recipients that are worked through in one go: a few milliseconds, of which no key takes notice."""

SHOWN_OF_A_LIST = 3
"""How many recipients stand at each end of a list that is shown shortened."""


def body_of(draft: Draft, recipients: Iterable[ListedRecipient] = ()) -> JsonObject:
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
    if draft.country:
        body["audienceCountry"] = draft.country
    audience = draft.audience
    if isinstance(audience, FromTags):
        return {**body, "source": "tags", "conversationTags": [_tag(each) for each in audience.tags]}
    if isinstance(audience, OneCustomer):
        one = [ListedRecipient(audience.number, audience.name, "", 0)]
        return {**body, "source": "excel", "customerList": [_recipient(each) for each in one]}
    return {**body, "source": "excel", "customerList": [_recipient(each) for each in recipients]}


def in_parts(body: JsonObject) -> Iterator[JsonObject]:
    """Yield the body with a part of its recipients each, at least once: other threads work in between."""
    listed = body.get("customerList")
    if not isinstance(listed, list) or len(listed) <= PART:
        yield body
        return
    for first in range(0, len(listed), PART):
        yield {**body, "customerList": listed[first : first + PART]}


def text_of(body: JsonObject) -> str:
    """The body as JSON, for keeping."""
    parts = list(in_parts(body))
    if len(parts) == 1:
        return json.dumps(body, ensure_ascii=False)
    head = json.dumps({name: value for name, value in body.items() if name != "customerList"}, ensure_ascii=False)
    lists = (json.dumps(part["customerList"], ensure_ascii=False)[1:-1] for part in parts)
    return f'{head[:-1]}, "customerList": [{", ".join(lists)}]}}'


def count_of(body: JsonObject) -> int | None:
    """The number of recipients; None for tags."""
    listed = body.get("customerList")
    return len(listed) if isinstance(listed, list) else None


def digest_of(body: JsonObject) -> str:
    """SHA-256 in hex over the recipients' numbers in order, or the tags' ids, a line feed after each."""
    import hashlib  # brings OpenSSL, which a screen does without

    digest = hashlib.sha256()
    for each in _members(body):
        digest.update(each.encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()


def action_key(body: JsonObject) -> str:
    """What a campaign does and to whom, whatever its id and its name are."""
    return f"{body.get('workflowId')} {body.get('associatedToBusinessId')} {digest_of(body)}"


def without_list(body: JsonObject) -> JsonObject:
    """The body with a count in place of its recipients."""
    listed = body.get("customerList")
    if not isinstance(listed, list):
        return body
    return {**body, "customerList": f"{len(listed):,} recipients"}


def receipt_of(body: JsonObject, answer: str, sent_at: float | None, now: float) -> JsonObject:
    """Make the record that is kept of a created campaign.

    Args:
        answer: the platform's words, or how it was found to be stored.
        sent_at: Unix seconds, where that is known.
    """
    return {
        "campaignId": body.get("id"),
        "name": body.get("name"),
        "answer": answer,
        "sentAt": sent_at,
        "confirmedAt": now,
        "count": count_of(body),
        "digest": digest_of(body),
        "body": without_list(body),
    }


def shortened(body: JsonObject, most: int = 2 * SHOWN_OF_A_LIST) -> str:
    """The body as JSON to look at; of a longer list its ends, and how many are left out."""
    short = {name: _ends(value, most) if name in LISTS else value for name, value in body.items()}
    return json.dumps(short, ensure_ascii=False, indent=2)


def same_campaign(sent: JsonObject, stored: JsonObject) -> bool:
    """Whether the stored campaign is what was sent; fields that the platform doesn't return are ignored."""
    for name in _COMPARED:
        if name in stored and stored[name] != sent.get(name):
            return False
    has_list = any(stored.get(name) for name in LISTS)
    return not has_list or _members(sent) == _members(stored)


_COMPARED = (
    "name",
    "contentType",
    "workflowId",
    "associatedToBusinessId",
    "whenToSendMessage",
    "scheduledAt",
    "source",
)


def _members(body: JsonObject) -> list[str]:
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
