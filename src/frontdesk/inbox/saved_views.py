"""Saves and removes views of one's own in the config, and takes them from there into the running program."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from frontdesk.config import settings as config_settings
from frontdesk.config.catalogue_rows import VIEWS, NotSaved, Row, field_fault, save_rows
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import ConfigError, Profile
from frontdesk.inbox import filter_words
from frontdesk.inbox.filter_words import View
from frontdesk.inbox.store import team_views
from frontdesk.inbox.store.team_views import TeamView
from frontdesk.storage import change_feed
from frontdesk.storage.database import ProfileStore
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import SafeText, show_label, show_line


def all_views(store: ProfileStore) -> tuple[View, ...]:
    """Return the views of the program, of the config and of the team, in this order."""
    settings = store.settings
    own = filter_words.views(settings.views, store.profile, has_sla=bool(settings.sla))
    shared = team_views.of_team(store.reading, store.catalogue.me)
    return with_shared(own, shared, store.profile, has_sla=bool(settings.sla))


def with_shared(
    own: Sequence[View], shared: Iterable[TeamView], profile: Profile, *, has_sla: bool = False
) -> tuple[View, ...]:
    """Add the views that the team shares; one that can't be read, or is an own one anyway, is left out."""
    known = {(each.name.casefold(), each.query) for each in own}
    found: dict[str, View] = {}
    for each in shared:
        query = filter_words.parse(each.match)
        if not query.terms or query.faults or (each.name.casefold(), query) in known:
            continue
        why = filter_words.off(query, profile, has_sla=has_sla)
        name = f"{each.name} · {profile.agents.get(AgentId(each.author), each.author)}"
        off = f"{each.name}: {why}" if why else ""
        found.setdefault(name, View(name, query, off, each.name, each.author))
    return (*own, *found.values())


def sharing_fault(store: ProfileStore, name: str, match: str) -> str:
    if store.profile.team is None:
        return "sharing a view needs a team: see docs/team.md to set one up"
    if store.catalogue.me is None:
        return "your agent id isn't set; set agent_id in the profile, so that the team knows whose view it is"
    if match in [each.match for each in filter_words.BUILT_IN]:
        return "everyone has this view; filter it to share what you see"
    if name.casefold() in (filter_words.ALL.name, *(each.name.casefold() for each in filter_words.BUILT_IN)):
        return "everyone has a view of this name; choose another"
    if len(name) > team_views.MAX_NAME_LETTERS or len(match) > team_views.MAX_QUERY_LETTERS:
        letters = f"{team_views.MAX_NAME_LETTERS} letters, its words {team_views.MAX_QUERY_LETTERS}"
        return f"a shared view's name can have {letters} at most"
    return "; ".join(filter_words.parse(match).faults)


def shown_name(view: View, context: RenderContext, limit: int = 24) -> SafeText:
    if not view.author:
        return show_label(view.name, limit)
    name, who = show_line(view.shared_name, limit), context.person(AgentId(view.author))
    return SafeText(f"{name.text} · {who.text}", name.was_sanitized or who.was_sanitized)


def view_fault(key: str, value: str) -> str:
    """Return what is wrong with the name or the filter words (`match`) of a view, or an empty string."""
    fault = field_fault(VIEWS, key, value, ())
    return fault or (filter_words.name_fault(value) if key == "name" else filter_words.match_fault(value))


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
        filter_words.views(saved, store.profile, has_sla=bool(store.settings.sla))
    except ConfigError:
        return  # the next start names the fault
    store.settings = replace(store.settings, views=saved)
