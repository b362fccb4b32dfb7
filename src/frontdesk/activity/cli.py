"""`frontdesk outbox`: changes that the platform has not confirmed yet, and what to do about them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from frontdesk.activity.targets import find_target
from frontdesk.cli.errors import print_error
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_json
from frontdesk.cli.record_names import with_id
from frontdesk.cli.store_session import TEAM_LATER, CommandStore, print_local, with_store
from frontdesk.cli.write_session import failure_lines, send_added
from frontdesk.config.facts import lines
from frontdesk.config.render_context import RenderContext
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import conflicts
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.bulk import REQUESTS
from frontdesk.outbox.change_view import LABEL_CELLS, ChangeViews, reason_words
from frontdesk.outbox.changes import ChangeHandlers, NotPossible
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.labels import shown_label
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.database_files import OUTBOX_FILE, unsent_elsewhere
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState
from frontdesk.storage.recovery import damaged_files
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import counted, pad, show_line
from frontdesk_lines.glyphs import glyphs

COMPARED_WIDTH = 70

ConflictPrinter = Callable[[ProfileStore, Change], None]
"""A feature's function that prints theirs and yours of a change."""


def list_changes(views: ChangeViews, *, as_json: bool) -> int:
    """Print the changes that are not settled, the oldest first."""

    def show(store: ProfileStore) -> None:
        wanted = (*UNCONFIRMED, *NEEDS_PERSON)
        open_ones = [
            each for each in reversed(outbox_queue.recent(store.reading, 100_000)) if each.state in wanted
        ]
        if as_json:
            for change in open_ones:
                print_json(change._asdict())
        else:
            targets = [_target_words(change, store) for change in open_ones]
            width = max(map(cell_width, targets), default=0)
            for change, target in zip(open_ones, targets, strict=True):
                _print_change(change, pad(target, width), views, store)
        if not open_ones and not as_json:
            print("Nothing to send: every change is confirmed or resolved.")
        for name, count in unsent_elsewhere(store.folder):
            waiting = f"{counted(count, 'more change')} waiting in the store {name}"
            print_error(f"{waiting}, which belongs to another profile or environment")
        for aside in (path for path in damaged_files(store.folder) if path.name.startswith(OUTBOX_FILE)):
            note = "a damaged outbox was set aside; its unreadable changes aren't listed"
            print_error(f"{note}: {aside}")

    return with_store(show)


def retry(
    handlers: ChangeHandlers,
    views: ChangeViews,
    conflict_printers: Mapping[ChangeKind, ConflictPrinter],
    change_id: int,
    options: WriteOptions,
    *,
    over_theirs: bool,
) -> int:
    """Resend a rejected or conflicting change; return an exit status.

    Where theirs needs a review, print it, and send yours only with `over_theirs`. A change that can't be sent now
    waits for a decision as before; of one that is rejected again, the resent one does.
    """

    def again(store: ProfileStore) -> int:
        outbox = OutboxCommands(store, lambda: handlers)
        change = outbox_queue.change(store.reading, change_id)
        needs_review = change is not None and views[change.kind].needs_review(change)
        if change is not None and needs_review:
            if not options.as_json:
                conflict_printers[change.kind](store, change)
            if not over_theirs:
                raise NotPossible(
                    "nothing was sent: to overwrite their version with yours, add --over-theirs; "
                    f"to discard yours, run `frontdesk outbox drop {change_id}`"
                )
        add = partial(outbox.retry, change_id, over_theirs=needs_review)
        failures: Mapping[int, Exception] = {}
        sent: Sequence[Change] = ()
        with _numbered(store, change_id):
            if isinstance(store, CommandStore):
                queued, sent, failures = send_added(add, store, options.services, waited=change)
            else:
                queued = add().result()
        status, lines = failure_lines([(queued.target, each) for each in failures.values()], 1)
        for line in lines:
            print_error(line)
        if options.as_json or not status:
            is_back = any(each.state is ChangeState.DROPPED for each in sent)
            fields = {"change": change_id, "queuedAs": None if is_back else queued.change_id}
            later = "" if REQUESTS[queued.kind] else f". {TEAM_LATER}"
            words = f"change {change_id} was resent as {queued.change_id}{later}"
            print_local(store, fields, words, as_json=options.as_json)
        return status

    return with_store(again, dry_run=options.dry_run, kind=CommandStore)


def drop(handlers: ChangeHandlers, change_id: int, *, dry_run: bool, as_json: bool) -> int:
    def give_up(store: ProfileStore) -> None:
        with _numbered(store, change_id):
            OutboxCommands(store, lambda: handlers).drop(change_id).result()
        print_local(
            store, {"change": change_id, "discarded": True}, f"change {change_id} discarded", as_json=as_json
        )

    return with_store(give_up, dry_run=dry_run)


@contextmanager
def _numbered(store: ProfileStore, change_id: int) -> Iterator[None]:
    """Add the number that was typed, as the list has it, to the reason why a change can't be resent or dropped."""
    try:
        yield
    except NotPossible as error:
        if outbox_queue.change(store.reading, change_id) is None:
            raise
        raise NotPossible(f"change {change_id}: {error}", quotes=True) from None


def _target_words(change: Change, store: ProfileStore) -> str:
    target = find_target(store.reading, change)
    name = " ".join(each.text for each in (target.who, target.what) if each.text)
    if target.who.text == show_line(change.target, 60).text:
        name = ""  # nothing stored names it
    return with_id(name, show_line(change.target).text)


def _print_change(change: Change, target: str, views: ChangeViews, store: ProfileStore) -> None:
    """One line, and under a conflict each field before, theirs and yours."""
    made = datetime.fromtimestamp(change.made_at, local_zone())
    view = RenderContext(store.catalogue, glyphs(ascii_only=False), store.clock(), local_zone())
    words = [
        pad(str(change.change_id), 6),
        f"{made:%Y-%m-%d %H:%M}",
        pad(show_line(shown_label(change.label)).text, 30),
        target,
        views[change.kind].state_words(change, store.clock()),
        reason_words(change, conflicts.author(store.reading, change), view).text,
    ]
    print("  ".join(words).rstrip())
    if change.state is ChangeState.CONFLICT:
        for line in lines(views[change.kind].facts(change, view), COMPARED_WIDTH, view, LABEL_CELLS):
            text = "".join(part.text.text for part in line).rstrip()
            if text:
                print(f"        {text}")
