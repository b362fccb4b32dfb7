"""The contents of a screen's status line: connection, marks, bulk action, outbox, and hints at keys.

Choose the keys that the status line hints at, by the state of a screen.

A state without an entry here shows the keys that the keymap ranks.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from textual.widget import Widget
from textual.widgets import Input

from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox.bulk import describe_progress
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.invalid_items import unreadable_on
from frontdesk.storage.records import Connection
from frontdesk.sync import status_view
from frontdesk.sync.status_view import view_health
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap, first_key_name
from frontdesk_lines.display_text import SafeText, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.widgets.line_bar import Hint, StatusLine
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lines.widgets.thread_view import ThreadView

COMPLETE, STATUS = "task.complete", "task.status"
NAMING = (COMPLETE, STATUS)
"""The actions whose hint names the task that keys work on: an open or a completed one."""

NamedTarget = tuple[str, SafeText]
"""The one of these actions that is possible, and the task in quotes with whose it is."""

_TASK_KEYS = "task.assign conversation.tag task.due task.status task.complete"
_IN_THREAD = f"{_TASK_KEYS} go.back"
_IN_TREE = (
    "row.open find.filter workflow.worst workflow.findings workflow.try tree.back workflow.update workflow.switch "
    "record.raw go.back"
)
STATE_ACTIONS: Mapping[str, str] = {
    "inbox.thread with more": f"{_TASK_KEYS} thread.older go.back",
    "inbox.thread": _IN_THREAD,
    "inbox.facts": "task.assign task.due task.status task.complete task.edit go.back",
    "inbox.empty": "view.choose conversation.open view.refresh_all",
    "inbox.marks": f"{_TASK_KEYS} mark.range mark.clear",
    "board.marks": f"{_TASK_KEYS} card.left card.right mark.clear",
    "board.empty": "pane.left pane.right find.filter view.refresh_all",
    "board.filtered": "go.back find.filter pane.left pane.right",
    "campaigns.empty": "campaign.create campaign.watch",
    "campaigns.filtered": "go.back find.filter",
    "campaigns.list": (
        "row.open find.filter campaign.create campaign.watch campaign.compare campaign.write campaign.outcomes "
        "campaign.sort campaign.compact campaign.unwatch view.refresh record.raw"
    ),
    "campaigns.tags": (
        "row.open find.filter campaign.create campaign.watch campaign.compare campaign.write campaign.sort "
        "campaign.compact campaign.unwatch view.refresh record.raw"
    ),
    "campaigns.marks": "campaign.compare campaign.write mark.range mark.clear",
    "comparing.list": (
        "compare.back compare.on compare.measure compare.share compare.newest campaign.write go.back"
    ),
    "workflows.empty": "workflow.create view.refresh view.refresh_all",
    "workflows.filtered": "go.back find.filter",
    "workflows.list": (
        "row.open find.filter workflow.sort workflow.worst workflow.findings workflow.try workflow.update "
        "workflow.switch workflow.create workflow.export record.raw"
    ),
    "workflows.searched": f"tree.next tree.previous {_IN_TREE}",
    "workflows.tree": _IN_TREE,
    "workflows.node": "row.open record.raw copy.id workflow.findings go.back",
    "agents.empty": "view.refresh view.refresh_all",
    "agents.list": "row.open find.filter agents.sort pane.next webhook.delete record.raw",
    "agents.agent": "row.open go.back record.raw copy.id view.refresh",
    "numbers.list": "row.open numbers.days numbers.by pane.next record.raw",
    "numbers.chart": "row.open numbers.days numbers.by go.back",
    "numbers.empty": "numbers.days",
    "activity.empty": "go.inbox go.board",
    "activity.undecided": "change.retry change.drop row.open change.next change.details record.raw",
    "activity.texts": "change.merge change.retry change.drop row.open change.next change.details record.raw",
    "activity.unsent": "change.undo change.drop row.open change.details record.raw",
    "activity.done": "change.undo row.open change.details record.raw copy.id",
    "activity.over": "row.open change.details record.raw copy.id",
}
"""The ids of the actions hinted at in a state: a key context and an activity."""

_LABELS: Mapping[tuple[str, str], str] = {
    ("board.filtered", "go.back"): "clear",
    ("campaigns.filtered", "go.back"): "clear",
    ("workflows.filtered", "go.back"): "clear",
    ("workflows.searched", "find.filter"): "search",
    ("workflows.searched", "go.back"): "end search",
    ("workflows.tree", "find.filter"): "search",
}
"""Labels of actions in a state, where they differ from the usual ones."""

_WHILE_TYPING: Mapping[str, tuple[tuple[str, str], ...]] = {
    "typing": (("enter", "keep"), ("esc", "clear")),
    "searching": (("enter", "go through matches"), ("esc", "end search")),
}

CONNECTION_HINTS: Mapping[Connection, tuple[str, str]] = {
    Connection.OFFLINE: ("view.refresh_all", "try now"),
    Connection.INTERCEPTED: ("view.refresh_all", "try now"),
    Connection.FAILING: ("view.refresh_all", "try now"),
    Connection.THROTTLED: ("view.refresh_all", "try now"),
    Connection.PAUSED: ("sync.pause", "resume"),
}
"""The first hint while the platform doesn't answer."""


