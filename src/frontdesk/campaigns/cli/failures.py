"""`frontdesk campaigns failures`: delivery results read from the recipients' threads, in the engine's order."""

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from frontdesk.campaigns import delivery_results
from frontdesk.campaigns.delivery_results import (
    DeliveryResult,
    Estimate,
    ResultClass,
    ResultsUnavailable,
    SendingPeriod,
    Tally,
    estimate,
    sampling_order,
)
from frontdesk.campaigns.recipients import AudienceMember, recipients_csv, require_recipients
from frontdesk.campaigns.sync import read_result, unreadable
from frontdesk.campaigns.view.delivery_results import MATCHED_BY_TIME, STYLES, advice_for, share, shares, title_of
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.cli.session import run_with_client
from frontdesk.config.paths import write_new_file
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ABOUT_HOST, ApiError, BadReply, BadRequestInput, NotFound, Refused
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.ids import CampaignId, CustomerId
from frontdesk_lines.display_text import counted

REPORT_EVERY_SECONDS = 2.0


@dataclass(slots=True)
class _Read:
    """The results so far; `failure` and `interrupted` say why reading ended early."""

    campaign_id: CampaignId
    people: list[AudienceMember] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    failure: ApiError | None = None
    interrupted: bool = False


def print_failures(campaign: str, budget: int, export: Path | None, as_json: bool) -> None:
    """Read and print the delivery results, and write the failed recipients into a file if one is given.

    Raises:
        CommandFailed: nothing can be found out about this campaign, or the file exists.
        ApiError, KeyboardInterrupt: reading was cut short; what was read before was printed.
    """
    if export is not None and os.path.lexists(export):
        raise CommandFailed(INPUT_WRONG, f"{export} already exists; choose another file name; nothing was checked")
    read = _Read(CampaignId(campaign))
    try:
        run_with_client(lambda client: _read(client, read, budget))
    except ResultsUnavailable as error:
        raise CommandFailed(INPUT_WRONG, f"no delivery results for {campaign}: {error}") from None
    if read.interrupted or read.failure is not None:
        why = "interrupted" if read.interrupted else "cut short"
        print_error(f"{why}; showing results for {len(read.tally):,} of {len(read.people):,}")
    if as_json:
        print_json(_as_json(read))
    else:
        _print(read)
    if export is not None:
        _export(read, export)
    if read.interrupted:
        raise KeyboardInterrupt
    if read.failure is not None:
        raise read.failure


async def _read(client: PlatformClient, read: _Read, budget: int) -> None:
    """Read threads until ctrl+c or an error of the platform; keeps what was read."""
    item = await client.get_campaign(read.campaign_id)
    period = delivery_results.sending_period_of(item.raw)
    read.people = require_recipients(item.raw, item.raw.get("customerList") or ())
    order = sampling_order(read.campaign_id, (each.customer_id for each in read.people))
    wanted = min(budget, len(order))
    reported_at = time.monotonic()
    try:
        for customer_id in order[:wanted]:
            read.tally.add(customer_id, await _outcome(client, period, customer_id))
            if time.monotonic() - reported_at >= REPORT_EVERY_SECONDS:
                reported_at = time.monotonic()
                print_error(f"checked {len(read.tally):,} of {wanted:,}")
    except asyncio.CancelledError:
        read.interrupted = True
    except ApiError as error:
        read.failure = error


async def _outcome(client: PlatformClient, period: SendingPeriod, customer_id: CustomerId) -> DeliveryResult:
    try:
        return await read_result(client, period, customer_id)
    except NotFound:
        return DeliveryResult(delivery_results.NO_CONVERSATION)
    except (Refused, BadRequestInput, BadReply) as error:
        if isinstance(error, ABOUT_HOST):
            raise
        return unreadable(error)


def _print(read: _Read) -> None:
    total, checked = len(read.people), len(read.tally)
    groups = read.tally.groups()
    print_line(" · ".join([f"checked {checked:,} of {total:,}", *(said for _, said in shares(groups, total))]))
    rows = [
        (
            STYLES[each.result_class].words,
            each.code or each.status,
            each.count,
            "" if (estimated := estimate(each.count, checked, total)) is None else share(estimated),
            title_of(each),
        )
        for each in groups
    ]
    if rows:
        print_table(("RESULT", "CODE", "COUNT", "OF ALL", "REASON"), rows)
    for each in groups:
        if each.result_class is ResultClass.FAILED:
            print_line(f"{each.code or each.status}: {advice_for(each)} For example: {', '.join(each.examples)}.")
    print_line(MATCHED_BY_TIME)


def _as_json(read: _Read) -> JsonObject:
    total, checked = len(read.people), len(read.tally)
    groups = read.tally.groups()
    failed = delivery_results.share_of(groups, ResultClass.FAILED, total)
    return {
        "campaign": read.campaign_id,
        "total": total,
        "checked": checked,
        "complete": checked == total,
        "failed": _estimate(failed),
        "groups": [
            {
                "how": str(each.result_class),
                "status": each.status,
                "code": each.code or None,
                "title": title_of(each),
                "count": each.count,
                **_estimate(estimate(each.count, checked, total)),
                "advice": advice_for(each),
                "examples": list(each.examples),
            }
            for each in groups
        ],
    }


def _estimate(found: Estimate | None) -> JsonObject:
    """Shares from 0 to 1, with the bounds of a 95 % interval."""
    if found is None:
        return {"share": None, "low": None, "high": None}
    return {"share": round(found.share, 6), "low": round(found.low, 6), "high": round(found.high, 6)}


def _export(read: _Read, path: Path) -> None:
    failed = [each for each in read.tally.groups() if each.result_class is ResultClass.FAILED]
    who = read.tally.among(failed)
    people = [each for each in read.people if each.customer_id in who]
    try:
        write_new_file(path, recipients_csv(people), is_private=True)
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"couldn't write {path}: {error.strerror}") from None
    print_error(f"saved {counted(len(people), 'failed recipient')} to {path}")
