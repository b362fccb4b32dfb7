"""Show few toasts at a time, so that they never cover what is worked on.

Leans on `App._notifications`, in whose place the app holds a `Toasts`, and on `Notifications._notifications`
and `_reap` (8.2.8): Textual shows whatever it is given.

Guarantees at most `MAX_SHOWN` at once. Warnings and errors stay their time out, and wait where there is no
room.
"""

from time import time

from textual.notifications import Notification, Notifications

MAX_SHOWN = 2
"""A third toast would cover the cards and rows that the next key works on."""

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