def hints(
    keymap: Keymap,
    context: str,
    activity: str,
    contexts: tuple[str, ...],
    health: Connection,
    target: NamedTarget | None = None,
) -> list[Hint]:
    """Return the hints of a screen, the most important first; the last one opens the help.

    Args:
        activity: the focused pane, or `typing`, `searching`, `marks`, `empty`, `filtered` (empty due to a filter),
            `completed` (nothing to complete).
        contexts: the contexts whose keys are live.
        target: the task that the keys work on, where it has to be named.
    """
    found: list[Hint] = []
    if health in CONNECTION_HINTS:
        name, label = CONNECTION_HINTS[health]
        found.append(_hint(keymap, name, label))
    if target and activity not in _WHILE_TYPING:
        name, words = target
        found.append(_hint(keymap, name, f"{keymap[name].label} {words.text}"))
    listed = {each.id for each in found} | ({COMPLETE} if target or activity == "completed" else set())
    if activity in _WHILE_TYPING:
        found += [Hint("", _line(key, label)) for key, label in _WHILE_TYPING[activity]]
    elif (state := f"{context}.{activity}") in STATE_ACTIONS:
        names = [name for name in STATE_ACTIONS[state].split() if name not in listed]
        found += [_hint(keymap, name, _LABELS.get((state, name), "")) for name in names]
    else:
        found += [_hint(keymap, key.id) for key in keymap.hinted(*contexts) if key.id not in listed]
    return [*(each for each in found if each.id != "app.help"), _hint(keymap, "app.help")]


def welcome(keymap: Keymap) -> tuple[Line, ...]:
    """Draw the first steps with the keys of this keymap."""
    first = ("move.down", "move.up", "row.open", "pane.next", "find.filter", "mark.toggle")
    then = (*_TASK_KEYS.split()[:4], "change.undo", "go.board")
    last = (("app.help", "all keys"), ("app.palette", "any command by name"), ("go.back", "hide"))
    rows = [
        [_line(first_key_name(keymap[name]), keymap[name].label) for name in first],
        [_line(first_key_name(keymap[name]), keymap[name].label) for name in then],
        [_line(first_key_name(keymap[name]), label) for name, label in last],
    ]
    heads = ("Getting started  ", "On a row         ", "Anywhere         ")
    gap = span("   ")
    return tuple(
        (span(head, Role.STRONG), *[part for line in row for part in (*line, gap)][:-1])
        for head, row in zip(heads, rows, strict=True)
    )


def _hint(keymap: Keymap, name: str, label: str = "") -> Hint:
    key = keymap[name]
    return Hint(name, _line(first_key_name(key), label or key.label))


def _line(key: str, label: str) -> Line:
    return (span(key, Role.ACCENT), span(trusted(f" {label}"), Role.DIM))


class ScreenState(NamedTuple):
    """What a screen shows at this moment.

    Attributes:
        pane: the focused pane, as `hints` names it; empty for the context of its widget.
        typing: the activity while an input has the focus: `typing` or `searching`.
        rows: the list whose emptiness changes the hints.
        hidden_marks: how many marked rows a filter or a view leaves out.
        was_read: False where the view was never read and so has no age.
        readable_thread: the conversation whose thread can be read on the screen; empty for none.
    """

    pane: str = ""
    typing: str = "typing"
    rows: RowList | None = None
    is_filtered: bool = False
    marked: int = 0
    hidden_marks: int = 0
    was_read: bool = True
    readable_thread: str = ""

    def activity(self, focused: Widget | None) -> str:
        """Return the key of `hints` for this state: typing, marks, an empty list, or the focused pane."""
        if isinstance(focused, Input):
            return self.typing
        if self.marked:
            return "marks"
        if self.rows is not None and focused is self.rows and not self.rows.keys:
            return "filtered" if self.is_filtered else "empty"
        return self.pane or widget_context(focused)


