"""The requests of `frontdesk campaigns create`: one POST through the outbox, and what was sent before."""

import contextlib
import dataclasses
import sys
import time
from collections.abc import Sequence
from functools import partial

import apsw
import typer

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.delivery import NOT_SEEN, RENAME, TAKEN
from frontdesk.campaigns.draft import (
    Draft,
    action_key,
    body_size,
    dump_body,
    is_same_campaign,
    make_receipt,
    recipient_count,
)
from frontdesk.campaigns.models import describe_outcome
from frontdesk.campaigns.sent_campaigns import SentCampaign
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.drafts import IN_DOUBT, RECEIPT, created
from frontdesk.campaigns.view.change import sending_words
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, UNREACHABLE, CommandFailed, print_error
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_json, print_line, when
from frontdesk.cli.session import check_input, run_with_client
from frontdesk.cli.write_session import NotConfirmed, WriteSession, run_writes
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import queue
from frontdesk.outbox.delivery import SENT
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError, NotFound
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.campaigns import CampaignCreate
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import MILLIS_FROM, millis_to_seconds

LARGE_BYTES = 100_000
"""A larger request takes long enough to say that it is on its way."""

MAX_UNASKED = 100
"""A dry run asks before it prints more recipients on a terminal."""

MAX_OUTCOMES = 3
"""Requests to say how earlier campaigns ended."""


def create_campaign(body: JsonObject, options: WriteOptions, draft: Draft | None = None) -> tuple[JsonObject, str]:
    """Send a campaign once; return the JSON to print and a sentence. Raises `CommandFailed`."""
    campaign = check_input(CampaignCreate, body).root
    at = campaign.scheduledAt
    if at is not None and abs(at) < MILLIS_FROM:
        raise CommandFailed(
            INPUT_WRONG, "$.scheduledAt: must be Unix milliseconds, but looks like seconds; nothing was sent"
        )
    if campaign.whenToSendMessage == "future" and at is not None and at < time.time() * 1000:
        raise CommandFailed(INPUT_WRONG, "$.scheduledAt: is in the past; nothing was sent")

    async def work(session: WriteSession) -> tuple[JsonObject, str]:
        if not session.is_direct:
            await session.require_settled([campaign.id])
            if queue.kept(session.store.reading, RECEIPT, campaign.id) is not None:
                raw, words = await read_stored(session.client, campaign.id)
                if is_same_campaign(body, raw):
                    return raw, words
                raise CommandFailed(REFUSED, f"{TAKEN}; choose another id; nothing was sent")
        size_bytes = body_size(dump_body(body))
        if size_bytes >= LARGE_BYTES:
            words = sending_words(recipient_count(body), size_bytes, time.time(), local_zone()).text
            print_error(f"sending {words}; this can take a while")
        try:
            sent = await session.send_one(
                campaign.id,
                lambda store: CampaignCommands(store).create(draft, body, keeps_draft=False),
                lambda client: client.create_campaign(body),
                arrived=f"the platform has the campaign {campaign.id}",
            )
        except NotConfirmed as error:
            words = str(error).replace(RENAME, "choose another id")
            if error.status == UNREACHABLE:
                words += f"; run `frontdesk campaigns get {campaign.id}` before you resend it with the same id"
            raise NotConfirmed(error.status, words, error.change) from None
        if sent.change is None:
            return sent.answer.raw, sent.answer.value.message
        if sent.change.theirs is None:
            with contextlib.suppress(ApiError):  # it is known to be there
                return await read_stored(session.client, campaign.id)
            return {"id": campaign.id}, f"The platform has the campaign {campaign.id}"
        return dict(sent.change.theirs), str(sent.change.theirs.get("message"))

    return run_writes(work, options)


def wants_rows(body: JsonObject) -> bool:
    """Ask before a dry run fills a terminal with a long list; a file or a pipe gets it without a question."""
    count = recipient_count(body) or 0
    if count <= MAX_UNASKED or not sys.stdout.isatty():
        return True
    if sys.stdin.isatty() and typer.confirm(f"Print the request with all {count:,} recipients?", err=True):
        return True
    print_error(f"not printed: {count:,} recipients; to keep the request, write it to a file with > FILE")
    print_error("nothing was sent: this is a dry run")
    return False


