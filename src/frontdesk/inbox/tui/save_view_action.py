"""The key that saves what the list shows as a view of one's own."""

from frontdesk.config.catalogue_rows import NotSaved
from frontdesk.inbox import own_views, saved_views
from frontdesk.inbox.saved_views import ALL, BUILT_IN
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.text.display_text import SafeText, capitalized, show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import on_answer


def save_view(screen: BaseScreen, pane: ConversationsPane) -> None:
    """Ask for a name, and save the filter with that of the open view under it."""
    context, view = screen.app_context, pane.view
    if not pane.filtered_by and not view.author:
        keys = [context.key(each) for each in ("find.filter", "app.names")]
        words = f"Filter the list first ({keys[0]}). To change or remove your views, press {keys[1]}."
        notify(screen.app, trusted(words), severity="warning")
        return
    from frontdesk.tui.dialogs.prompt import PromptDialog

    match = pane.match
    note, own = show_line(match, 80), view is not ALL and not view.author
    draft = context.outbox.drafts.of("own view name", match, default=view.name if own else view.shared_name)
    dialog = PromptDialog(
        trusted("Save this filter as a view"),
        note=SafeText(f"It shows: {note.text}", note.was_sanitized),
        placeholder="Name",
        fault=_name_fault,
        draft=draft.text,
    )

    def named(name: str) -> None:
        own_views.load_views(context.store)
        pane.read_views()
        known = {each.name: str(each.query) for each in pane.views if not each.author}
        if name in known and known[name] != match:
            _ask_to_replace(screen, pane, name, known[name])
        else:
            _save(screen, pane, name, match)

    dialog.keep_draft(draft.keep)
    screen.app.push_screen(dialog, on_answer(named, draft))


def _name_fault(typed: str) -> str:
    fault = own_views.view_fault("id", typed)
    return fault and f"{capitalized(fault)}."


def _ask_to_replace(screen: BaseScreen, pane: ConversationsPane, name: str, before: str) -> None:
    from frontdesk.tui.dialogs.confirm import ConfirmDialog

    shown = show_line(f"Replace the view “{name[:40]}”? It now shows: {before[:80]}", 200)
    dialog = ConfirmDialog(trusted("Saved view"), shown, yes=trusted("Replace"))
    match = pane.match
    screen.app.push_screen(dialog, on_answer(lambda _: _save(screen, pane, name, match)))


def _save(screen: BaseScreen, pane: ConversationsPane, name: str, match: str) -> None:
    try:
        own_views.save_view(screen.app_context.store, name, match)
    except NotSaved as error:
        notify(screen.app, show_line(f"Couldn't save: {error}", 400), severity="error", timeout_seconds=15)
        return
    pane.end_typing()
    pane.read_views()
    if (made := next((each for each in pane.views if each.name == name), None)) is not None:
        pane.open_view(made)
    letter = next((key for key, each in saved_views.letters(pane.views).items() if each.name == name), "")
    opens = f" Press {screen.app_context.key('view.choose')} {letter} to open it." if letter else ""
    replaced = " It replaces the built-in one." if name in [each.name for each in BUILT_IN] else ""
    notify(screen.app, show_line(f"Saved the view “{name[:60]}”.{opens}{replaced}", 200), timeout_seconds=6)
