"""`frontdesk open`: finds a record by its id, or a conversation by a number, and opens the inbox there."""

from typing import Annotated

import apsw
import typer

from frontdesk.accounts.profile_switcher import StartTarget
from frontdesk.campaigns.store import campaigns
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.inbox.customer_lookup import NotOneCustomer, conversations_of_customer
from frontdesk.storage import record_lookup
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted


def open_record(
    record: Annotated[
        str,
        typer.Argument(
            metavar="ID|NUMBER",
            help="The id of a conversation, task, campaign or workflow, or a customer's phone number.",
        ),
    ],
) -> int:
    """Open the inbox at a record, by its id or number.

    Finds only what is stored on this machine; nothing is sent or changed.
    """
    from frontdesk.app.run_tui import run_inbox
    from frontdesk.cli.store_session import open_store
    from frontdesk.storage.database_files import StoreUnusable

    try:
        with open_store() as store:
            target = find_target(store.reading, record.strip())
    except (StoreUnusable, NotOneCustomer) as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if target is None:
        raise CommandFailed(
            INPUT_WRONG,
            f"nothing loaded so far has the id or number {record[:60]!r}; to look for names and words, run"
            " `frontdesk search`",
        )
    return run_inbox(start_target=target)


def find_target(db: apsw.Connection, typed: str) -> StartTarget | None:
    """Find a record by its id, else a customer's conversation by the number; None if none is known here."""
    if record_lookup.conversation(db, ConversationId(typed)) is not None:
        return StartTarget("conversation", typed)
    if record_lookup.task(db, TaskId(typed)) is not None:
        return StartTarget("task", typed)
    if any(each[0] == typed for each in campaigns.names(db)):
        return StartTarget("campaign", typed)
    if typed in record_lookup.names_of(db, record_lookup.WORKFLOW):
        return StartTarget("workflow", typed)
    return _find_by_customer(db, typed)


def _find_by_customer(db: apsw.Connection, typed: str) -> StartTarget | None:
    """Find the latest conversation of a customer."""
    found = conversations_of_customer(db, typed)
    if not found:
        return None
    others = len(found) - 1
    note = f"This customer also has {counted(others, 'conversation')} on other lines; this is the latest."
    return StartTarget("conversation", found[0], note if others else "")
