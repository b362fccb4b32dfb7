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
    Step(("● live", "◐ Amelia Wood"), 1.2, caption="An inbox at work, in your terminal."),
    Step(("refund", "Finley Hughes"), 1.4, ["slash", *"refund"], caption="Find your work.", badge=("/", "filter")),
    Step(
        ("5 marked",),
        1.4,
        ["enter", "g", *["space"] * 5],
        caption="Mark five conversations, and change them all at once.",
        badge=("space", "mark"),
    ),
    Step(("Assign ·", "Daniel Katz"), 1.2, "adan", badge=("a", "assign")),
    Step(("will change", "+Daniel Katz"), 1.8, ["enter"], caption="See what will change before it does."),
    Step(("● live", "assigning 0 of 5"), 1.4, ["y"], badge=("y", "yes")),
    Step(("○ offline",), 1.8, caption="The network goes down.", network=False, minutes=1),
    Step(
        ("5 marked",), 0.8, ["="], caption="Work on: each change is saved on your disk.", badge=("=", "the same")
    ),
    Step(("Due ·", "→ Fri 20 Nov"), 1.2, "dfri", badge=("d", "due")),
    Step(("○ offline", "Fri 17:00"), 1.6, ["enter", "y"], badge=("y", "yes")),
    Step(
        ("○ offline", "10 unconfirmed", "waiting to send"),
        1.8,
        "6",
        caption="The outbox keeps them until they can be sent.",
        badge=("6", "activity"),
        minutes=1,
        is_poster=True,
    ),
    Step(
        ("● live", "everything sent", "confirmed"),
        1.8,
        caption="The network is back: each change is sent once.",
        network=True,
        minutes=12,
    ),
    Step(
        ("● live", "everything sent"),
        1.4,
        caption="frontdesk starts again: your changes are still listed.",
        is_restart=True,
    ),
    Step(
        ("● live", "Undo: Due"),
        1.8,
        "u",
        caption="Undo yesterday's change, for all five.",
        badge=("u", "undo"),
    ),
    Step(("● live", "everything sent", "Undo: Due"), 1.6, minutes=2),
)
