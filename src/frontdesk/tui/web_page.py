"""Opens the platform's own page of a record, or copies its address where no browser can be opened."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from frontdesk.config.config_tables import NoPage, page_address
from frontdesk.storage import record_lookup
from frontdesk.storage.records import RecordRef
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.clipboard import copy
from frontdesk.tui.context import AppContext
from frontdesk.tui.desktop import OVER_SSH, is_remote, open_link
from frontdesk.tui.futures import on_done
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_error, trusted


def open_web_page(app: App[Any], app_context: AppContext, selected: Sequence[RecordRef]) -> None:
    """Open the page of the selected record. The address is the user's own, so no question is asked."""
    if len(selected) != 1:
        words = (
            f"{len(selected)} are marked; this opens the page of one." if selected else "Nothing is selected here."
        )
        notify(app, trusted(words), severity="warning", timeout_seconds=3)
        return
    store, (record,) = app_context.store, selected
    kind = record.kind
    try:
        address = page_address(store.profile.web_url, kind, _ids(store.reading, record))
    except NoPage as error:
        words = show_error(error, 300).text
        notify(app, trusted(f"{words[0].upper()}{words[1:]}."), severity="warning", timeout_seconds=10)
        return
    if is_remote(app_context.environ):
        copy(app, address, trusted("Address"), why=OVER_SSH)
        return

    def report(is_open: bool) -> None:
        if is_open:
            notify(app, trusted(f"Opened the {kind}'s page in the browser."), timeout_seconds=3)
        else:
            copy(app, address, trusted("Address"), why=trusted("Couldn't open a browser here"))

    on_done(app, open_link(app, address, app_context.environ), lambda done: report(done.result()))


def _ids(db: ReadConnection, record: RecordRef) -> dict[str, str]:
    """Return the ids for `page_address`, of a task also those of its conversation."""
    if record.kind == "conversation":
        return record_lookup.conversation_ids(db, ConversationId(record.id))
    ids = {record.kind: record.id}
    if record.kind == "task" and (task := record_lookup.task(db, TaskId(record.id))) is not None:
        ids |= record_lookup.conversation_ids(db, task.conversation_id)
    return ids
