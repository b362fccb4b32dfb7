"""Saves and removes views of one's own in the config, and takes them from there into the running program."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from frontdesk.config import settings as config_settings
from frontdesk.config.catalogue_rows import VIEWS, NotSaved, Row, field_fault, save_rows
from frontdesk.config.settings import ConfigError
from frontdesk.inbox import saved_views
from frontdesk.storage import change_feed
from frontdesk.storage.database import ProfileStore


def view_fault(key: str, value: str) -> str:
    """Return what is wrong with the name or the filter words (`match`) of a view, or an empty string."""
    fault = field_fault(VIEWS, key, value, ())
    return fault or (saved_views.name_fault(value) if key == "name" else saved_views.match_fault(value))


def save_view(store: ProfileStore, name: str, match: str, *, is_trial: bool = False) -> None:
    """Save a view; one of the same name is replaced where it stands. A trial only checks it.

    Raises:
        NotSaved: the name or the filter can't be used, or the config can't be written; it is as it was.
    """
    for key, value in (("name", name), ("match", match)):
        if fault := view_fault(key, value):
            raise NotSaved(fault)
    row = {"name": name, "match": match}

    def replace_row(rows: list[Row]) -> list[Row]:
        changed = [row if each["name"] == name else each for each in rows]
        return changed if row in changed else [*changed, row]

    if not is_trial:
        _change_views(store, replace_row)


def remove_view(store: ProfileStore, name: str, *, is_trial: bool = False) -> None:
    """Remove a view of one's own. A trial only checks that it is there.

    Raises:
        NotSaved: there is none of this name, or the config can't be written.
    """
    if name not in [each.name for each in store.settings.views]:
        raise NotSaved(f"you have no view named {name[:60]!r}")
    if not is_trial:
        _change_views(store, lambda rows: [each for each in rows if each["name"] != name])


def replace_views(store: ProfileStore, shown: Sequence[Row], rows: Sequence[Row]) -> None:
    """Save these views instead of those that were shown.

    Raises:
        NotSaved: the config has others by now, or can't be written.
    """

    def replace_rows(before: list[Row]) -> Sequence[Row]:
        if before != [*shown]:
            raise NotSaved("your views were changed elsewhere; close this and open it again")
        return rows

    _change_views(store, replace_rows)


def _change_views(store: ProfileStore, change_rows: Callable[[list[Row]], Sequence[Row]]) -> None:
    """Change the config's views, and let every screen on this profile read them again."""
    save_rows(config_settings.config_path(), VIEWS, change_rows)
    load_views(store)
    store.write_unawaited(lambda db: change_feed.append(db, change_feed.VIEWS, [change_feed.OWN_VIEWS.id]))


def load_views(store: ProfileStore) -> None:
    """Use the views of the config as it is now; a config that can't be used changes nothing."""
    try:
        saved = config_settings.load_config().settings.views
        saved_views.views(saved, store.profile, has_sla=bool(store.settings.sla))
    except ConfigError:
        return  # the next start names the fault
    store.settings = replace(store.settings, views=saved)
