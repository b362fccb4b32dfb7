"""The requests of `frontdesk campaigns create`: one POST, read back when in doubt, and what was sent before."""

import contextlib
import dataclasses
import time
from collections.abc import Sequence

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import Ambiguous, ApiError, NotFound
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.campaigns import Campaign, CampaignCreate
from frontdesk.api.contract.decode import Item
from frontdesk.api.contract.ids import CampaignId
from frontdesk.api.contract.values import MILLIS_FROM, millis_to_seconds
from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.campaigns.delivery import TAKEN, ReadBack, judge_read_back, refusal_words
from frontdesk.campaigns.draft import action_key, body_size, dump_body, make_receipt, recipient_count
from frontdesk.campaigns.models import describe_outcome
from frontdesk.campaigns.sent_campaigns import SentCampaign
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.drafts import id_in_doubt
from frontdesk.campaigns.view.change import sending_words
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, UNREACHABLE, CommandFailed, print_error
from frontdesk.cli.output import when
from frontdesk.cli.session import check_input, run_with_client
from frontdesk.config.time_zone import local_zone
from frontdesk.storage.database import ProfileStore

LARGE_BYTES = 100_000
"""A larger request takes long enough to say that it is on its way."""

MAX_OUTCOMES = 3
"""Requests to say how earlier campaigns ended."""


class InDoubt(CommandFailed):
    """It was sent, and nobody knows whether it is stored."""


def create_campaign(body: JsonObject, *, dry_run: bool = False, as_json: bool = False) -> tuple[JsonObject, str]:
    """Send a campaign once; return the JSON to print and a sentence.

    Raises:
        CommandFailed: the input is wrong, or the platform refused.
        InDoubt: it isn't known what happened.
    """
    campaign = check_input(CampaignCreate, body).root
    at = campaign.scheduledAt
    if at is not None and abs(at) < MILLIS_FROM:
        raise CommandFailed(
            INPUT_WRONG, "$.scheduledAt: must be Unix milliseconds, but looks like seconds; nothing was sent"
        )
    if campaign.whenToSendMessage == "future" and at is not None and at < time.time() * 1000:
        raise CommandFailed(INPUT_WRONG, "$.scheduledAt: is in the past; nothing was sent")
    return run_with_client(lambda client: _post(client, campaign.id, body), dry_run=dry_run, as_json=as_json)


async def _post(client: PlatformClient, campaign_id: CampaignId, body: JsonObject) -> tuple[JsonObject, str]:
    size_bytes = body_size(dump_body(body))
    if size_bytes >= LARGE_BYTES:
        words = sending_words(recipient_count(body), size_bytes, time.time(), local_zone()).text
        print_error(f"sending {words}; this can take a while")
    try:
        created = await client.create_campaign(body)
    except Ambiguous as error:
        return await _read_back(client, campaign_id, body, error)
    return created.raw, created.value.message


async def _read_back(
    client: PlatformClient, campaign_id: CampaignId, body: JsonObject, error: Ambiguous
) -> tuple[JsonObject, str]:
    """Read the campaign back once; raises unless it is stored as it was sent."""
    check = f"run `frontdesk campaigns get {campaign_id}` before you resend it with the same id"
    refusal = refusal_words(error)
    refused = f"create campaign: rejected by the platform (500: {refusal})"
    stored = None
    try:
        stored = await client.get_campaign(campaign_id)
    except NotFound:
        pass
    except ApiError as second:
        raise InDoubt(
            UNREACHABLE, f"{error}; couldn't check whether the platform has the campaign ({second}); {check}"
        ) from None
    raw = None if stored is None else stored.raw
    found = judge_read_back(body, raw, was_refused=refusal is not None)
    if found is ReadBack.ABSENT:
        raise InDoubt(UNREACHABLE, f"{error}; the platform doesn't show the campaign yet; {check}")
    if found is ReadBack.REFUSED:
        raise CommandFailed(REFUSED, f"{refused}; the platform doesn't have the campaign")
    if found is ReadBack.TAKEN:
        raise CommandFailed(REFUSED, f"{refused}; {TAKEN}; choose another id")
    if found is ReadBack.OTHER or stored is None:
        raise CommandFailed(UNREACHABLE, f"{error}; the platform has a different campaign with this id; {check}")
    return stored.raw, stored_words(stored)


def stored_words(stored: Item[Campaign]) -> str:
    """Say what is stored, and since when: a campaign with an own id may have been there before."""
    created = stored.value.created
    since = "" if created is None else f", created {when(millis_to_seconds(created))}"
    return (
        f"Checked afterwards: the platform has the campaign {stored.value.id}"
        f" ({stored.value.status or 'no status'}{since})"
    )


def settle_doubt(store: ProfileStore, body: JsonObject, own_id: str) -> Item[Campaign] | None:
    """Return the campaign that was sent before with an unknown outcome, if the platform has it.

    Args:
        own_id: under this id it may be sent once more.

    Raises:
        CommandFailed: the platform doesn't show it, and it has another id.
    """
    action = action_key(body)
    doubt = id_in_doubt(store.reading, action)
    if doubt is None:
        return None
    try:
        stored = run_with_client(lambda client: client.get_campaign(doubt))
    except NotFound:
        if own_id == doubt:
            return None
        raise CommandFailed(
            INPUT_WRONG,
            f"already sent as {doubt}, outcome unknown: the platform doesn't show it; resend it with --id {doubt};"
            " nothing was sent this time",
        ) from None
    except ApiError as error:
        raise CommandFailed(
            UNREACHABLE,
            f"already sent as {doubt}, outcome unknown, and couldn't check whether it arrived ({error});"
            " nothing was sent",
        ) from None
    CampaignCommands(store).keep_in_doubt(action, None).result()
    if action_key({**body, **stored.raw}) != action:
        return None
    created = stored.value.created
    sent_at = None if created is None else millis_to_seconds(created)
    receipt = make_receipt({**body, **stored.raw}, stored_words(stored), sent_at, store.clock())
    CampaignCommands(store).keep_receipt(doubt, receipt).result()
    return stored


async def with_outcomes(client: PlatformClient, sent: Sequence[SentCampaign]) -> tuple[SentCampaign, ...]:
    """Read how the newest of these campaigns ended; the store may never have."""
    found = list(sent)
    for nth, each in enumerate(sent[:MAX_OUTCOMES]):
        with contextlib.suppress(ApiError):
            raw = (await client.get_campaign(each.campaign_id)).raw
            record = campaign_store.unstored(each.campaign_id, campaign_store.prepare(raw), 0.0)
            found[nth] = dataclasses.replace(each, outcome=describe_outcome(record))
    return tuple(found)
