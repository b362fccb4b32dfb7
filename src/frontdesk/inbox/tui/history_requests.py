"""What a thread's reader asked for and doesn't have yet, and what did not come.

Held by the thread's pane. An ask is known by the message before which something is missing.
"""

from collections.abc import Collection, Sequence

from frontdesk.storage.records import MessageKey, Segment
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, span


class Asks:
    """The asks of one open thread.

    Attributes:
        loading: those under way.
        failed: why the others didn't come.
    """

    def __init__(self) -> None:
        self.loading: set[MessageKey] = set()
        self.failed: dict[MessageKey, str] = {}

    def forget(self) -> None:
        """Another thread is open."""
        self.loading.clear()
        self.failed.clear()

    def begin(self, before: MessageKey) -> bool:
        """Ask for what lies before this message; False where that is under way."""
        if before in self.loading:
            return False
        self.loading.add(before)
        self.failed.pop(before, None)
        return True

    def end(self, before: MessageKey, failed: str = "") -> bool:
        """An ask is settled, or failed for a reason; False where it isn't of this thread."""
        if before not in self.loading:
            return False
        self.loading.discard(before)
        if failed:
            self.failed[before] = failed
        return True

    def settle(self, segments: Sequence[Segment]) -> None:
        """What has come meanwhile is under way no more."""
        self.loading &= {each.oldest for each in segments if not each.complete}

    def far_from(self, near: Collection[MessageKey]) -> Line:
        """What is loading, or did not come, where its own line is not among those near; else nothing."""
        if self.loading.difference(near):
            return (span("loading older messages", Role.ACCENT),)
        why = next((why for key, why in self.failed.items() if key not in near), "")
        return (span(trusted(f"not loaded: {show_line(why, 80).text}"), Role.BAD),) if why else EMPTY


def missing_before(segments: Sequence[Segment], here: MessageKey) -> MessageKey | None:
    """The message nearest above this one, or this one, before which something is missing."""
    return max((each.oldest for each in segments if not each.complete and each.oldest <= here), default=None)
