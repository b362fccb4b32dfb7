"""CampaignCommands: one write for each user action on campaigns, of which creating one is a change in the outbox.

What takes a connection runs inside one write transaction of the store.
"""

from collections.abc import Sequence
from concurrent.futures import Future

import apsw

from frontdesk.campaigns import draft as drafts
from frontdesk.campaigns.draft import (
    OWN_NUMBER,
    Draft,
    FromFile,
    body_size,
    dump_body,
    recipient_count,
    recipient_digest,
    split_body,
)
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.campaigns.store import drafts as store_drafts
from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import new_batch
from frontdesk.outbox.changes import SENT_ANEW, ChangeHandler, NotPossible
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import (
    NEEDS_PERSON,
    UNCONFIRMED,
    Change,
    ChangeKind,
    ChangeState,
    Json,
    JsonObject,
    Made,
)
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId

CAMPAIGN_HOLD_SECONDS = 5.0
"""No campaign can be stopped once it was sent, so it waits as long as tags do: `u` takes it back."""


class CampaignCommands:
    """Commands on watched campaigns, drafts, sent campaigns and delivery results."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def watch(self, *campaign_ids: CampaignId) -> None:
        now = self._store.clock()
        self._store.write_unawaited(lambda db: campaigns.watch(db, campaign_ids, now))

    def unwatch(self, campaign_id: CampaignId) -> None:
        self._store.write_unawaited(lambda db: campaigns.unwatch(db, campaign_id))

    def create(self, draft: Draft | None, body: JsonObject, *, keeps_draft: bool = True) -> "Future[Change]":
        """Send a campaign once; until it leaves, it can be undone.

        The future raises `NotPossible` where it can't be sent so, or is on its way already.
        """
        made = Made(new_batch(), "", self._store.clock())
        return self._store.write(lambda db: create(db, draft, body, made, keeps_draft=keeps_draft))

    def keep_draft(self, draft: Draft) -> "Future[None]":
        now = self._store.clock()
        kept = self._store.write(lambda db: keep_draft(db, draft, now))
        self._store.report_refusal(kept)
        return kept

    def keep_own_number(self, number: str) -> "Future[None]":
        """Keep the number that tests of drafts are sent to."""
        now = self._store.clock()
        kept = self._store.write(lambda db: queue.keep(db, OWN_NUMBER, "", number, now))
        self._store.report_refusal(kept)
        return kept

    def forget_draft(self, draft_id: str) -> "Future[None]":
        return self._store.write(lambda db: queue.forget(db, store_drafts.DRAFT, draft_id))

    def read_delivery_results(self, campaign_id: CampaignId, wanted: int) -> None:
        """Have the engine read delivery results until so many recipients are known."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: delivery_results.begin(db, campaign_id, wanted, now))

    def stop_delivery_results(self, campaign_id: CampaignId) -> None:
        self._store.write_unawaited(lambda db: delivery_results.stop(db, campaign_id))


def create(
    db: apsw.Connection, draft: Draft | None, body: JsonObject, made: Made, *, keeps_draft: bool = True
) -> Change:
    """Add a campaign and its body to the outbox; held for as long as it can be undone.

    Args:
        draft: None for a body that no draft was made for.
        keeps_draft: whether it can be changed and sent again if this isn't accepted.

    Raises:
        NotPossible: it can't be sent so, or is on its way or stored already.
    """
    _require_contract(body)
    target, now = str(body["id"]), made.now
    if body.get("scheduledAt", now * 1000 + 1) <= now * 1000:
        raise NotPossible("the scheduled time has passed; choose another")
    before = _of_campaign(db, target)
    if any(each.state in UNCONFIRMED for each in before):
        raise NotPossible(f"the campaign {target} is already in the outbox; see Activity", quotes=True)
    if queue.kept(db, store_drafts.RECEIPT, target) is not None:
        raise NotPossible(f"the campaign {target} already exists", quotes=True)
    if draft is not None:
        _release_other_ids(db, draft, target, now)
    _replace(db, before, now)
    text = dump_body(body)
    store_drafts.keep_body(db, target, text, now)
    if draft is not None and keeps_draft and not draft.test_of:  # of a test nothing is decided again
        keep_draft(db, draft, now)
    made = made._replace(label=f"Campaign: {body['name']}")
    fields = {**_fields(draft, body), "bytes": body_size(text)}
    change_id = queue.add(db, made, ChangeKind.CAMPAIGN, target, fields, {}, CAMPAIGN_HOLD_SECONDS)
    batches.record(db, made)
    change = queue.change(db, change_id)
    assert change is not None
    return change


