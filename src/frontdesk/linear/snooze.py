"""The linear mode's `snooze` and `snoozed`."""

from collections.abc import Mapping, Sequence

from frontdesk.config.actions import ASK_ABOVE
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import DOING, LISTS, TARGET_HELP, Command
from frontdesk.linear.line_parser import NotUnderstood, refusal
from frontdesk.linear.notifications import await_claim
from frontdesk.linear.sentences import MAX_NAMED, name_some
from frontdesk.linear.session import ListKind, Session
from frontdesk.outbox import snoozes
from frontdesk.outbox.snooze_view import ONLY_HERE, snooze_words, wish_label, wish_words, woken_words
from frontdesk.outbox.snoozes import SnoozeCommands
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.platform_clock import parse_by_clock
from frontdesk.storage.records import ChangeKind
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.text.snooze_parser import parse_snooze
from frontdesk.text.snooze_until import SnoozeWish

_KINDS = {ListKind.CONVERSATION: ChangeKind.SNOOZE_CONVERSATION, ListKind.TASK: ChangeKind.SNOOZE_TASK}


def snooze(session: Session, words: str) -> None:
    """`snooze`: leave conversations or tasks out of lists until a time, or until they write; `off` wakes them."""
    things, rest = session.parse_targets(words)
    if not rest:
        raise NotUnderstood("Until when? Type snooze N tomorrow 9am, snooze N until they write or snooze N off.")
    try:
        wish = parse_by_clock(parse_snooze, rest, session.now(), session.store.clock_offset())
    except DueNotUnderstood as error:
        raise refusal(error) from error
    if unfit := next((kind for kind, _ in things if kind not in _KINDS), None):
        raise NotUnderstood(f"This works on tasks and conversations, not on {unfit}s.")
    all_names = [session.name(kind, key) for kind, key in things]
    does = "Wake" if wish.is_off else "Snooze"
    until = f" {wish_words(wish, session.now())}" if not wish.is_off else ""
    if not session.confirm(len(things), f"{does} {name_some(all_names[:ASK_ABOVE], len(things))}{until}?"):
        return
    for kind in dict.fromkeys(kind for kind, _ in things):
        keys = [key for each, key in things if each is kind]
        names = [session.name(kind, each) for each in keys[:MAX_NAMED]]
        _snooze(session, _KINDS[kind], keys, wish, name_some(names, len(keys)))


def _snooze(session: Session, kind: ChangeKind, keys: Sequence[str], wish: SnoozeWish, on: str) -> None:
    words = wish_words(wish, session.now())
    until = None if wish.until is None else wish.until.timestamp()
    label = wish_label(wish, session.now())
    done = session.wait_for(
        SnoozeCommands(session.store).snooze(kind, keys, until, on_message=wish.on_message, label=label)
    )
    result = f"Awake again: {on}." if wish.is_off else f"Snoozed {words}: {on}, {ONLY_HERE}."
    session.report(done, result, f"Nothing to change on {on}.")


def snoozed(session: Session, words: str) -> None:  # noqa: ARG001
    """Print what is snoozed and until when (`snoozed`)."""
    view, found = session.view(), 0
    for listed, kind in _KINDS.items():
        for each in snoozes.asleep_ids(session.db, kind, view.now):
            found += 1
            until = snooze_words(snoozes.snooze_of(session.db, kind, each), view)
            session.print(f"{str(listed).capitalize()}, {session.name(listed, each)}, {until}.")
    if not found:
        session.print("Nothing is snoozed.")


class SnoozeNews:
    """News of what woke, by time or by a message; once a profile.

    Args:
        db: a reading connection of the news' thread.
    """

    def __init__(self, db: ReadConnection, store: ProfileStore):
        self._db, self._store = db, store

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:  # noqa: ARG002
        if not snoozes.unannounced(self._db, view.now):
            return []
        woken = await_claim(SnoozeCommands(self._store).announce(), "what woke from a snooze")
        return [trusted(f"{woken_words(woken, self._db).text}.")] if woken else []


COMMANDS = (
    Command(
        "row.snooze",
        snooze,
        "snooze Q",
        "[N] WHEN",
        DOING,
        more=(
            *TARGET_HELP,
            "WHEN is a time, until they write, or off. A snooze until a time also ends with the customer's next"
            " message, unless you add only.",
            "The platform has no snooze, so nobody else sees it.",
        ),
    ),
    Command("list.snoozed", snoozed, "snoozed", "", LISTS, "List what is snoozed, and until when"),
)
