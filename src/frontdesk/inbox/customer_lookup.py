"""Find the conversations of a customer by what a person types: a number, an id, or a line and a customer."""

import apsw

from frontdesk.api.contract.ids import ConversationId
from frontdesk.inbox.phone_numbers import pair
from frontdesk.storage import record_lookup


def conversations_of_customer(db: apsw.Connection, typed: str) -> list[ConversationId]:
    """Return a customer's conversations, the latest first; a number without its country may be any line's."""
    lines = record_lookup.lines_seen(db)
    named = pair(typed, lines)
    wanted = {each.customer_id for line in (None, *lines) if (each := pair(typed, lines, line)) is not None}
    found = record_lookup.conversations_with_customer(db, wanted)
    if named is not None and named.line_id is not None:
        of_lines = record_lookup.lines_of(db, found)
        found = [each for each in found if of_lines.get(each) == named.line_id]
    return list(found)
