"""A new draft from a campaign that exists, for the wizard: what is known of it, and what has to be given again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.audience.models import NO_COUNTRY
from frontdesk.campaigns.draft import Audience, Draft, FromFile, FromTags, audience_from_json, known_texts
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.outbox import queue
from frontdesk.storage import json_access
from frontdesk.storage.records import Change, ChangeKind, Json

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
        new,
        **known_texts(fields),
        country="" if country == NO_COUNTRY else country,
        audience=audience,
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
