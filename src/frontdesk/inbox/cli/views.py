"""`frontdesk views`. What the commands need is imported when they run."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsLines, AsObject, DryRun, group
from frontdesk.cli.output import print_json, print_table
from frontdesk.cli.store_session import TEAM_LATER, print_local, with_store

if TYPE_CHECKING:
    from frontdesk.storage.database import ProfileStore

app = group("List saved views; add, remove or share your own.")
ViewName = Annotated[str, typer.Argument(metavar="NAME", help="The view's name.")]


@app.command("list")
def list_views(as_json: AsLines = False) -> int:
    """List the saved views: built-in ones, yours and the team's."""
    from frontdesk.inbox.saved_views import all_views

    def work(store: "ProfileStore") -> None:
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


@app.command("add")
def add_view(
    name: ViewName,
    match: Annotated[str, typer.Argument(metavar="WORDS", help="Its filter words, in quotes.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a view of this name.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Save a view of your own in config.toml; open screens of the profile have it at once."""
    from frontdesk.inbox.filter_words import parse
    from frontdesk.inbox.saved_views import all_views, save_view

    def work(store: "ProfileStore") -> None:
        _change_views(lambda: save_view(store, name, match, is_trial=True))
        known = {each.name: str(each.query) for each in all_views(store) if not each.author}
        if name in known and known[name] != str(parse(match)) and not replace:
            words = f"the view {name[:60]!r} shows {known[name][:80]}; to replace it, add --replace"
            raise CommandFailed(INPUT_WRONG, words)
        _change_views(lambda: save_view(store, name, match, is_trial=dry_run))
        print_local(store, {"view": name, "match": match}, f"Saved the view {name}.", as_json=as_json)

    return with_store(work, dry_run=dry_run)


@app.command("remove")
def remove_view(name: ViewName, dry_run: DryRun = False, as_json: AsObject = False) -> int:
    """Remove a view of your own from config.toml."""
    from frontdesk.inbox import saved_views

    def work(store: "ProfileStore") -> None:
        _change_views(lambda: saved_views.remove_view(store, name, is_trial=dry_run))
        print_local(store, {"view": name, "match": None}, f"Removed the view {name}.", as_json=as_json)

    return with_store(work, dry_run=dry_run)


def _change_views(change: Callable[[], None]) -> None:
    from frontdesk.config.catalogue_rows import NotSaved

    try:
        change()
    except NotSaved as error:
        raise CommandFailed(INPUT_WRONG, f"{error}; nothing was changed") from None


@app.command("share")
def share_view(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The view's name, for the team.")],
    match: Annotated[
        str, typer.Option("--match", metavar="WORDS", help="Its filter words. Default: those of your view NAME.")
    ] = "",
    stop: Annotated[bool, typer.Option("--stop", help="Stop sharing it.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Share a view with the team, or stop."""
    from frontdesk.inbox.commands import InboxCommands
    from frontdesk.inbox.saved_views import all_views, sharing_fault
    from frontdesk.inbox.store import team_views

    def work(store: "ProfileStore") -> None:
        if stop:
            if name not in team_views.shared_by_me(store.reading):
                raise CommandFailed(INPUT_WRONG, f"you share no view named {name[:60]!r}; nothing was changed")
            words, done = "", f"No longer shared: {name}."
        else:
            own = {each.name.casefold(): str(each.query) for each in all_views(store) if not each.author}
            words, done = match or own.get(name.casefold(), ""), f"Shared with the team: {name}."
            fault = sharing_fault(store, name, words)
            if not (fault or words):
                fault = f"you have no view named {name[:60]!r}; say what it shows with --match"
            if fault:
                raise CommandFailed(INPUT_WRONG, f"{fault}; nothing was changed")
        InboxCommands(store).share_view(name, words)
        print_local(store, {"view": name, "match": words or None}, f"{done} {TEAM_LATER}", as_json=as_json)

    return with_store(work, dry_run=dry_run)