def _release_other_ids(db: apsw.Connection, draft: Draft, target: str, now: float) -> None:
    """Release a draft's rejected changes under other names; raises `NotPossible` where one may have arrived."""
    for other in store_drafts.other_ids(db, draft.draft_id, target):
        before = _of_campaign(db, other)
        if queue.was_sent(db, other, ChangeKind.CAMPAIGN) or any(each.state in UNCONFIRMED for each in before):
            raise NotPossible(f"this draft may already have been sent as {other}; see Activity", quotes=True)
        _replace(db, before, now)
        store_drafts.forget_body(db, other)


def _of_campaign(db: apsw.Connection, campaign_id: str) -> list[Change]:
    """Return a campaign's changes, and not those of a workflow that has the same id."""
    return [each for each in queue.recent_of(db, campaign_id, limit=100) if each.kind is ChangeKind.CAMPAIGN]


def _replace(db: apsw.Connection, before: Sequence[Change], now: float) -> None:
    for each in before:
        queue.move(db, each.change_id, ChangeState.DROPPED, expected=NEEDS_PERSON, now=now, reason=SENT_ANEW)


def keep_draft(db: apsw.Connection, draft: Draft, now: float) -> None:
    """Keep a draft across restarts, unless its campaign is created."""
    if queue.kept(db, store_drafts.RECEIPT, draft.campaign_id) is not None:
        return
    queue.keep(db, store_drafts.DRAFT, draft.draft_id, drafts.to_json(draft), now)


def drafts_of(db: apsw.Connection) -> tuple[Draft, ...]:
    """Return the drafts that aren't on their way, the newest last."""
    found = (drafts.from_json(each) for each in queue.all_kept(db, store_drafts.DRAFT).values())
    pending = queue.live_targets(db)
    return tuple(each for each in found if each is not None and each.campaign_id not in pending)


def _fields(draft: Draft | None, body: JsonObject) -> Json:
    names = ("name", "workflowName", "workflowId", "associatedToBusinessId", "source", "scheduledAt")
    fields: JsonObject = {name: body[name] for name in names if name in body}
    fields |= {"count": recipient_count(body), "digest": recipient_digest(body)}
    if draft is None:
        return fields
    fields["draftId"] = draft.draft_id
    if isinstance(draft.audience, FromFile):
        # So that the campaign can be cloned; the platform isn't told the country of a list.
        fields |= {"audience": drafts.to_json(draft)["audience"], "country": draft.home_country}
    if draft.test_of:
        fields["testOf"] = draft.test_of
    return fields


def _require_contract(body: JsonObject) -> None:
    from pydantic import ValidationError  # not before somebody creates a campaign

    from frontdesk_api.contract.campaigns import CampaignCreate

    try:
        for part in split_body(body):
            CampaignCreate.model_validate(part)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("tags", "excel"))
        raise NotPossible(
            f"the campaign isn't valid: {where + ': ' if where else ''}{first['msg']}", quotes=True
        ) from None


class CampaignChangeHandler(ChangeHandler):
    """Keeps a campaign's body for as long as it may be sent again."""

    def __init__(self) -> None:
        super().__init__(
            "the platform can't stop a campaign",
            "redo can't send a campaign; to send it, open its saved draft on the screen where you created it",
        )

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        store_drafts.forget_body(db, change.target)

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:
        _require_sendable(db, change, now)
        return super().send_again(db, change, now, over_theirs=over_theirs)


def _require_sendable(db: apsw.Connection, change: Change, now: float) -> None:
    if not store_drafts.has_body(db, change.target):
        raise NotPossible(
            "the campaign's data is gone; to send it, open its saved draft on the screen where you created it"
        )
    if any(each.state in UNCONFIRMED for each in queue.live_for(db, change.target)):
        raise NotPossible("the campaign is already in the outbox")
    scheduled_at = json_access.number(change.fields.get("scheduledAt"))
    if scheduled_at is not None and scheduled_at / 1000 <= now:
        raise NotPossible(
            "the scheduled time has passed; open the campaign's saved draft on the screen where you created it, "
            "and choose another time"
        )
