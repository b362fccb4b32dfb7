"""The key that writes the open thread into a file, as Markdown or HTML."""

from concurrent.futures import Future
from functools import partial
from pathlib import Path

from frontdesk.config.paths import expand_path
from frontdesk.inbox.thread_export import export_problem, free_file_name, write_stored_thread
from frontdesk.inbox.view.thread_document import ThreadDocument
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import ConversationRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.privacy import IS_HIDDEN, is_private
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import on_done

NOTE = "Exports what is loaded and marks the gaps. Markdown; end the name in .html for a web page."


def export_thread(screen: BaseScreen, record: ConversationRecord) -> None:
    """Ask for the path of a new file, and write what is stored of the thread into it."""
    context = screen.app_context
    if is_private():
        words = f"Nothing was exported: {IS_HIDDEN.lower()}. Press {context.key('app.privacy')} to show them."
        notify(screen.app, trusted(words), severity="warning")
        return
    name = conversation_name(context.store.reading, record.conversation_id)
    dialog = PromptDialog(
        show_line(f"Export the thread · {name.text}", 80),
        note=trusted(NOTE),
        placeholder="path",
        fault=export_problem,
        draft=free_file_name(context.store.folder, record, context.view()),
    )
    screen.app.push_screen(dialog, on_answer(partial(_export, screen, record)))


def _export(screen: BaseScreen, record: ConversationRecord, typed: str) -> None:
    context, path = screen.app_context, expand_path(typed)
    view = context.view()

    def job(db: ReadConnection) -> ThreadDocument | None:
        return write_stored_thread(db, record.conversation_id, path, view)

    on_done(screen.app, context.store.read_in_background(job), partial(_report, screen, path))


def _report(screen: BaseScreen, path: Path, writing: "Future[ThreadDocument | None]") -> None:
    error = writing.exception()
    if error is not None:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        words = show_line(f"Couldn't write {path}: {why}", 400)
        notify(screen.app, words, severity="error", timeout_seconds=30)
    elif (document := writing.result()) is None:
        words = trusted("Nothing was exported: the conversation is gone, or names were hidden in the meantime.")
        notify(screen.app, words, severity="warning")
    else:
        coverage = document.coverage[0] if document.coverage else ""
        notify(screen.app, show_line(f"Saved {path}. {coverage}", 400), timeout_seconds=10)
