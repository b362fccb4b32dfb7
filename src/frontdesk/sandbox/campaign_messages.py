"""What a campaign leaves in its recipients' threads: the message, its statuses, now and then an answer.

Called by the campaign engine and, for campaigns that have already run, by the seed.
"""

from collections.abc import Sequence
from typing import Any

from frontdesk.sandbox.data import read_table
from frontdesk.sandbox.outcomes import FAILURES, THROUGHPUT, Plan, Progress
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.task_rows import note_arrival
from frontdesk.sandbox.threads import (
    customer_variables,
    insert_message,
    make_message,
    message_id,
    set_message_status,
    set_opted_out,
)
from frontdesk.workflow_runtime.values import filled

_REPLIES = read_table("messages")["campaign_replies"]
OPT_OUT_WORD = "STOP"
PICKS_OF_TEN = 7
"""Of ten who answer a question with choices, so many pick one."""


def campaign_message(
    sender: tuple[str, str, str], campaign: str, recipient: tuple[str, str | None], text: str, at_ms: int
) -> dict[str, Any]:
    """The message itself, as it leaves."""
    account, line, platform = sender
    customer, name = recipient
    message = make_message(
        account=account,
        line=line,
        customer=customer,
        platform=platform,
        incoming=False,
        text=filled(text, customer_variables(customer, name)),
        at_ms=at_ms,
        identity=message_id("campaign", campaign, customer),
    )
    return message | {"initiator": "campaign", "status": "inProcess"}


def write_sent(
    storage: Storage,
    sender: tuple[str, str, str],
    campaign: str,
    recipient: tuple[str, str | None],
    text: str,
    at_ms: int,
) -> None:
    """Put the message into the recipient's thread, which begins here for somebody new."""
    account, line, _platform = sender
    message = campaign_message(sender, campaign, recipient, text, at_ms)
    insert_message(storage, account, line, recipient[0], message, recipient[1] or None)


def status_of(plan: Plan, reached: Progress) -> tuple[str, dict[str, Any] | None]:
    """A message's status and error for where its recipient is."""
    if reached.bucket == "in_flight":
        return "inProcess", None
    if reached.bucket == "failed":
        return "failed", error_object(*FAILURES[plan.code])
    if reached.bucket == "throttled":
        return "tooManyRequests", error_object(*THROUGHPUT)
    return ("read" if reached.read else "delivered" if reached.delivered else "sent"), None


def write_status(
    storage: Storage, where: tuple[str, str, str], campaign: str, plan: Plan, reached: Progress, at_ms: int
) -> None:
    """Move the message's status on."""
    account, _line, customer = where
    status, error = status_of(plan, reached)
    set_message_status(storage, account, message_id("campaign", campaign, customer), status, at_ms, error)


def write_reply(
    storage: Storage,
    where: tuple[str, str, str],
    campaign: str,
    plan: Plan,
    at_ms: int,
    offered: Sequence[str] = (),
) -> str:
    """The recipient answers, mostly what they are offered; a few want no more of these. Answers the words."""
    account, line, customer = where
    identity = message_id("reply", campaign, customer)
    draw = int(identity[4:10], 16)
    words = offered if offered and draw % 10 < PICKS_OF_TEN else _REPLIES
    text = OPT_OUT_WORD if plan.opts_out else words[draw // 10 % len(words)]
    row = storage.row("SELECT platform FROM lines WHERE account=? AND line=?", account, line)
    message = make_message(
        account=account,
        line=line,
        customer=customer,
        platform=row[0] if row else "whatsapp",
        incoming=True,
        text=text,
        at_ms=at_ms,
        identity=identity,
    )
    insert_message(storage, account, line, customer, message)
    note_arrival(storage, account, line, customer, at_ms)
    if plan.opts_out:
        set_opted_out(storage, where)
    return text


def error_object(code: int, title: str, details: str) -> dict[str, Any]:
    """A message's `error` (docs/interface.md, Values seen)."""
    return {"code": code, "title": title, "message": title, "error_data": {"details": details}}
