"""Edits the names of a profile from the screens: they are saved in the config, and shown at once."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.accounts.name_dialogs import CatalogueDialog, kind_picker
from frontdesk.config import settings as config_settings
from frontdesk.config.catalogue_rows import (
    CATALOGUES,
    VIEWS,
    CatalogueKind,
    Row,
    rows_of,
    save_rows,
    with_rows,
)
from frontdesk.config.demo import DEMO, profile_path
from frontdesk.inbox.saved_views import replace_views, view_fault
from frontdesk.metrics import facts
from frontdesk.storage import record_lookup
from frontdesk.storage.coverage import is_listed
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.sql import ReadConnection
from frontdesk.tasks import store as task_store
from frontdesk.text.normalize import normalize
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import on_answer
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import counted, show_line, trusted


def edit_catalogues(app: App[Any], context: AppContext, refresh: Callable[[], None]) -> None:
    """Ask which names to edit, and edit them; `refresh` draws the screens anew."""
    store = context.store
    counts = {kind.key: len(rows_of(store.profile, kind)) for kind in CATALOGUES}
    counts[VIEWS.key] = len(store.settings.views)

    def chosen(key: str) -> None:
        if key == VIEWS.key:
            _edit_views(app, context)
            return
        kind = next(each for each in CATALOGUES if each.key == key)

        def save(rows: Sequence[Row]) -> None:
            save_rows(_config_of(store.profile), kind, lambda _: rows, store.profile.name)
            store.set_profile(with_rows(store.profile, kind, rows))
            refresh()

        unnamed = dict.fromkeys(_seen(store.reading, kind), "")
        if kind.key == "agents":
            unnamed = propose_names(unnamed, facts.authors(store.reading))
        name = show_line(store.profile.name, 30)
        app.push_screen(CatalogueDialog(kind, name, rows_of(store.profile, kind), unnamed, save))

    app.push_screen(kind_picker(counts), on_answer(chosen))


def notify_unnamed(app: App[Any], context: AppContext) -> None:
    """Say once in a profile how many people and lines have no name, as soon as all tasks were listed."""
    store = context.store
    if store.profile.name == DEMO or not is_listed(store.reading):
        return
    words = unnamed_words(store)
    if words and context.outbox.claim_notice("names"):
        notify(app, trusted(f"{words}: {context.key('app.names')}"), timeout_seconds=20)


def unnamed_words(store: ProfileStore) -> str:
    """Return how many people and lines have no name yet; empty where all have one."""
    lines, agents = CATALOGUES[:2]
    counts = {
        kind.one: len({*_seen(store.reading, kind)} - {row["id"] for row in rows_of(store.profile, kind)})
        for kind in (agents, lines)
    }
    words = [counted(count, one, "people" if one == "person" else "") for one, count in counts.items() if count]
    verb = "has no name" if sum(counts.values()) == 1 else "have no names"
    return f"{' and '.join(words)} {verb} yet" if words else ""


def propose_names(agent_ids: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Return for each agent id the only name that has a word with it in common; empty for none or several.

    The platform names the author of a message, but doesn't say by which id tasks are assigned to them.
    """
    by_word: dict[str, set[str]] = {}
    for name in names:
        for word in _words(name.partition("@")[0]):
            by_word.setdefault(word, set()).add(name)
    proposed = {}
    for each in agent_ids:
        found = {name for word in _words(each.partition("@")[0]) for name in by_word.get(word, ())}
        proposed[each] = found.pop() if len(found) == 1 else ""
    return proposed


def _words(text: str) -> set[str]:
    return {each for each in normalize(text).split() if len(each) > 1}


def _edit_views(app: App[Any], context: AppContext) -> None:
    """Edit the views of one's own, which belong to no profile."""
    store, path = context.store, config_settings.config_path()

    def views() -> list[Row]:
        return rows_of(config_settings.load_config(path).settings, VIEWS)

    try:
        shown = rows = views()
    except config_settings.ConfigError as error:
        notify(app, show_line(str(error), 400), severity="error", timeout_seconds=15)
        return

    def save(rows: Sequence[Row]) -> None:
        nonlocal shown
        replace_views(store, shown, rows)
        shown = views()

    app.push_screen(CatalogueDialog(VIEWS, show_line(path.name), rows, {}, save, view_fault))


def _config_of(profile: config_settings.Profile) -> Path:
    """Return the file that has the profile; the demo's is its own."""
    path = config_settings.config_path()
    is_demo = profile.name == DEMO and DEMO not in config_settings.load_config(path).profiles
    return profile_path() if is_demo else path


def _seen(db: ReadConnection, kind: CatalogueKind) -> list[str]:
    """Return the ids of a catalogue's kind that the store has, in order."""
    if kind.key == "lines":
        found = {str(each) for each in record_lookup.lines_seen(db)}
    elif kind.key == "agents":
        found = task_store.assigned_people(db)
    elif kind.key == "statuses":
        found = {str(each) for each in task_store.counts_by_status(db)}
    else:
        found = {tag for tags in facts.tags_of_conversations(db).values() for tag in tags}
    return sorted(found - {""})
