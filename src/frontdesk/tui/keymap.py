"""Every key of frontdesk, once: bindings, help, palette, hints and the docs are made from this table.

A screen or widget takes its `BINDINGS` from `bindings_for`; overrides come from the config.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from textual.binding import Binding
from textual.keys import Keys

from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.keyboard_layouts import same_key

FORBIDDEN = frozenset(f"ctrl+{letter}" for letter in "abshijm")
SCREENS = ("inbox", "board", "campaigns", "workflows", "agents", "activity")
WIDGETS = ("list", "thread")
PUSHED = ("comparing",)
"""Screens that are opened from one of those and have keys of their own."""

_EVERY_SCREEN = (*SCREENS, "comparing")
_ROWS = ("inbox", "board")
_PANED = (*_ROWS, "workflows", "agents")
_FETCHED = ("inbox", "board", "campaigns", "workflows", "agents", "comparing")
_KEY_NAMES = {
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "esc",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


class KeymapError(ValueError):
    """A keymap in the config that cannot be used; the message says why."""


class KeymapClash(KeymapError):
    """One key was given to two bindings that are live at the same time."""


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the keymap.

    Attributes:
        id: stable name, used in the config.
        keys: key names as Textual spells them; the first one is shown.
        action: the action that is run where the binding is declared.
        label: one or two words for the status line.
        help: one sentence for help, palette and docs.
        group: the heading it stands under in help.
        contexts: the widgets and screens that declare it; "app" is live everywhere.
        show: rank among the hints of the status line, 1 first; 0 is never a hint.
    """

    id: str
    keys: tuple[str, ...]
    action: str
    label: str
    help: str
    group: str
    contexts: tuple[str, ...]
    show: int = 0

    @property
    def shown_key(self) -> str:
        """The key as people write it."""
        return shown(self.keys[0])


def shown(key: str) -> str:
    """A key name as people write it."""
    return _KEY_NAMES.get(key, key)


def _key(
    name: str, keys: str, action: str, label: str, does: str, group: str, contexts: Iterable[str], show: int = 0
) -> Key:
    return Key(name, tuple(keys.split()), action, label, does, group, tuple(contexts), show)


MOVE, GO, FIND, MARK, DO, VIEW, PROGRAM = "Move", "Go", "Find", "Mark", "Do", "Look", "Program"

