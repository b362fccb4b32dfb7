"""What `frontdesk conversations note` and `frontdesk views` do to the store."""

from collections.abc import Callable

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_json, print_table
from frontdesk.cli.store_session import TEAM_LATER, print_local, with_store
from frontdesk.cli.verbs import ActionPlan, require_stored, run_action
from frontdesk.config.catalogue_rows import NotSaved
from frontdesk.inbox import saved_views
from frontdesk.inbox.commands import InboxCommands, known_people
from frontdesk.inbox.filter_words import parse
from frontdesk.inbox.note_changes import NO_TEAM, NoteDraft, clean_note, mentioned_in
from frontdesk.inbox.saved_views import all_views, sharing_fault
from frontdesk.inbox.store import team_views
from frontdesk.outbox.batches import ActionResult
from frontdesk.storage.database import ProfileStore
from frontdesk_api.contract.ids import ConversationId


def require_team(store: ProfileStore) -> None:
    """Refuse where the profile has no team."""
    if store.profile.team is None:
        raise CommandFailed(INPUT_WRONG, f"{NO_TEAM.removesuffix('.')}; nothing was changed")


def write_note(conversation: str, text: str, options: WriteOptions) -> int:
    """Write a note for the team; return an exit status."""

    def plan(store: ProfileStore) -> ActionPlan[ActionResult]:
        require_team(store)
        require_stored(store, [conversation])
        draft = NoteDraft(ConversationId(conversation), clean_note(text), mentioned_in(text, known_people(store)))
        return ActionPlan(
            lambda: InboxCommands(store).write_note(draft), lambda _: "Note saved; only your team sees it."
        )

    return run_action(plan, options)


def print_views(*, as_json: bool) -> int:
    """Print the saved views; return an exit status."""

    def work(store: ProfileStore) -> None:
        found = all_views(store)
        if as_json:
            for each in found:
                by = each.author or None
                print_json(
                    {"name": each.name, "match": str(each.query), "sharedBy": by, "fault": each.off or None}
                )
            return
        rows = [(each.name, str(each.query), each.author, each.off) for each in found]
        print_table(("VIEW", "MATCHES", "SHARED BY", "CAN'T BE USED"), rows)

    return with_store(work)


def add_view(name: str, match: str, *, replace: bool, dry_run: bool, as_json: bool) -> int:
    """Save a view of one's own in the config; return an exit status."""

    def work(store: ProfileStore) -> None:
        _change_views(lambda: saved_views.save_view(store, name, match, is_trial=True))
        known = {each.name: str(each.query) for each in all_views(store) if not each.author}
        if name in known and known[name] != str(parse(match)) and not replace:
            words = f"the view {name[:60]!r} shows {known[name][:80]}; to replace it, add --replace"
            raise CommandFailed(INPUT_WRONG, words)
        _change_views(lambda: saved_views.save_view(store, name, match, is_trial=dry_run))
        print_local(store, {"view": name, "match": match}, f"Saved the view {name}.", as_json=as_json)

    return with_store(work, dry_run=dry_run)


def remove_view(name: str, *, dry_run: bool, as_json: bool) -> int:
    """Remove a view of one's own from the config; return an exit status."""

    def work(store: ProfileStore) -> None:
        _change_views(lambda: saved_views.remove_view(store, name, is_trial=dry_run))
        print_local(store, {"view": name, "match": None}, f"Removed the view {name}.", as_json=as_json)

    return with_store(work, dry_run=dry_run)


def _change_views(change: Callable[[], None]) -> None:
    try:
        change()
    except NotSaved as error:
        raise CommandFailed(INPUT_WRONG, f"{error}; nothing was changed") from None


def share_view(name: str, match: str, *, stop: bool, dry_run: bool, as_json: bool) -> int:
    """Share a view with the team, or stop; return an exit status."""

    def work(store: ProfileStore) -> None:
        require_team(store)
        if stop:
            if name not in team_views.shared_by_me(store.reading):
                raise CommandFailed(INPUT_WRONG, f"you share no view named {name[:60]!r}; nothing was changed")
            words, done = "", f"No longer shared: {name}."
        else:
            own = {each.name.casefold(): str(each.query) for each in all_views(store) if not each.author}
            words, done = match or own.get(name.casefold(), ""), f"Shared with the team: {name}."
            if fault := sharing_fault(store, name, words):
                raise CommandFailed(INPUT_WRONG, f"{fault}; nothing was changed")
        InboxCommands(store).share_view(name, words)
        print_local(store, {"view": name, "match": words or None}, f"{done} {TEAM_LATER}", as_json=as_json)

    return with_store(work, dry_run=dry_run)
