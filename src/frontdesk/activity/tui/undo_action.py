"""Undo and redo: a bulk action is confirmed first, and the result is reported."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from frontdesk.activity.actions import REDO, UNDO, UndoTexts, describe_problem
from frontdesk.config.actions import ASK_ABOVE
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.bulk import describe_cost, estimate_cost, present_limits
from frontdesk.outbox.undo import TooManyToUndo, UndoOutcome, UndoRequest
from frontdesk.storage.record_lookup import and_more, change_target
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_error, show_line, trusted

if TYPE_CHECKING:
    from textual.app import App


def undo(app: "App[None]", app_context: AppContext) -> None:
    _run(app, app_context, UNDO, UndoRequest(ASK_ABOVE))


def undo_changes(app: "App[None]", app_context: AppContext, changes: Sequence[int]) -> None:
    """Undo these changes of one action, which needn't be the last, and report the result."""
    _run(app, app_context, UNDO, UndoRequest(ASK_ABOVE, changes=tuple(changes)))


def redo(app: "App[None]", app_context: AppContext) -> None:
    _run(app, app_context, REDO, UndoRequest(ASK_ABOVE))


def _run(app: "App[None]", app_context: AppContext, texts: UndoTexts, request: UndoRequest) -> None:
    def report(done: "Future[UndoOutcome]") -> None:
        error = done.exception()
        if error is not None:
            notify(app, trusted(f"Couldn't {texts.verb.lower()} this: {show_error(error).text}"), severity="error")
            return
        result = done.result()
        if isinstance(result, TooManyToUndo):
            _confirm(app, app_context, result, texts, request)
        else:
            _report(app, app_context, result, texts)

    outbox = app_context.outbox
    on_done(app, outbox.undo(request) if texts is UNDO else outbox.redo(request), report)


def _confirm(
    app: "App[None]", app_context: AppContext, large: TooManyToUndo, texts: UndoTexts, request: UndoRequest
) -> None:
    from frontdesk.tui.dialogs.base import on_answer
    from frontdesk.tui.dialogs.confirm import ConfirmDialog

    label = show_line(large.label, 60).text
    named = change_target(app_context.store.reading, large.first).text
    on = f"on {named} and {large.count - 1:,} more" if named else f"on {large.count:,}"
    limits = present_limits(app_context.store)
    spent = describe_cost(estimate_cost({large.first.kind: large.count}, limits), limits.start)
    dialog = ConfirmDialog(
        trusted(f"{texts.verb} · {label}"),
        trusted(f"{texts.verb} this {on}? {spent}, possibly less."),
        yes=trusted(f"{texts.verb} all {large.count:,}"),
        yes_is_default=True,
    )

    confirmed = UndoRequest(confirmed_batch=large.batch, changes=request.changes)
    app.push_screen(dialog, on_answer(lambda _: _run(app, app_context, texts, confirmed)))


def _report(app: "App[None]", app_context: AppContext, done: ActionResult | None, texts: UndoTexts) -> None:
    if done is None:
        notify(app, trusted(texts.nothing))
        return
    if done.count == 1 and done.first is not None:
        for screen in app.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.record_actions.follow(done.first.target)
    named = "" if done.first is None else change_target(app_context.store.reading, done.first).text
    problems = [describe_problem(done, show_line(problem).text, named, texts) for problem in done.problems]
    if done.count:
        # In one toast: of several, the first one would be what was done.
        problems = [". ".join((describe_result(done, named, texts, app_context.key(texts.back_key)), *problems))]
    for words in problems:
        if done.problems:
            notify(app, trusted(words), severity="warning")
        else:
            notify(app, trusted(words), timeout_seconds=3)


def describe_result(done: ActionResult, named: str, texts: UndoTexts, back_key: str) -> str:
    """Return the result in words: what was done, to whom, and the way back."""
    did = texts.result(show_line(done.label, 80).text, is_to_send=done.is_to_send)
    # The label of a workflow's or campaign's change names it already.
    is_named = done.count == 1 and done.label.endswith(f": {named}")
    on = f" · {and_more(trusted(named), done.count).text}" if named and not is_named else ""
    return f"{did}{on}" + ("" if done.is_partial else f" · {back_key} {texts.back}")
