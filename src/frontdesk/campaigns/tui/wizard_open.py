"""The wizard of campaigns opened over a screen: on the draft that was left, or on a new one.

Campaigns opens it for many, the inbox for the one customer of a conversation.
"""

from dataclasses import replace
from datetime import datetime
from random import SystemRandom

from frontdesk.api.contract.ids import LineId
from frontdesk.campaigns.draft import Draft, OneCustomer, new_draft
from frontdesk.campaigns.tui.wizard import CampaignWizard
from frontdesk.campaigns.view import wizard_steps
from frontdesk.storage.records import ConversationRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.futures import on_done

WHATSAPP = "whatsapp"
_SHORTEST, _LONGEST = 7, 15
"""Digits of a number with its calling code (E.164)."""
_SEPARATORS = str.maketrans("", "", " -().")


def open_wizard(screen: BaseScreen, one: Draft | None = None) -> None:
    """Show it, once everything that was decided before is written.

    Args:
        one: a draft for one customer to begin with, unless one for them was left; None for many.
    """
    app_context = screen.app_context
    if screen.cancel_action is not None:
        return

    def give_up() -> None:
        screen.cancel_action = None

    def opened(_: object) -> None:
        if screen.cancel_action is not give_up:
            return
        give_up()
        if screen.is_active:
            draft, says = _draft_for(app_context, one)
            begins_with = wizard_steps.WORKFLOW if one is not None and not draft.workflow_id else ""
            wizard = CampaignWizard(app_context, draft, says=says, begins_with=begins_with)
            screen.app.push_screen(wizard, answered)

    def answered(answer: Answered[Draft] | Closed | None) -> None:
        if isinstance(answer, Answered):
            name, undo = show_line(answer.value.name, 40).text, app_context.key("change.undo")
            notify(screen.app, trusted(f"{name}: sent in 5 s, {undo} takes it back."), timeout_seconds=5)

    screen.cancel_action = give_up
    on_done(screen.app, app_context.services.written(), opened)


def open_for_customer(screen: BaseScreen, record: ConversationRecord) -> None:
    """The same for the one customer of a conversation, or the reason why there can be none."""
    number = customer_number(record)
    if not number:
        words = "No phone number of this customer is known, and a campaign writes to numbers alone."
        notify(screen.app, trusted(words), severity="warning")
        return
    audience = OneCustomer(number, record.name)
    open_wizard(screen, replace(_new(screen.app_context), audience=audience, line_id=record.line_id or LineId("")))


def customer_number(record: ConversationRecord) -> str:
    """The digits of a customer's number with its calling code; empty where none is known."""
    # On other channels an id may look like a number and is none.
    is_number = record.platform in ("", WHATSAPP)
    for known in ((record.customer_id or "") if is_number else "", record.number):
        digits = known.strip().removeprefix("+").translate(_SEPARATORS)
        if digits.isascii() and digits.isdecimal() and _SHORTEST <= len(digits) <= _LONGEST:
            return digits
    return ""


def _draft_for(app_context: AppContext, one: Draft | None) -> tuple[Draft, SafeText]:
    """The draft to go on with, and what to say of it."""
    left = [each for each in app_context.services.drafts() if _is_for(each, one)]
    if not left:
        return one or _new(app_context), NOTHING
    at = relative_time.when(left[-1].made_at, app_context.clock(), app_context.zone)
    return left[-1], trusted(f"A draft from {at}: go on with it, or D starts over.")


def _new(app_context: AppContext) -> Draft:
    return new_draft(datetime.fromtimestamp(app_context.clock(), app_context.zone), SystemRandom())


def _is_for(draft: Draft, one: Draft | None) -> bool:
    audience = draft.audience
    if one is None:
        return not isinstance(audience, OneCustomer)
    return (
        isinstance(audience, OneCustomer)
        and isinstance(one.audience, OneCustomer)
        and audience.number == one.audience.number
        and draft.line_id == one.line_id
    )
