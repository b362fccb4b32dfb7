"""The phone number of a conversation's customer, to which a campaign can be sent."""

from frontdesk.storage.records import ConversationRecord

WHATSAPP = "whatsapp"
_SHORTEST, _LONGEST = 7, 15
"""Digits of a number with its calling code (E.164)."""
_SEPARATORS = str.maketrans("", "", " -().")


def customer_number(record: ConversationRecord) -> str:
    """Return the digits of a customer's number with its calling code; empty where none is known."""
    # On other channels an id may look like a number and is none.
    is_number = record.platform in ("", WHATSAPP)
    for known in ((record.customer_id or "") if is_number else "", record.number):
        digits = known.strip().removeprefix("+").translate(_SEPARATORS)
        # No calling code begins with 0: then it is written as people at home dial it.
        is_whole = not digits.startswith("0") and _SHORTEST <= len(digits) <= _LONGEST
        if digits.isascii() and digits.isdecimal() and is_whole:
            return digits
    return ""
