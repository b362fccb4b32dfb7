"""A test of a draft: a campaign with one recipient, the person who makes it, sent before the draft itself.

It is a campaign as any other, with its own id: the same preflight, confirmation and outbox.
"""

from dataclasses import replace
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

import apsw

from frontdesk.campaigns.draft import Draft, OneCustomer, new_draft, rename_draft
from frontdesk.outbox import queue
from frontdesk_lists.models import ListedRecipient

if TYPE_CHECKING:
    from frontdesk_lists.phone_numbers import Number

OWN_NUMBER = "own number"
"""Kept: the number that tests are sent to, in digits with the calling code."""

TEST_SUFFIX = " - test"
"""Ends the name of a test, which is typed to send it: signs that every keyboard has."""

EXAMPLE_NUMBER = "+972 52 234 5678"
"""How to write a number; a valid one."""

_MAX_NAME = 80


class NotOwnNumber(ValueError):
    """The text is no number that a test can be sent to; it says why."""


def read_own_number(typed: str, country: str) -> "Number":
    """Return a number with its calling code; a doubtful one has to be confirmed.

    Args:
        country: ISO code for a number without a calling code; empty where nobody chose one.

    Raises:
        NotOwnNumber: it is none.
    """
    # Its tables are large, and most campaigns don't need them.
    from frontdesk_lists.phone_numbers import BadNumber, Form, foreign_number, read_number, two_readings

    try:
        number = read_number(typed, country or None)
        if number.other:
            raise two_readings(number.digits, number.other)
        if number.form is Form.FOREIGN:
            raise foreign_number(number, country)
    except BadNumber as error:
        why = str(error).partition(";")[0]
        raise NotOwnNumber(f"{why}; write the whole number, such as {EXAMPLE_NUMBER}") from None
    return number


def own_number(db: apsw.Connection) -> str:
    kept = queue.kept(db, OWN_NUMBER, "")
    return kept if isinstance(kept, str) else ""


def make_test_draft(
    draft: Draft, number: str, recipient: ListedRecipient | None, now: datetime, chance: Random
) -> Draft:
    """Make a draft that sends the same to one's own number, now.

    Args:
        recipient: the one of the list whose name the message has.
        chance: the source of ids; `random.SystemRandom()` outside of tests.
    """
    name = (
        draft.audience.name
        if isinstance(draft.audience, OneCustomer)
        else ""
        if recipient is None
        else recipient.name
    )
    made = replace(
        new_draft(now, chance, OneCustomer(number, name)),
        description=draft.description,
        workflow_id=draft.workflow_id,
        workflow_name=draft.workflow_name,
        folder_id=draft.folder_id,
        line_id=draft.line_id,
        test_of=draft.draft_id,
    )
    title = draft.name or draft.workflow_name or "Campaign"
    return rename_draft(made, title[:_MAX_NAME].rstrip() + TEST_SUFFIX)
