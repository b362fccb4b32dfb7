"""The saved views of a profile with those that its team shares, each marked with who shares it."""

from collections.abc import Iterable, Sequence

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import Profile
from frontdesk.inbox import saved_views
from frontdesk.inbox.saved_views import View
from frontdesk.inbox.store import team_views
from frontdesk.inbox.store.team_views import TeamView
from frontdesk.storage.database import ProfileStore
from frontdesk.text.display_text import SafeText, show_label, show_line


def all_views(store: ProfileStore) -> tuple[View, ...]:
    """Return the views of the program, of the config and of the team, in this order."""
    settings = store.settings
    own = saved_views.views(settings.views, store.profile, has_sla=bool(settings.sla))
    shared = team_views.of_team(store.reading, store.catalogue.me)
    return with_shared(own, shared, store.profile, has_sla=bool(settings.sla))


def with_shared(
    own: Sequence[View], shared: Iterable[TeamView], profile: Profile, *, has_sla: bool = False
) -> tuple[View, ...]:
    """Add the views that the team shares; one that can't be read, or is an own one anyway, is left out."""
    known = {(each.name.casefold(), each.query) for each in own}
    found: dict[str, View] = {}
    for each in shared:
        query = saved_views.parse(each.match)
        if not query.terms or query.faults or (each.name.casefold(), query) in known:
            continue
        why = saved_views.off(query, profile, has_sla=has_sla)
        name = f"{each.name} · {profile.agents.get(AgentId(each.author), each.author)}"
        off = f"{each.name}: {why}" if why else ""
        found.setdefault(name, View(name, query, off, each.name, each.author))
    return (*own, *found.values())


def sharing_fault(store: ProfileStore, name: str, match: str) -> str:
    """Return why a view can't be shared under a name; empty where it can."""
    if store.catalogue.me is None:
        return "your agent id isn't set; set agent_id in the profile, so that the team knows whose view it is"
    if not match:
        return f"you have no view named {name[:60]!r}; say what it shows with --match"
    if match in [each.match for each in saved_views.BUILT_IN]:
        return "everyone has this view"
    if name.casefold() in (saved_views.ALL.name, *(each.name.casefold() for each in saved_views.BUILT_IN)):
        return "everyone has a view of this name; choose another"
    if len(name) > team_views.MAX_NAME_LETTERS or len(match) > team_views.MAX_QUERY_LETTERS:
        letters = f"{team_views.MAX_NAME_LETTERS} letters, its words {team_views.MAX_QUERY_LETTERS}"
        return f"a shared view's name can have {letters} at most"
    return "; ".join(saved_views.parse(match).faults)


def shown_name(view: View, context: RenderContext, limit: int = 24) -> SafeText:
    """Return a view's name for display; a shared one's with who shares it."""
    if not view.author:
        return show_label(view.name, limit)
    name, who = show_line(view.shared_name, limit), context.person(AgentId(view.author))
    return SafeText(f"{name.text} · {who.text}", name.was_sanitized or who.was_sanitized)
