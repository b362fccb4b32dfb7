"""Creating a campaign so that nobody is written to twice: checked first, read back when in doubt.

`campaigns create` calls it, with a file of JSON or with what `create_options` has put together. It is
never sent again by itself.
"""

import time

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import Ambiguous, ApiError, NotFound, ServerError
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.campaigns import CampaignCreate
from frontdesk.api.contract.ids import CampaignId
from frontdesk.api.contract.times import MILLIS_FROM
from frontdesk.campaigns.request_body import same_campaign
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, UNREACHABLE, CommandFailed
from frontdesk.cli.session import check_input, talk


class InDoubt(CommandFailed):
    """It was sent, and nobody knows whether it is stored."""


def create_campaign(body: JsonObject, *, has_fresh_id: bool = False) -> tuple[JsonObject, str]:
    """Sends it once; answers what to print as JSON and what to say to people.

    Args:
        has_fresh_id: nobody else can have its id, so what is stored under it as it was sent is this one,
            whatever the platform answered.

    Raises:
        CommandFailed: the input is wrong, or the platform refused.
        InDoubt: it isn't known what happened.
    """
    campaign = check_input(CampaignCreate, body).root
    at = campaign.scheduledAt
    if at is not None and abs(at) < MILLIS_FROM:
        raise CommandFailed(
            INPUT_WRONG, "$.scheduledAt: Unix milliseconds are meant, these look like seconds; nothing was sent"
        )
    if campaign.whenToSendMessage == "future" and at is not None and at < time.time() * 1000:
        raise CommandFailed(INPUT_WRONG, "$.scheduledAt: is in the past; nothing was sent")
    return talk(lambda client: _create(client, campaign.id, body, has_fresh_id))


async def _create(
    client: PlatformClient, campaign_id: CampaignId, body: JsonObject, has_fresh_id: bool
) -> tuple[JsonObject, str]:
    try:
        created = await client.create_campaign(body)
    except Ambiguous as error:
        return await _read_back(client, campaign_id, body, error, has_fresh_id)
    return created.raw, created.value.message


async def _read_back(
    client: PlatformClient, campaign_id: CampaignId, body: JsonObject, error: Ambiguous, has_fresh_id: bool
) -> tuple[JsonObject, str]:
    # docs/interface.md, Create campaign: 500 with the Error body is how it refuses.
    was_refused = isinstance(error, ServerError) and error.status == 500 and error.error is not None
    check = f"check with `frontdesk campaigns get {campaign_id}` before you send it again, with the same id"
    try:
        stored = await client.get_campaign(campaign_id)
    except NotFound:
        if was_refused:
            raise CommandFailed(REFUSED, f"{_words(error)}; read back: it isn't stored") from None
        raise InDoubt(UNREACHABLE, f"{error}; read back: it isn't stored, so far; {check}") from None
    except ApiError as second:
        raise InDoubt(UNREACHABLE, f"{error}; reading it back failed too ({second}); {check}") from None
    is_this_one = same_campaign(body, stored.raw)
    if was_refused and not (has_fresh_id and is_this_one):
        raise CommandFailed(
            REFUSED, f"{_words(error)}; read back: a campaign with this id is stored; take another id"
        )
    if not is_this_one:
        raise CommandFailed(UNREACHABLE, f"{error}; read back: another campaign with this id is stored; {check}")
    return (
        stored.raw,
        f"The answer was lost; read back: {campaign_id} is stored, {stored.value.status or 'no status'}",
    )


def _words(error: Ambiguous) -> str:
    if not isinstance(error, ServerError):
        return str(error)
    reason = ": ".join(part for part in (error.error, error.message) if part)
    return f"create campaign: the platform refused ({error.status}: {reason})"
