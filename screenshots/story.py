"""What the recording tells: the keys of each step, what the screen must show then, and the line below it."""

from collections.abc import Sequence
from dataclasses import dataclass

SIZE = (100, 28)
NIGHT = "The next morning"
NIGHT_SECONDS = 17 * 3600 + 11 * 60
NIGHT_SHOWN_SECONDS = 1.2


@dataclass(frozen=True)
class Step:
    """A frame of the recording, and how to get there from the one before.

    Attributes:
        shows: words that the screen must have; the recording fails if one is missing.
        seconds: how long it stays.
        keys: what is typed for it.
        caption: the line below the screen; empty if the one before stays.
        badge: the key as shown, and what it does.
        network: True if the network comes back with it, False if it goes.
        minutes: how much time passes before.
        is_restart: the program was closed for a night and is started again.
        is_poster: the frame for viewers that don't animate.
    """

    shows: Sequence[str]
    seconds: float
    keys: Sequence[str] = ()
    caption: str = ""
    badge: tuple[str, str] | None = None
    network: bool | None = None
    minutes: int = 0
    is_restart: bool = False
    is_poster: bool = False


STEPS = (
    Step(("● live", "◐ Amelia Wood"), 1.6, caption="An inbox at work, in your terminal."),
    Step(("● live", "Sophie Walker"), 0.6, "j", badge=("j", "next")),
    Step(("● live", "Harry Clarke"), 0.6, "j", badge=("j", "next")),
    Step(("● live", "◐ Oscar Bennett"), 0.9, "j", badge=("j", "next")),
    Step(("○ offline",), 2.2, caption="The network goes down.", network=False, minutes=1),
    Step(
        ("○ offline", "⇅ 1 to send"),
        1.7,
        "A",
        caption="Work on: each change is saved on your disk first.",
        badge=("A", "assign to me"),
    ),
    Step(("Status ·", "1–5 choose"), 1.1, "kks", badge=("s", "set the status")),
    Step(("○ offline", "⇅ 2 to send", "◐ Sophie Walker"), 1.4, "2", badge=("2", "in progress"), minutes=1),
    Step(("○ offline", "⇅ 3 to send", "○ Amelia Wood"), 1.8, "kc", badge=("c", "complete"), is_poster=True),
    Step(
        ("○ offline", "3 unconfirmed", "waiting to send", "Amelia Wood", "Sophie Walker", "Oscar Bennett"),
        2.6,
        "6",
        caption="The outbox keeps all three until they can be sent.",
        badge=("6", "activity"),
        minutes=1,
    ),
    Step(
        ("● live", "everything sent", "confirmed"),
        2.6,
        caption="The network is back: each change is sent once.",
        network=True,
        minutes=12,
    ),
    Step(
        ("● live", "everything sent", "In progress → Completed"),
        1.9,
        caption="frontdesk starts again: your changes are still listed.",
        is_restart=True,
    ),
    Step(
        ("● live", "⇅ 1 to send", "Undo: Status"),
        1.6,
        "u",
        caption="Undo yesterday's change.",
        badge=("u", "undo"),
    ),
    Step(("● live", "everything sent", "Undo: Status"), 1.2, minutes=1),
    Step(
        ("● live", "◐ Amelia Wood", "◐ Sophie Walker"),
        2.6,
        "1",
        caption="The task is in progress again, here and on the platform.",
        badge=("1", "inbox"),
    ),
)
