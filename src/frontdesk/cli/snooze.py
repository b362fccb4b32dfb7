"""Snoozes from the command line, of conversations and of tasks; the platform has no snooze."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.store_session import run_action
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.snooze_view import ONLY_HERE, wish_label, wish_words
from frontdesk.outbox.snoozes import SnoozeCommands
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.platform_clock import parse_by_clock
from frontdesk.storage.records import ChangeKind
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import counted
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.text.snooze_parser import parse_snooze


def snooze(
    kind: ChangeKind,
    given: Sequence[str],
    when: str,
    is_stored: Callable[[ReadConnection, str], bool],
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Snooze stored records, or wake them; return an exit status.

    Args:
        given: ids, or `-` for those on standard input.
        is_stored: whether a record is stored; others are refused.
    """
    thing = "conversation" if kind is ChangeKind.SNOOZE_CONVERSATION else "task"

    def act(store: ProfileStore) -> "tuple[Future[ActionResult], str]":
        now = datetime.fromtimestamp(store.clock(), local_zone())
        try:
            wish = parse_by_clock(parse_snooze, when, now, store.clock_offset())
        except DueNotUnderstood as error:
            raise CommandFailed(INPUT_WRONG, f"--until: {error}; nothing was changed") from None
        if wish.note:
            print_error(f"--until: {wish.note}")
        ids = require_stored(store, given, is_stored, thing)
        until = None if wish.until is None else wish.until.timestamp()
        words = "Awake again" if wish.is_off else f"Snoozed {wish_words(wish, now)}"
        done = SnoozeCommands(store).snooze(
            kind, ids, until, on_message=wish.on_message, label=wish_label(wish, now)
        )
        return done, f"{words}: {counted(len(ids), thing)}, {ONLY_HERE}."

    return run_action(act, dry_run=dry_run, as_json=as_json)


def require_stored(
    store: ProfileStore, given: Sequence[str], is_stored: Callable[[ReadConnection, str], bool], thing: str
) -> list[str]:
    """Return the ids, which may stand on standard input.

    Raises:
        NotPossible: one isn't stored on this machine.
    """
    ids = read_ids(given)
    if unknown := next((each for each in ids if not is_stored(store.reading, each)), None):
        raise NotPossible(
            f"frontdesk has stored no {thing} with the id {unknown}; nothing was changed", quotes=True
        )
    return ids
