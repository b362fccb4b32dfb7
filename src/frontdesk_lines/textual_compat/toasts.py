"""Show few toasts at a time, so that they never cover what is worked on.

Leans on `App._notifications`, in whose place the app holds a `Toasts`, and on `Notifications._notifications`
and `_reap` (8.2.8): Textual shows whatever it is given.

Guarantees at most `MAX_SHOWN` at once, and never two equal ones. Warnings and errors stay their time out, and wait
if there is no room.
"""

from time import time

from textual.content import Content
from textual.notifications import Notification, Notifications
from textual.screen import Screen

MAX_SHOWN = 2
"""A third toast would cover the cards and rows that the next key works on."""

MAX_TOAST_PERCENT = 64
"""The most of a wide screen's width that a toast takes: what the inbox's list leaves."""

MAX_WAITING = 5
"""Warnings and errors that wait for room; of more the oldest is dropped."""

INFORMATION = "information"


class Toasts(Notifications):
    """Notifications of which a newer report replaces the older one."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Notification] = []

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    def add(self, notification: Notification) -> "Toasts":
        self._drop_equal(notification)
        if notification.severity == INFORMATION or len(self) >= MAX_SHOWN:
            self._drop_information()
        self._waiting.append(notification)
        self._waiting = self._waiting[-MAX_WAITING:]
        self._show_waiting()
        return self

    def clear(self) -> "Toasts":
        self._waiting = []
        super().clear()
        return self

    def __delitem__(self, notification: Notification) -> None:
        super().__delitem__(notification)
        self._show_waiting()

    def _reap(self) -> "Toasts":
        super()._reap()
        self._show_waiting()
        return self

    def _drop_equal(self, notification: Notification) -> None:
        """Drop the toasts that say the same; the newer one has its whole time."""
        said = _words(notification)
        for each in [each for each in self._notifications.values() if _words(each) == said]:
            del self._notifications[each.identity]
        self._waiting = [each for each in self._waiting if _words(each) != said]

    def _drop_information(self) -> None:
        shown = [each for each in self._notifications.values() if each.severity == INFORMATION]
        for each in shown:
            del self._notifications[each.identity]
        self._waiting = [each for each in self._waiting if each.severity != INFORMATION]

    def _show_waiting(self) -> None:
        """Show waiting toasts while there is room; their time begins now."""
        while self._waiting and len(self._notifications) < MAX_SHOWN:
            first, *self._waiting = self._waiting
            first.raised_at = time()
            self._notifications[first.identity] = first


def lines_below(screen: Screen[object], toasts: Notifications, cursor: int, height: int) -> int:
    """Return how many lines to leave below the toasts: the last one, or more if they'd cover the cursor's row.

    Args:
        cursor: the line of the row that has the focus, which toasts speak of.
        height: its lines.
    """
    size = screen.size
    is_wide = screen.has_class("-middle") or screen.has_class("-wide")
    width = size.width * MAX_TOAST_PERCENT // 100 if is_wide else size.width
    covered = sum(len(Content(each.message).wrap(max(1, width - _TOAST_EDGE))) for each in toasts)
    is_beside = screen.focused is not None and screen.focused.region.right <= size.width - width
    is_free = is_beside or cursor + height <= size.height - 1 - covered
    return 1 if is_free else size.height - cursor


_TOAST_EDGE = 3
"""Cells of a toast at its sides: a bar and two blanks."""


def _words(notification: Notification) -> tuple[str, str, str]:
    return notification.title, notification.message, notification.severity
