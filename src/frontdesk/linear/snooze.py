"""The linear mode's `snooze` and `snoozed`."""

from collections.abc import Mapping, Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.notifications import await_claim
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.session import Session
from frontdesk.linear.verbs import verb_command
from frontdesk.outbox import snoozes
from frontdesk.outbox.snooze_view import SNOOZE_VERB, snooze_words, woken_words
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeKind
from frontdesk.storage.sql import ReadConnection
from frontdesk_lines.display_text import SafeText, trusted

_KINDS = {ListKind.CONVERSATION: ChangeKind.SNOOZE_CONVERSATION, ListKind.TASK: ChangeKind.SNOOZE_TASK}


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
        woken = await_claim(snoozes.claim_woken(self._store), "what woke from a snooze")
        return [trusted(f"{woken_words(woken, self._db).text}.")] if woken else []


_WHEN = (
    "WHEN is a time, until they write, or off. A snooze until a time also ends with the customer's next message,"
    " unless you add only.",
    "The platform has no snooze, so nobody else sees it.",
)

COMMANDS = (
    verb_command(SNOOZE_VERB, "Q", "[N] WHEN", more=_WHEN),
    Command("list.snoozed", snoozed, "snoozed", "", LISTS, "List what is snoozed, and until when"),
)