TABLE: tuple[Key, ...] = (
    _key("move.down", "j down", "cursor_down", "down", "Next row or message", MOVE, WIDGETS),
    _key("move.up", "k up", "cursor_up", "up", "Previous row or message", MOVE, WIDGETS),
    _key("move.first", "g home", "cursor_first", "first", "First row or message", MOVE, WIDGETS),
    _key("move.last", "G end", "cursor_last", "last", "Last row or message", MOVE, WIDGETS),
    _key("move.half_down", "ctrl+d", "half_down", "half page", "Half a page down", MOVE, WIDGETS),
    _key("move.half_up", "ctrl+u", "half_up", "half page", "Half a page up", MOVE, WIDGETS),
    _key("move.page_down", "pagedown", "page_down", "page", "A page down", MOVE, WIDGETS),
    _key("move.page_up", "pageup", "page_up", "page", "A page up", MOVE, WIDGETS),
    _key("pane.next", "tab", "next_pane", "pane", "Next pane", MOVE, _PANED),
    _key("pane.previous", "shift+tab", "previous_pane", "pane", "Previous pane", MOVE, _PANED),
    _key("pane.right", "l right", "pane_right", "right", "Pane or column to the right", MOVE, _PANED),
    _key("pane.left", "h left", "pane_left", "left", "Pane or column to the left", MOVE, _PANED),
    _key("go.inbox", "1", "go('inbox')", "Inbox", "Inbox: conversations and their threads", GO, ["app"]),
    _key("go.board", "2", "go('board')", "Board", "Board: tasks by status", GO, ["app"]),
    _key("go.campaigns", "3", "go('campaigns')", "Campaigns", "Campaigns: the flight deck", GO, ["app"]),
    _key("go.workflows", "4", "go('workflows')", "Workflows", "Workflows: list, tree and traffic", GO, ["app"]),
    _key("go.agents", "5", "go('agents')", "AI agents", "AI agents: list and detail", GO, ["app"]),
    _key("go.activity", "6", "go('activity')", "Activity", "Activity: every change", GO, ["app"]),
    _key("go.back", "escape", "back", "back", "Take the filter off, else back to what was before", GO, ["app"]),
    _key("go.leave", "q", "back_or_quit", "back", "Back; at the root it quits, and a filter stays", GO, ["app"]),
    _key("row.open", "enter", "choose", "open", "Open what the cursor is on", GO, WIDGETS, 8),
    _key("find.filter", "/", "find", "filter", "Filter what is listed; search in a tree", FIND, _PANED, 9),
    _key("find.search", "f", "search", "search", "Search messages, tasks and customers", FIND, ["inbox"], 10),
    _key("find.jump", "J", "jump", "jump", "Jump to a conversation by name, number or id", FIND, ["inbox"]),
    _key("find.unread", "n", "find_next", "next", "Next hit of a search, else next unread", FIND, ["inbox"]),
    _key("find.back", "N", "find_previous", "previous", "Previous hit, else the way back", FIND, ["inbox"]),
    _key("view.next", "]", "step_view(1)", "next view", "Next saved view", FIND, ["inbox"], 11),
    _key("view.previous", "[", "step_view(-1)", "view before", "Previous saved view", FIND, ["inbox"]),
    _key("list.sort", "S", "sort", "sort", "Sort by waiting, last activity, due or name", FIND, ["inbox"]),
    _key("tree.next", "n", "find_next", "next", "Next place that was searched for", FIND, ["workflows"]),
    _key("tree.previous", "N", "find_previous", "previous", "The place before", FIND, ["workflows"]),
    _key("tree.back", "b", "jump_back", "back", "Back to where a jump in a tree began", FIND, ["workflows"]),
    _key(
        "workflow.sort",
        "S",
        "sort",
        "sort",
        "Sort by name, executions, last run, last change or problems",
        FIND,
        ["workflows"],
    ),
    _key(
        "workflow.worst", "E", "worst_exits", "worst exits", "Where most customers are lost", FIND, ["workflows"]
    ),
    _key("workflow.findings", "F", "findings", "problems", "What the check found", FIND, ["workflows"]),
    _key(
        "agents.sort",
        "S",
        "sort",
        "sort",
        "Sort by name, tokens used, last change or active first",
        FIND,
        ["agents"],
    ),
    _key(
        "conversation.open", "O", "open_pair", "open", "Open a conversation by line and customer", FIND, ["inbox"]
    ),
    _key("mark.toggle", "space", "toggle_mark", "mark", "Mark or unmark, and go on", MARK, ["list"], 7),
    _key("mark.range", "v", "mark_range", "mark range", "Mark from the last mark to here", MARK, ["list"]),
    _key("mark.all", "V", "mark_all", "mark all", "Mark all that are listed, or none", MARK, ["list"]),
    _key("mark.clear", "escape", "clear_marks", "unmark", "Take all marks off", MARK, ["list"]),
    _key("task.assign", "a", "task('assign')", "assign", "Assign people, and take people off", DO, _ROWS, 1),
    _key("task.assign_me", "A", "task('assign_me')", "to me", "Assign to me", DO, _ROWS),
    _key("conversation.tag", "t", "task('tag')", "tag", "Give tags; they cannot be taken off", DO, _ROWS, 2),
    _key("task.due", "d", "task('due')", "due", "Set the due time in words, or none", DO, _ROWS, 3),
    _key("task.status", "s", "task('status')", "status", "Set the status", DO, _ROWS, 4),
    _key("task.complete", "c", "task('complete')", "complete", "Complete", DO, _ROWS, 5),
    _key("task.edit", "e", "task('edit')", "edit", "Edit title and body", DO, _ROWS),
    _key("card.left", "<", "move_left", "left", "Card one status to the left", DO, ["board"], 6),
    _key("card.right", ">", "move_right", "right", "Card one status to the right", DO, ["board"], 6),
    _key("conversation.read", "m", "toggle_read", "read", "Read or unread; only here", DO, ["inbox"]),
    _key(
        "bulk.stop", "x", "stop_run", "stop", "Stop what runs on many; what is not sent is taken back", DO, _ROWS
    ),
    _key(
        "bulk.failures", "X", "failures", "failed", "What the platform did not take, to send it again", DO, _ROWS
    ),
    _key(
        "campaign.one",
        "C",
        "run_workflow",
        "workflow",
        "Run a workflow for this customer: a campaign with one recipient",
        DO,
        ["inbox"],
    ),
    _key("campaign.create", "c", "create", "create", "Create a campaign; checked first", DO, ["campaigns"], 2),
    _key("campaign.watch", "w", "watch", "watch", "Watch a campaign by its id", DO, ["campaigns"], 1),
    _key(
        "campaign.compare",
        "=",
        "compare",
        "compare",
        "Compare the marked, or this with the one before it",
        DO,
        ["campaigns"],
    ),
    _key(
        "campaign.write",
        "W",
        "write",
        "report",
        "Write the shift report, and samples of the marked",
        DO,
        ["campaigns", "comparing"],
        6,
    ),
    _key(
        "compare.back", "h left", "step(-1)", "earlier", "A little earlier since the start", MOVE, ["comparing"], 1
    ),
    _key("compare.on", "l right", "step(1)", "later", "A little later since the start", MOVE, ["comparing"], 2),
    _key("compare.far_back", "[", "step(-10)", "far back", "Ten times as far back", MOVE, ["comparing"]),
    _key("compare.far_on", "]", "step(10)", "far on", "Ten times as far on", MOVE, ["comparing"]),
    _key(
        "compare.newest",
        "n",
        "newest",
        "now",
        "Where the campaign is now, and along with it",
        MOVE,
        ["comparing"],
        5,
    ),
    _key(
        "compare.measure",
        "s",
        "measure",
        "sent, read…",
        "Curves of sent, delivered, read or failed",
        VIEW,
        ["comparing"],
        3,
    ),
    _key("compare.share", "t", "of_total", "share", "Counts, or shares of all recipients", VIEW, ["comparing"], 4),
    _key("campaign.unwatch", "x", "unwatch", "unwatch", "Stop watching; the campaign goes on", DO, ["campaigns"]),
    _key(
        "campaign.outcomes",
        "E",
        "outcomes",
        "failures",
        "How a list's recipients fared, and why",
        DO,
        ["campaigns"],
        3,
    ),
    _key("workflow.try", "D", "dry_run", "dry run", "Try a workflow without a customer", DO, ["workflows"]),
    _key("workflow.create", "c", "create", "create", "Create a workflow from a file", DO, ["workflows"], 1),
    _key("workflow.update", "e", "update", "update", "Update a workflow from a file", DO, ["workflows"], 2),
    _key("workflow.switch", "a", "switch", "on or off", "Switch a workflow on or off", DO, ["workflows"], 3),
    _key("workflow.export", "W", "export", "export", "Write a workflow into a file", DO, ["workflows"], 4),
    _key(
        "workflow.snapshots",
        "=",
        "snapshots",
        "compare",
        "Compare a workflow's analytics with what was kept of them",
        DO,
        ["workflows"],
    ),
    _key(
        "workflow.reset",
        "X",
        "reset_analytics",
        "reset",
        "Reset a workflow's analytics; what they were is kept here",
        DO,
        ["workflows"],
    ),
    _key("webhook.delete", "w", "delete_webhook", "webhook", "Delete a webhook by its id…", DO, ["agents"], 1),
    _key(
        "change.retry",
        "r",
        "retry",
        "send again",
        "Send a refused or conflicting change again",
        DO,
        ["activity"],
        1,
    ),
    _key("change.drop", "x", "drop", "drop", "Give a change up", DO, ["activity"], 2),
    _key("change.undo", "u", "undo", "undo", "Undo what was done last", DO, ["app"]),
    _key("change.redo", "U", "redo", "redo", "Redo what was undone last", DO, ["app"]),
    _key("copy.id", "y", "copy_id", "copy", "Copy the id or number; in a thread the message", DO, _EVERY_SCREEN),
    _key("copy.json", "Y", "copy_json", "copy JSON", "Copy the record as JSON", DO, _EVERY_SCREEN),
    _key("thread.older", "L", "load_older", "older", "Load older messages", VIEW, ["inbox"]),
    _key("link.open", "o", "open_link", "link", "Open a link of this message; shows it first", VIEW, ["inbox"]),
    _key("record.raw", "i", "raw", "raw", "The raw record, and what fetched it", VIEW, _EVERY_SCREEN),
    _key("view.refresh", "r", "refresh_this", "refresh", "Fetch this again", VIEW, _FETCHED),
    _key("view.refresh_all", "R", "refresh_all", "refresh all", "Fetch everything again", VIEW, ["app"]),
    _key(
        "pane.preview", "p", "preview", "preview", "The thread beside the list, or the list alone", VIEW, ["inbox"]
    ),
    _key(
        "pane.zoom", "z", "zoom", "zoom", "The focused pane alone, or all", VIEW, ["inbox", "workflows", "agents"]
    ),
    _key("profile.switch", "ctrl+o", "switch_profile", "profile", "Open another profile", PROGRAM, ["app"]),
    _key("app.palette", ": ctrl+p", "command_palette", "command", "Commands by name", PROGRAM, ["app"]),
    _key("app.help", "? f1", "help", "keys", "The keys that are live here", PROGRAM, ["app"], 12),
    _key("app.redraw", "ctrl+l", "redraw", "redraw", "Draw the screen again", PROGRAM, ["app"]),
    _key("app.suspend", "ctrl+z", "suspend_process", "suspend", "Back to the shell; fg returns", PROGRAM, ["app"]),
    _key("app.quit", "ctrl+q", "quit", "quit", "Quit; asks while changes are unsent", PROGRAM, ["app"]),
    _key("app.theme", "T", "next_theme", "theme", "Dark, light, or the terminal's own colours", PROGRAM, ["app"]),
    _key("sync.pause", "P", "pause_polling", "pause", "Pause or resume polling", PROGRAM, ["app"]),
)


