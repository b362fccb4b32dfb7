"""The key that writes the open thread into a file, as Markdown or HTML."""

from pathlib import Path

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.thread_export import export_problem, free_file_name, write_stored_thread
from frontdesk.inbox.view.thread_document import ThreadDocument
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import ConversationRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.prompt import PromptDialog, ask_and_save
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

NOTE = "Exports what is loaded and marks the gaps. Markdown; end the name in .html for a web page."


def export_thread(screen: BaseScreen, record: ConversationRecord) -> None:
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

    def save(db: ReadConnection, path: Path) -> ThreadDocument:
        view = RenderContext(context.store.catalogue, context.glyphs, context.clock(), context.zone)
        document = write_stored_thread(db, record.conversation_id, path, view)
        if document is None:
            words = "Nothing was exported: the conversation is gone, or names were hidden in the meantime."
            raise NotPossible(words)
        return document

    def saved(path: Path, document: ThreadDocument) -> SafeText:
        coverage = document.coverage[0] if document.coverage else ""
        return show_line(f"Saved {path}. {coverage}", 400)

    ask_and_save(screen.app, context, dialog, save, saved)
