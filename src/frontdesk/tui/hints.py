"""Choose the keys that the status line hints at, by the state of a screen.

A state without an entry here shows the keys that the keymap ranks.
"""

from collections.abc import Mapping

from frontdesk.storage.records import Connection
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.keymap import Keymap, first_key_name
from frontdesk.tui.widgets.line_bar import Hint

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
    "campaigns.list": (
        "row.open campaign.create campaign.watch campaign.compare campaign.write campaign.outcomes "
        "campaign.sort campaign.compact campaign.unwatch view.refresh record.raw"
    ),
    "campaigns.tags": (
        "row.open campaign.create campaign.watch campaign.compare campaign.write campaign.sort campaign.compact "
        "campaign.unwatch view.refresh record.raw"
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
    "activity.unsent": "change.undo change.drop row.open change.details record.raw",
    "activity.done": "change.undo row.open change.details record.raw copy.id",
    "activity.over": "row.open change.details record.raw copy.id",
}
"""The ids of the actions hinted at in a state: a key context and an activity."""

_LABELS: Mapping[tuple[str, str], str] = {
    ("board.filtered", "go.back"): "clear",
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
