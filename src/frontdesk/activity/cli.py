"""`frontdesk outbox`: changes that the platform has not confirmed yet, and what to do about them."""

from concurrent.futures import Future
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TypeVar

from frontdesk.activity.view.change import state_words
from frontdesk.activity.view.comparison import compare
from frontdesk.app.services import Desk
from frontdesk.app.store_session import at_desk
from frontdesk.cli.errors import say
from frontdesk.cli.output import print_json
from frontdesk.config.render_context import View
from frontdesk.outbox.commands import NotPossible
from frontdesk.storage.database_files import OUTBOX_FILE, set_aside, unsent_elsewhere
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeState
from frontdesk.text.display_text import pad, show_line
from frontdesk.text.glyphs import glyphs
from frontdesk.workflows.view.pending import wants_a_look

DoneT = TypeVar("DoneT")

COMPARED_WIDTH = 70


def list_changes(as_json: bool) -> int:
    """Print the changes that are not settled, the oldest first."""

    def show(desk: Desk) -> None:
        wanted = (*UNCONFIRMED, *NEEDS_PERSON)
        open_ones = [each for each in reversed(desk.reads.changes(100_000)) if each.state in wanted]
        for change in open_ones:
            if as_json:
                print_json(asdict(change))
            else:
                _print_change(change, desk)
        if not open_ones and not as_json:
            print("Nothing is waiting: every change is confirmed or was decided.")
        for name, count in unsent_elsewhere(desk.folder):
            say(f"{count} more wait in the store {name}, which belongs to another profile or environment")
        for aside in (path for path in set_aside(desk.folder) if path.name.startswith(OUTBOX_FILE)):
            note = "a damaged outbox was set aside; changes in it that could not be read are not listed"
            say(f"{note}: {aside}")

    return at_desk(show)


def retry(change_id: int, *, over_theirs: bool) -> int:
    """Send a refused or conflicting change again; of a workflow that somebody else has changed meanwhile only
    after theirs was shown, and when told to."""

    def again(desk: Desk) -> None:
        change = desk.reads.change(change_id)
        if change is not None and wants_a_look(change):
            from frontdesk.workflows.cli.conflict import print_theirs

            print_theirs(desk, change)
            if not over_theirs:
                raise NotPossible("nothing was sent: add --over-theirs to send yours over theirs, or drop yours")
            change_id_now = desk.send_over_theirs(change_id).result().change_id
        else:
            change_id_now = _done(desk, change_id, desk.retry(change_id)).change_id
        print(f"change {change_id} is queued again, as {change_id_now}; a running frontdesk sends it")

    return at_desk(again)


def drop(change_id: int) -> int:
    """Give a change up."""

    def give_up(desk: Desk) -> None:
        _done(desk, change_id, desk.drop(change_id))
        print(f"change {change_id} is dropped")

    return at_desk(give_up)


def _done(desk: Desk, change_id: int, deed: "Future[DoneT]") -> DoneT:
    """What came of it; why it isn't possible is said with the number that was typed, as the list has it."""
    try:
        return deed.result()
    except NotPossible as error:
        if desk.reads.change(change_id) is None:
            raise
        raise NotPossible(f"change {change_id}: {error}") from None


def _print_change(change: Change, desk: Desk) -> None:
    """One line, and under a conflict each field before, theirs and yours."""
    made = datetime.fromtimestamp(change.made_at).astimezone()
    words = [
        pad(str(change.change_id), 6),
        f"{made:%Y-%m-%d %H:%M}",
        pad(show_line(change.label).text, 30),
        pad(show_line(change.target).text, 30),
        state_words(change, desk.clock()),
        show_line(change.reason).text,
    ]
    print("  ".join(words).rstrip())
    if change.state is ChangeState.CONFLICT:
        view = View(desk.catalogue, glyphs(ascii_only=False), desk.clock(), made.tzinfo or UTC)
        for line in compare(change, COMPARED_WIDTH, view):
            text = "".join(part.text.text for part in line).rstrip()
            if text:
                print(f"        {text}")