_DECLARED = {key.id: key.keys for key in TABLE}


class Keymap:
    """A table of keys in which no key means two things at once.

    Attributes:
        chosen: the keys that are others than usual, by id, as people write them.
    """

    def __init__(self, table: Iterable[Key] = TABLE) -> None:
        self.table = tuple(table)
        self._by_id = {key.id: key for key in self.table}
        self.chosen = {key.id: key.shown_key for key in self.table if key.keys != _DECLARED[key.id]}
        _refuse_clashes(self.table)

    def __getitem__(self, name: str) -> Key:
        return self._by_id[name]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.table)

    def with_overrides(self, overrides: Mapping[str, str]) -> "Keymap":
        """The same table with other keys, each given as `"x"` or `"x, f5"`."""
        unknown = [name for name in overrides if name not in self._by_id]
        if unknown:
            near = get_close_matches(unknown[0], self._by_id, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; docs/configuration.md lists the names"
            raise KeymapError(f"no key is called {unknown[0]!r}{hint}")
        table = [replace(key, keys=_parsed(key, overrides.get(key.id))) for key in self.table]
        return Keymap(table)

    def bindings_for(self, context: str) -> list[Binding]:
        """The bindings that a widget or screen of this context declares."""
        return [_binding(key) for key in self.table if context in key.contexts]

    def textual_keymap(self) -> dict[str, str]:
        """What `App.set_keymap` is given: the keys of each id that isn't as the bindings declare it.

        Textual goes through all of it for every widget above the focus on every key, which for the
        whole table is ten times what the key itself costs.
        """
        return {key.id: ",".join(_with_twins(key.keys)) for key in self.table if key.keys != _DECLARED[key.id]}

    def help_for(self, *contexts: str) -> list[tuple[str, list[Key]]]:
        """The keys that are live in these contexts and everywhere, by group, in the table's order."""
        live = [key for key in self.table if {"app", *contexts} & set(key.contexts)]
        groups = dict.fromkeys(key.group for key in live)
        return [(group, [key for key in live if key.group == group]) for group in groups]

    def hinted(self, *contexts: str) -> list[Key]:
        """The keys that matter in these contexts, the most wanted first."""
        live = [key for key in self.table if key.show and {"app", *contexts} & set(key.contexts)]
        return sorted(live, key=lambda key: key.show)


def keys_line(*pairs: tuple[str, str]) -> Line:
    """Keys and what they do, as the last line of a dialog shows them."""
    parts = [
        part for key, does in pairs for part in (span("  "), span(key, Role.ACCENT), span(f" {does}", Role.DIM))
    ]
    return tuple(parts[1:])


def bindings_for(context: str) -> list[Binding]:
    """The default bindings of a widget or screen; the app's keymap overrides them by id."""
    return DEFAULT.bindings_for(context)


def with_twins(*keys: str) -> str:
    """Keys for a dialog's own binding, with the letters that other layouts have in their places."""
    return ",".join(_with_twins(keys))


def _binding(key: Key) -> Binding:
    return Binding(",".join(_with_twins(key.keys)), key.action, key.label, show=False, tooltip=key.help, id=key.id)


def _with_twins(keys: Iterable[str]) -> list[str]:
    found = [twin for key in keys for twin in (key, *same_key(_character(key)))]
    return [_named(key) for key in dict.fromkeys(found)]


def _character(key: str) -> str:
    return {"comma": ",", "slash": "/"}.get(key, key)


def _named(key: str) -> str:
    """The name Textual gives to a character; a comma separates keys and cannot stand for itself."""
    if key == ",":
        return "comma"
    (binding,) = Binding.make_bindings([Binding(key, "")])
    return binding.key


def _parsed(key: Key, text: str | None) -> tuple[str, ...]:
    if text is None:
        return key.keys
    keys = tuple(part.strip() for part in text.split(",") if part.strip())
    if not keys:
        raise KeymapError(f"{key.id!r} needs a key")
    for name in keys:
        if name in FORBIDDEN:
            raise KeymapError(f"{key.id!r}: {name} is left to the terminal or to screen and tmux")
        if not _is_key(name):
            raise KeymapError(f"{key.id!r}: no key is called {name!r}; B, f5, ctrl+g or pagedown are keys")
    return keys


def _is_key(name: str) -> bool:
    """Whether Textual ever says such a key: a character, a character's name, or one of its own names."""
    *modifiers, last = ["+"] if name == "+" else name.split("+")
    if not set(modifiers) <= {"ctrl", "shift", "alt", "super"}:
        return False
    if len(last) == 1 or last in {each.value for each in Keys}:
        return True
    try:
        return bool(unicodedata.lookup(last.replace("_", " ")))
    except KeyError:
        return False


def _refuse_clashes(table: tuple[Key, ...]) -> None:
    taken: dict[str, list[Key]] = {}
    for key in table:
        for name in map(_named, key.keys):
            for other in taken.get(name, []):
                if _live_together(key, other):
                    raise KeymapClash(f"{shown(name)} is given to both {other.id!r} and {key.id!r}")
            taken.setdefault(name, []).append(key)


def _live_together(one: Key, two: Key) -> bool:
    """Two screens are never live together, nor two widgets; a list's esc goes on to `back` by design."""
    if {one.id, two.id} == {"mark.clear", "go.back"} or one.action == two.action:
        return False
    return any(
        a == b or "app" in (a, b) or (a in WIDGETS) != (b in WIDGETS) for a in one.contexts for b in two.contexts
    )


DEFAULT = Keymap()
