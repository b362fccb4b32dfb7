"""The keys that save the open filter as a view, and that share a view with the team or take it back."""

from collections.abc import Callable

from frontdesk.config.catalogue_rows import NotSaved
from frontdesk.inbox import filter_words, saved_views
from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.filter_words import ALL, BUILT_IN, View
from frontdesk.inbox.store import team_views
from frontdesk.inbox.store.team_views import MAX_NAME_LETTERS
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.outbox.dialog_drafts import DialogDraft
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.base import Dialog, on_answer
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, capitalized, show_line, trusted


def save_view(screen: BaseScreen, pane: ConversationsPane) -> None:
    """Ask for a name, and save the filter with that of the open view under it."""
    context, view = screen.app_context, pane.view
    if not pane.filtered_by and not view.author:
        keys = [context.key(each) for each in ("find.filter", "app.names")]
        words = f"Filter the list first ({keys[0]}). To change or remove your views, press {keys[1]}."
        notify(screen.app, trusted(words), severity="warning")
        return
    match, own = pane.match, view is not ALL and not view.author
    draft = context.outbox.drafts.of("own view name", match, default=view.name if own else view.shared_name)

    def named(name: str) -> None:
        saved_views.load_views(context.store)
        pane.read_views()
        known = {each.name: str(each.query) for each in pane.views if not each.author}
        if name in known and known[name] != match:
            _ask_to_replace(screen, pane, name, known[name])
        else:
            _save(screen, pane, name, match)

    dialog = _name_dialog(trusted("Save this filter as a view"), match, draft, own_name_fault)
    screen.app.push_screen(dialog, on_answer(named, draft))


def _name_dialog(title: SafeText, match: str, draft: DialogDraft, fault: Callable[[str], str]) -> Dialog[str]:
    """Make a dialog that asks for the name of a view with this filter."""
    from frontdesk.tui.dialogs.prompt import PromptDialog

    shown = show_line(match, 80)
    note = SafeText(f"It shows: {shown.text}", shown.was_sanitized)
    dialog = PromptDialog(title, note=note, placeholder="Name", fault=fault, draft=draft.text)
    dialog.keep_draft(draft.keep)
    return dialog


def own_name_fault(typed: str) -> str:
    fault = saved_views.view_fault("name", typed)
    return fault and f"{capitalized(fault)}."


def _ask_to_replace(screen: BaseScreen, pane: ConversationsPane, name: str, before: str) -> None:
    from frontdesk.tui.dialogs.confirm import ConfirmDialog

    shown = show_line(f"Replace the view “{name[:40]}”? It now shows: {before[:80]}", 200)
    dialog = ConfirmDialog(trusted("Saved view"), shown, yes=trusted("Replace"))
    match = pane.match
    screen.app.push_screen(dialog, on_answer(lambda _: _save(screen, pane, name, match)))


def _save(screen: BaseScreen, pane: ConversationsPane, name: str, match: str) -> None:
    try:
        saved_views.save_view(screen.app_context.store, name, match)
    except NotSaved as error:
        notify(screen.app, show_line(f"Couldn't save: {error}", 400), severity="error", timeout_seconds=15)
        return
    pane.end_typing()
    pane.read_views()
    if (made := next((each for each in pane.views if each.name == name), None)) is not None:
        pane.open_view(made)
    letter = next((key for key, each in filter_words.letters(pane.views).items() if each.name == name), "")
    opens = f" Press {screen.app_context.key('view.choose')} {letter} to open it." if letter else ""
    replaced = " It replaces the built-in one." if name in [each.name for each in BUILT_IN] else ""
    notify(screen.app, show_line(f"Saved the view “{name[:60]}”.{opens}{replaced}", 200), timeout_seconds=6)


NOTHING_CHOSEN = "Open a saved view, or filter the list, to share it."


def share_view(screen: BaseScreen, pane: ConversationsPane) -> None:
    """Share what the list shows as a view under a name; a view that this person shares is taken back."""
    store, view, match = screen.app_context.store, pane.view, pane.match
    if match and not pane.filtered_by and (name := _own_name(screen, view)):
        _take_back(screen, name)
    elif fault := saved_views.sharing_fault(store, "", match):
        notify(screen.app, show_line(f"{capitalized(fault)}.", 300), severity="warning")
    elif not match:
        notify(screen.app, trusted(NOTHING_CHOSEN), severity="warning")
    else:
        _ask_name(screen, match, "" if view is ALL else (view.shared_name or view.name)[:MAX_NAME_LETTERS])


def _own_name(screen: BaseScreen, view: View) -> str:
    """Return the name under which this person shares a view; empty where they don't."""
    store = screen.app_context.store
    shared = team_views.shared_by_me(store.reading)
    if view.author:
        return view.shared_name if view.author == store.catalogue.me and view.shared_name in shared else ""
    return view.name if filter_words.parse(shared.get(view.name, "")) == view.query else ""


def _take_back(screen: BaseScreen, name: str) -> None:
    from frontdesk.tui.dialogs.confirm import ConfirmDialog

    shown = show_line(name, 40)
    question = SafeText(f"Stop sharing “{shown.text}” with the team?", shown.was_sanitized)
    dialog = ConfirmDialog(trusted("Shared view"), question, yes=trusted("Stop sharing"))
    screen.app.push_screen(dialog, on_answer(lambda _: _share(screen, name, "")))


def _ask_name(screen: BaseScreen, match: str, name: str) -> None:
    def fault(typed: str) -> str:
        why = saved_views.sharing_fault(screen.app_context.store, typed, match) if typed else "type a name"
        return why and f"{capitalized(why)}."

    draft = screen.app_context.outbox.drafts.of("view name", match, default=name)

    def named(typed: str) -> None:
        _share(screen, typed, match)

    dialog = _name_dialog(trusted("Share this view with the team"), match, draft, fault)
    screen.app.push_screen(dialog, on_answer(named, draft))


def _share(screen: BaseScreen, name: str, match: str) -> None:
    InboxCommands(screen.app_context.store).share_view(name, match)
    shown = show_line(name, 40)
    key, opens = screen.app_context.key("view.share"), screen.app_context.key("view.choose")
    stops = f"To stop, open it with {opens} and press {key}."
    words = f"Shared with the team: {shown.text}. {stops}" if match else f"No longer shared: {shown.text}"
    notify(screen.app, SafeText(words, shown.was_sanitized), timeout_seconds=6 if match else 3)
