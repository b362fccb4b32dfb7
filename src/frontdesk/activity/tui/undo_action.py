"""Undo and redo at the keys: a bulk action is asked about first, and what came of it is said.

Used by the app.
"""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontdesk.activity.view.target_name import and_more, change_target
from frontdesk.app.services import ActionResult
from frontdesk.outbox import bulk_progress_view
from frontdesk.outbox.undo import ASK_ABOVE, TooManyToUndo, UndoRequest
from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done

if TYPE_CHECKING:
    from textual.app import App


@dataclass(frozen=True, slots=True)
class _Words:
    """What one of the two says of itself: the key's word, what was done, what is on its way and not done
    yet, nothing to do, and the way back with the id of its key."""

    verb: str
    did: str
    sends: str
    nothing: str
    back: str
    back_key: str


_UNDO = _Words("Undo", "Undone", "Being sent back", "Nothing to undo.", "redoes it", "change.redo")
_REDO = _Words("Redo", "Done again", "Being sent again", "Nothing to redo.", "undoes it", "change.undo")


def turn(app: "App[None]", app_context: AppContext, *, back: bool, asking: UndoRequest | None = None) -> None:
    """Undo or redo what was last, and say what became of it once it is in the outbox."""
    words = _UNDO if back else _REDO
    asking = asking or UndoRequest(ASK_ABOVE)

    def say(turning: "Future[ActionResult | TooManyToUndo | None]") -> None:
        error = turning.exception()
        if error is not None:
            notify(app, trusted(f"Not {words.did.lower()}: {show_line(str(error)).text}"), severity="error")
            return
        result = turning.result()
        if isinstance(result, TooManyToUndo):
            _ask(app, app_context, result, words)
        else:
            _tell(app, app_context, result, words)

    on_done(app, app_context.services.undo(asking) if back else app_context.services.redo(asking), say)


def _ask(app: "App[None]", app_context: AppContext, large: TooManyToUndo, words: _Words) -> None:
    from frontdesk.outbox.bulk import cost
    from frontdesk.tui.dialogs.base import Answered as Answered
    from frontdesk.tui.dialogs.confirm import ConfirmDialog

    label = show_line(large.label, 60).text
    named = "" if large.first is None else change_target(app_context.services.queries, large.first).text
    on = f"on {named} and {large.count - 1:,} more" if named else f"on {large.count:,}"
    settings = app_context.services.settings
    most = cost(large.count, large.kind, settings)
    spent = bulk_progress_view.cost(most.requests, most.seconds, settings.requests_per_minute)
    dialog = ConfirmDialog(
        trusted(f"{words.verb} · {label}"),
        trusted(f"{words.verb} it {on}? {spent} at most."),
        yes=trusted(f"{words.verb} on all {large.count:,}"),
        near_yes=True,
    )

    def answered(answer: object) -> None:
        if isinstance(answer, Answered):
            turn(app, app_context, back=words is _UNDO, asking=UndoRequest(sure_of=large.batch))

    app.push_screen(dialog, answered)


def _tell(app: "App[None]", app_context: AppContext, done: ActionResult | None, words: _Words) -> None:
    if done is None:
        notify(app, trusted(words.nothing))
        return
    named = "" if done.first is None else change_target(app_context.services.queries, done.first).text
    for problem in done.problems:
        which = f"{named}: " if named and not done.count else ""
        notify(app, trusted(f"{which}{show_line(problem).text}"), severity="warning")
    if done.count:
        label = show_line(done.label, 80).text
        did = words.sends if done.is_to_send else words.did
        on = f" on {and_more(trusted(named), done.count).text}" if named else ""
        notify(
            app, trusted(f"{did}: {label}{on} · {app_context.key(words.back_key)} {words.back}"), timeout_seconds=3
        )
