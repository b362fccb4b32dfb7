"""What an undo or redo says of itself, once it is in the outbox. Used by the app."""

from concurrent.futures import Future
from typing import TYPE_CHECKING

from frontdesk.desk.desk import Done
from frontdesk.text import own, show_line
from frontdesk.tui.safe import notify

if TYPE_CHECKING:
    from textual.app import App


def tell_turned(app: "App[None]", turning: "Future[Done | None]", did: str, nothing: str, back: str) -> None:
    """Say what was turned, and why the rest was not.

    Args:
        did: the word for what was done.
        nothing: said where there was nothing to turn.
        back: how to turn it back.
    """

    def say() -> None:
        error = turning.exception()
        if error is not None:
            notify(app, own(f"Not {did.lower()}: {show_line(str(error)).text}"), severity="error")
            return
        done = turning.result()
        if done is None:
            notify(app, own(nothing))
            return
        for problem in done.problems:
            notify(app, show_line(problem), severity="warning")
        if done.count:
            times = "" if done.count == 1 else f" on {done.count:,}"
            label = show_line(done.label, 80).text
            notify(app, own(f"{did}{times}: {label} · {back}"), timeout_seconds=3)

    turning.add_done_callback(lambda _: app.call_later(say))
