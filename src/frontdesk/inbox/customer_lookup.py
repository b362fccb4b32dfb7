"""Find the conversations of a customer by what a person types: a number, an id, or a line and a customer."""

from collections.abc import Collection

from frontdesk.api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk.inbox.phone_numbers import customer_id, national_digits, pair
from frontdesk.storage import record_lookup
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import show_line


class NotOneCustomer(ValueError):
    """Raised for a number that may be several customers', or nobody's; the text says what to write."""


def conversations_of_customer(
    db: ReadConnection, typed: str, line_id: LineId | None = None
) -> list[ConversationId]:
    """Return a customer's conversations, the latest first; a number without its country may be of any.

    Args:
        line_id: the line on which they are; None for all, or for the one that is typed.

    Raises:
        NotOneCustomer: a number without its country is that of several, of whom one in the line's country may not
            be stored.
    """
    named = pair(typed, [] if line_id else record_lookup.lines_seen(db), line_id)
    wanted = set() if named is None else {named.customer_id}
    found = record_lookup.conversations_with_customer(db, wanted, national_digits(typed))
    line_id = line_id or (None if named is None else named.line_id)
    if line_id is not None:
        of_lines = record_lookup.lines_of(db, found)
        found = [each for each in found if of_lines.get(each) == line_id]
    if found and national_digits(typed):
        records = filter(None, (record_lookup.conversation(db, each) for each in found))
        numbers = ("".join(filter(str.isdecimal, each.number)) or each.customer_id or "" for each in records)
        # The line's country says whom it means, unless it's too short or too long there.
        at_home = filter(_has_mobile_length, wanted)
        _require_one(dict.fromkeys((*at_home, *numbers)), typed)
    return found


def customer_on_line(db: ReadConnection, typed: str, line_id: LineId) -> CustomerId | None:
    """Return the id of the customer that has a conversation on this line; None if there is none.

    Raises:
        NotOneCustomer: several have, or one from abroad for a number that may be of the line's country.
    """
    records = [record_lookup.conversation(db, each) for each in conversations_of_customer(db, typed, line_id)]
    ids = dict.fromkeys(each.customer_id for each in records if each and each.customer_id)
    if (exact := customer_id(typed, None)) in ids:
        return exact
    _require_one(ids, typed)
    return CustomerId(next(iter(ids))) if ids else None


def id_on_line(typed: str, line_id: LineId) -> CustomerId:
    """Return the id of a customer that isn't stored; a number without its country is of the line's.

    Raises:
        NotOneCustomer: the line has no country.
    """
    if (found := customer_id(typed, line_id)) is not None:
        return found
    if national_digits(typed):
        raise NotOneCustomer(f"{typed!r} has no calling code; add it, as in +44 7700 900123")
    return CustomerId(typed)


def _has_mobile_length(number: str) -> bool:
    import phonenumbers  # its tables are large, and hardly anybody types a number without its country

    try:
        parsed = phonenumbers.parse(f"+{number}")
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number_for_type(parsed, phonenumbers.PhoneNumberType.MOBILE)


def _require_one(found: Collection[str], typed: str) -> None:
    if len(found) > 1:
        shown = ", ".join(show_line(each, 40).text for each in found)
        raise NotOneCustomer(f"{typed!r} may be {shown}; write the number with its calling code")
