"""The recipients of a campaign as the platform knows them, each number once; and lists of some of them as CSV.

A large list takes a second: never on a screen's loop.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

import apsw

from frontdesk.campaigns.delivery_results import DeliveryResult, DeliveryResultGroup, ResultsUnavailable, Tally
from frontdesk.campaigns.store import delivery_results
from frontdesk.config.paths import write_new_file
from frontdesk.storage.records import Json
from frontdesk.text.export_escapes import csv_table
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId, CustomerId
from frontdesk_lines.display_text import visible_name
from frontdesk_lists.models import INTERFACE_HEADING

_NAME_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class AudienceMember:
    """A recipient of a list; its id is the digits of the number with its calling code."""

    customer_id: CustomerId
    name: str
    country_code: str


def campaign_recipients(campaign: Json, listed: Iterable[Json]) -> list[AudienceMember]:
    """Return the recipients in the list's order, each number once (docs/interface.md, Campaign counters, 3).

    Those without a number are left out.
    """
    from frontdesk_lists.phone_numbers import country_code, platform_number  # their tables take a megabyte

    audience_country = json_access.text(campaign.get("audienceCountry"))
    countries: dict[str, str | None] = {"": country_code(audience_country, by_name=False)}
    found: dict[CustomerId, AudienceMember] = {}
    for each in listed:
        number, iso = json_access.text(each.get("phoneNumberId")), json_access.text(each.get("countryCode"))
        if not number:
            continue
        if iso not in countries:
            countries[iso] = country_code(iso, by_name=False) or countries[""]
        # Without a digit it is an id of another channel.
        customer_id = CustomerId(platform_number(number, countries[iso]) or number)
        if customer_id not in found:
            name = visible_name(json_access.text(each.get("customerName")))
            found[customer_id] = AudienceMember(customer_id, name, iso)
    return list(found.values())


def require_recipients(campaign: Json, listed: Iterable[Json]) -> list[AudienceMember]:
    """Return `campaign_recipients`; raises `ResultsUnavailable` without any."""
    people = campaign_recipients(campaign, listed)
    if not people:
        raise ResultsUnavailable("the platform returned no recipients for this campaign")
    return people


def recipients_csv(people: Iterable[AudienceMember]) -> str:
    """Format a list for a new campaign, with the interface's names as headings.

    A name that a spreadsheet would take for a formula gets an apostrophe, and loses its control characters.
    """
    rows = ((each.customer_id, _without_controls(each.name), each.country_code) for each in people)
    return csv_table(((INTERFACE_HEADING, "customerName", "countryCode"), *rows), _NAME_LIMIT)


def _without_controls(name: str) -> str:
    return "".join(" " if category(sign) in ("Cc", "Cs") else sign for sign in name)


def save_list(
    db: apsw.Connection, campaign_id: CampaignId, groups: Collection[DeliveryResultGroup], path: Path
) -> int:
    """Write the recipients of these groups into a new file, in the list's order; return how many."""
    tally = Tally((row[0], DeliveryResult(*row[1:4])) for row in delivery_results.of_campaign(db, campaign_id))
    campaign, listed = delivery_results.raw_campaign(db, campaign_id), delivery_results.recipients(db, campaign_id)
    wanted = tally.among(groups)
    people = [each for each in campaign_recipients(campaign, listed) if each.customer_id in wanted]
    write_new_file(path, recipients_csv(people), is_private=True)
    return len(people)