def widget_context(focused: Widget | None) -> str:
    return "thread" if isinstance(focused, ThreadView) else "list"


class RunTracker:
    """The bulk action that is being sent, as it was read last.

    Attributes:
        batch: its batch; empty where none runs.
    """

    def __init__(self, app_context: AppContext, stop_key: Callable[[], str]) -> None:
        self._app_context, self._stop_key = app_context, stop_key
        self.batch = ""
        self.progress: Line = EMPTY

    def update(self) -> str:
        """Read the progress and return the batch that ended since; empty where none did."""
        store = self._app_context.store
        run = outbox_bulk.oldest_running(store.reading, self._app_context.clock())
        ended, self.batch = self.batch, "" if run is None else run.batch
        self.progress = EMPTY
        if run is not None:
            limit = outbox_bulk.present_limits(store).start
            self.progress = describe_progress(run, limit, stops=self._stop_key())
        return ended if ended != self.batch else ""

    def forget(self) -> None:
        """Forget the batch, so that its end isn't reported."""
        self.batch = ""


class StatusBar:
    """Keeps a status line up to date; the line paints only the words that differ.

    Attributes:
        on_run_end: called with a batch that is confirmed on all rows.
        name_target: returns the task that keys work on where the hints have to name it.
    """

    def __init__(
        self,
        app_context: AppContext,
        key_context: str,
        state: Callable[[], ScreenState],
        focused: Callable[[], Widget | None],
        *,
        shown: Callable[[], Focus] = Focus,
        has_marks: bool = False,
    ) -> None:
        self._app_context, self._key_context = app_context, key_context
        self._shown = shown
        self._state, self._focused = state, focused
        # Held, not queried: while the app exits a screen outlives its widgets.
        self.line = StatusLine()
        can_stop = key_context in app_context.keymap["bulk.stop"].contexts
        self.run = RunTracker(app_context, lambda: app_context.key("bulk.stop") if can_stop else "")
        self.on_run_end: Callable[[str], None] = lambda _: None
        self.name_target: Callable[[], NamedTarget | None] = lambda: None
        self._has_marks = has_marks

    def update(self) -> None:
        db, view = self._app_context.store.reading, self._app_context.view()
        state, health = self._state(), view_health(clients.shown_health(self._app_context.store), self._shown())
        now = (health if state.was_read else health._replace(fresh_at=None), view)
        parts: list[Line] = [tuple(status_view.words(*now)), _marked_words(state)]
        added = [part(view) for part in self._app_context.status_parts]
        parts += [part.line for part in added]
        ended, progress = self.run.update(), self.run.progress
        if ended:
            self.on_run_end(ended)
        if progress:
            parts.append(progress)
        unsent, undecided = outbox_bulk.unconfirmed_count(db), outbox_bulk.undecided_count(db)
        if self._app_context.store.settings.read_only:
            parts.insert(1, (span(outbox_bulk.describe_read_only(unsent), Role.WARN),))
        elif unsent and not progress:
            parts.append((span(f"{view.glyphs.pending} {unsent} to send", Role.PENDING),))
        unreadable, activity = unreadable_on(db, self._key_context), self._app_context.key("go.activity")
        compact = {part.line: part.compact for part in added}
        if unreadable:
            words = "item unreadable, see" if unreadable == "1" else "items unreadable, see"
            parts.insert(1, (span(f"{unreadable} {words} {activity}", Role.WARN),))
            compact[parts[1]] = (span(f"{unreadable} unreadable ({activity})", Role.WARN),)
        if is_private():
            parts.insert(1, (span("privacy on", Role.WARN),))
        if undecided:
            parts.append(
                (
                    span(
                        f"{view.glyphs.warning} {outbox_bulk.describe_undecided(undecided)} ({activity})", Role.BAD
                    ),
                )
            )
        self.update_hints()
        self.line.set_left(
            *parts,
            shorter=[tuple(status_view.short_words(*now)), tuple(status_view.shortest_words(*now))],
            compact=compact,
        )

    def update_hints(self) -> None:
        state, focused, context = self._state(), self._focused(), self._key_context
        app_context = self._app_context
        health = status_view.current_health(clients.shown_health(app_context.store), app_context.view()).state
        contexts = (context, widget_context(focused)) if self._has_marks else (context,)
        found = hints(app_context.keymap, context, state.activity(focused), contexts, health, self.name_target())
        self.line.set_right(*found)


def _marked_words(state: ScreenState) -> Line:
    listed = f", {state.hidden_marks:,} not listed" if state.hidden_marks else ""
    return (span(f"{state.marked:,} marked{listed}", Role.WARN),) if state.marked else EMPTY
