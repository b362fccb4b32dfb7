"""The audience of a campaign: its recipients in order, with normalised numbers, duplicates and opt-outs marked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frontdesk.sandbox.storage import Storage


@dataclass(frozen=True, slots=True)
class Addressee:
    """A recipient with the bucket it starts in: pending, duplicate or opted_out."""

    customer: str
    name: str | None
    bucket: str


def resolve_audience(storage: Storage, account: str, campaign: dict[str, Any]) -> Iterator[Addressee]:
    """Find the recipients, the first of equal numbers counting (docs/interface.md, Campaign counters, 3).

    One at a time, since normalising a number can take as long as a request.
    """
    line = campaign["associatedToBusinessId"]
    opted_out = {
        row[0]
        for row in storage.rows(
            "SELECT customer FROM conversations WHERE account=? AND line=? AND opted_out=1", account, line
        )
    }
    seen: set[str] = set()
    for customer, name in _named(storage, account, campaign):
        if customer in seen:
            bucket = "duplicate"
        elif customer in opted_out:
            bucket = "opted_out"
        else:
            bucket = "pending"
        seen.add(customer)
        yield Addressee(customer, name, bucket)


def normalised_number(number: str, region: str | None) -> str:
    """Normalise a number to its digits with the country's code and without +.

    A leading + or 00 keeps its country; else a number valid in the default region wins; else the
    digits already are international (docs/audiences.md; rules 67, 68).
    """
    digits = "".join(str(int(char)) for char in number if char.isdecimal())
    if not digits:
        return number
    if number.strip().startswith("+"):
        return digits
    if digits.startswith("00"):
        return digits[2:]
    if region is None:
        return digits
    import phonenumbers  # its tables are large, and most campaigns don't need them

    try:
        parsed = phonenumbers.parse(number, region.upper())
    except phonenumbers.NumberParseException:
        return digits
    if not phonenumbers.is_valid_number(parsed):
        return digits
    return f"{parsed.country_code}{parsed.national_number}"


def _region(country_code: str | None) -> str | None:
    """A recipient's own country, given as ISO code or as calling code."""
    if not country_code:
        return None
    import phonenumbers

    digits = country_code.strip().lstrip("+0")
    if digits.isascii() and digits.isdecimal() and len(digits) <= 3:
        region = phonenumbers.region_code_for_country_code(int(digits))
        return None if region in ("ZZ", "001") else str(region)
    code = country_code.strip().upper()
    return code if code in phonenumbers.SUPPORTED_REGIONS else None


def _named(storage: Storage, account: str, campaign: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    if campaign["source"] == "excel":
        country = campaign.get("audienceCountry")
        for recipient in campaign["customerList"]:
            region = _region(recipient.get("countryCode")) or country
            yield normalised_number(recipient["phoneNumberId"], region), recipient.get("customerName")
        return
    tags = [tag["id"] for tag in campaign["conversationTags"]]
    yield from storage.rows(
        "SELECT DISTINCT conversations.customer, conversations.name FROM conversation_tags "
        "JOIN conversations USING (account, line, customer) JOIN lines USING (account, line) "
        # One value however many tags: storage counts its question marks.
        "WHERE account=? AND tag IN (SELECT value FROM json_each(?)) AND platform=(SELECT platform FROM lines "
        "WHERE account=? AND line=?) ORDER BY conversations.customer",
        account,
        json.dumps(tags),
        account,
        campaign["associatedToBusinessId"],
    )
