"""The linear mode's command that writes the open thread into a file."""

from functools import partial

from frontdesk.config.paths import expand_path
from frontdesk.inbox.linear import thread
from frontdesk.inbox.thread_export import export_problem, free_file_name, write_stored_thread
from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.linear.session import Session
from frontdesk.storage import record_lookup
from frontdesk.text.display_text import show_line
from frontdesk.text.privacy import IS_HIDDEN, is_private


def export_thread(session: Session, words: str) -> None:
    """`export`: write what is loaded of the open thread into a new file, of a suggested name or this one."""
    conversation_id = thread.opened_conversation(session)
    record = record_lookup.conversation(session.db, conversation_id)
    if record is None:
        raise NotUnderstood(thread.GONE)
    if is_private():
        raise NotUnderstood(f"Nothing was exported: {IS_HIDDEN.lower()}. To show them, type privacy off.")
    store, view = session.store, session.view()
    typed = words.strip() or free_file_name(store.folder, record, view.now, view.zone)
    if problem := export_problem(typed):
        raise NotUnderstood(f"{problem} Nothing was exported.")
    path = expand_path(typed)
    write = partial(
        write_stored_thread,
        conversation_id=conversation_id,
        path=path,
        names=store.catalogue,
        now=view.now,
        zone=view.zone,
    )
    try:
        document = session.wait_for(store.read_in_background(write))
    except NotUnderstood as error:
        if isinstance(error.__cause__, OSError):
            why = error.__cause__.strerror or "unknown error"
            raise NotUnderstood(show_line(f"Couldn't write {path}: {why}.", 400).text) from None
        raise
    if document is None:
        raise NotUnderstood(thread.GONE)
    session.print(show_line(f"Saved {path}. {document.coverage[0]}", 400))