def print_answer(answer: JsonObject, sentence: str, options: WriteOptions) -> None:
    if options.as_json:
        print_json(answer)
    else:
        print_line(sentence)


async def read_stored(client: PlatformClient, campaign_id: CampaignId) -> tuple[JsonObject, str]:
    """Return a campaign, and since when it is stored: one with an own id may have been there before."""
    stored = await client.get_campaign(campaign_id)
    created = stored.value.created
    since = "" if created is None else f", created {when(millis_to_seconds(created))}"
    status = stored.value.status or "no status"
    return stored.raw, f"Checked afterwards: the platform has the campaign {campaign_id} ({status}{since})"


def settle_doubts(store: ProfileStore, body: JsonObject, own_id: str, options: WriteOptions) -> bool:
    """Find out what became of the same campaign with an unknown outcome; return whether it is there as `own_id`.

    Args:
        own_id: under this id it may be sent once more.

    Raises:
        CommandFailed: that can't be found out, or the platform doesn't show it and it has another id.
    """
    has_arrived, action = False, action_key(body)
    for each in queue.unsettled(store.reading, ChangeKind.CAMPAIGN):
        if not each.sends or action_key(each.fields, each.fields.get("digest")) != action:
            continue
        if each.state in SENT:
            run_writes(partial(WriteSession.settle_unknown, targets=[each.target]), options)
        now = queue.change(store.reading, each.change_id) or each
        words = f"already sent as {each.target}, outcome unknown"
        if now.state in UNCONFIRMED:
            why = f"couldn't check whether it arrived ({now.reason})"
            raise CommandFailed(UNREACHABLE, f"{words}, and {why}; nothing was sent")
        if now.state is ChangeState.CONFLICT and now.reason.endswith(NOT_SEEN) and each.target != own_id:
            raise CommandFailed(INPUT_WRONG, _resend_words(words, each.target))
        has_arrived |= now.state is ChangeState.CONFIRMED and each.target == own_id
    doubt = queue.kept(store.reading, IN_DOUBT, action)
    if has_arrived or not isinstance(doubt, str):
        return has_arrived
    return _settle_doubt(store, body, action, CampaignId(doubt), own_id)


def _settle_doubt(store: ProfileStore, body: JsonObject, action: str, doubt: CampaignId, own_id: str) -> bool:
    """Do the same for one that an earlier version sent; it gets the receipt that it lacks."""
    try:
        raw, words = run_with_client(lambda client: read_stored(client, doubt))
    except NotFound:
        if doubt != own_id:
            raise CommandFailed(
                INPUT_WRONG, _resend_words(f"already sent as {doubt}, outcome unknown", doubt)
            ) from None
        return False
    is_same, now = action_key({**body, **raw}) == action, store.clock()
    receipt = make_receipt({**body, **raw}, words, None, now)

    def settle(db: apsw.Connection) -> None:
        queue.forget(db, IN_DOUBT, action)
        if is_same:
            created(db, doubt, receipt, "", now)

    store.write(settle).result()
    return is_same and doubt == own_id


def _resend_words(sent: str, campaign_id: str) -> str:
    return f"{sent}: the platform doesn't show it; resend it with --id {campaign_id}; nothing was sent this time"


async def with_outcomes(client: PlatformClient, sent: Sequence[SentCampaign]) -> tuple[SentCampaign, ...]:
    """Read how the newest of these campaigns ended; the store may never have."""
    found = list(sent)
    for nth, each in enumerate(sent[:MAX_OUTCOMES]):
        with contextlib.suppress(ApiError):
            raw = (await client.get_campaign(each.campaign_id)).raw
            record = campaign_store.unstored(each.campaign_id, campaign_store.prepare(raw), 0.0)
            found[nth] = dataclasses.replace(each, outcome=describe_outcome(record))
    return tuple(found)
