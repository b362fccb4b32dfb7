"""The keymap: bindings, help, palette, hints and docs are made from the actions that have keys."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from functools import partial

from textual.binding import Binding
from textual.keys import Keys

from frontdesk.config.actions import APP, Action, Group, key_action
from frontdesk_lines.keyboard_layouts import key_names, layout_keys
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.list_keys import LIST_KEYS, WIDGETS, ListKey

FORBIDDEN = frozenset(f"ctrl+{letter}" for letter in "abshijm")
SCREENS = ("inbox", "board", "campaigns", "workflows", "agents", "activity", "numbers")
PUSHED = ("comparing",)
"""Screens with keys of their own that are opened from one of SCREENS."""

_EVERY_SCREEN = (*SCREENS, "comparing")
_PANED = ("inbox", "board", "workflows", "agents")
_KEY_NAMES = {
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "esc",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "slash": "/",
    "at": "@",
    "exclamation_mark": "!",
    "minus": "-",
    "plus": "+",
    "colon": ":",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


class KeymapError(ValueError):
    """The keymap in the config can't be used; the message says why."""


class KeymapClash(KeymapError):
    """One key was given to two actions that are live at the same time."""

    def __init__(self, key: str, one: Action, two: Action) -> None:
        super().__init__(f"{display_key(key)} is assigned to both {one.id!r} and {two.id!r}")
        self.key, self._actions = key, (one, two)

    def other(self, action_id: str) -> Action:
        """Return the action that isn't the one with this id."""
        one, two = self._actions
        return two if one.id == action_id else one


def display_key(key: str) -> str:
    return _KEY_NAMES.get(key, key)


def first_key_name(action: Action) -> str:
    return display_key(action.keys[0])


_focus = partial(key_action, Group.MOVE, (*_PANED, "numbers"))
_go = partial(key_action, Group.GO, APP)
_find = partial(key_action, Group.FIND, (*_PANED, "campaigns"))
_GROUP_ORDER = {group: at for at, group in enumerate(Group)}
_GROUPS = {"move": Group.MOVE, "row": Group.GO, "mark": Group.MARK}


def _of_list(key: ListKey) -> Action:
    group = _GROUPS[key.id.partition(".")[0]]
    return key_action(group, key.widgets, key.id, key.keys, key.method, key.label, key.help, rank=key.rank)


NAVIGATION = (
    *map(_of_list, LIST_KEYS[:-1]),
    _focus("pane.next", "tab", "step_pane(1)", "pane", "Next pane"),
    _focus("pane.previous", "shift+tab", "step_pane(-1)", "pane", "Previous pane"),
    _focus("pane.right", "l right", "step_pane(1, False)", "right", "Pane, column or number to the right"),
    _focus("pane.left", "h left", "step_pane(-1, False)", "left", "Pane, column or number to the left"),
    _go("go.inbox", "1", "go('inbox')", "Inbox", "Inbox: conversations and their threads", "messages list"),
    _go("go.board", "2", "go('board')", "Board", "Board: tasks by status", "tasks list"),
    _go("go.campaigns", "3", "go('campaigns')", "Campaigns", "Campaigns: live progress", "campaigns list"),
    _go(
        "go.workflows", "4", "go('workflows')", "Workflows", "Workflows: list, tree and traffic", "workflows list"
    ),
    _go("go.agents", "5", "go('agents')", "AI agents", "AI agents: list and details", "agents list"),
    _go("go.activity", "6", "go('activity')", "Activity", "Activity: every change", "outbox list"),
    _go("go.numbers", "7", "go('numbers')", "Numbers", "Numbers: lines, people, responses, tasks", "stats"),
    _go("go.back", "escape", "back", "back", "Clear the filter, or go back"),
    _find(
        "find.filter", "/", "find", "filter", "Filter the list, or search in a tree", "conversations list", rank=9
    ),
    key_action(
        Group.FIND,
        ("board", "campaigns"),
        "news.next",
        "n",
        "record('next_new')",
        "next new",
        "Next row that is new since your last look",
    ),
    key_action(
        Group.MARK,
        ("inbox", "board"),
        "mark.again",
        "=",
        "task('mark_again')",
        "mark again",
        "Mark the rows of the last change again",
    ),
    _of_list(LIST_KEYS[-1]),
)

_copy = partial(key_action, Group.DO, _EVERY_SCREEN)
_zoom = partial(key_action, Group.VIEW, ("inbox", "workflows", "agents", "numbers"))
_program = partial(key_action, Group.PROGRAM, APP)
SCREEN_ACTIONS = (
    _copy("copy.id", "y", "record('copy_id')", "copy", "Copy the id, number or selected message"),
    _copy(
        "copy.json",
        "Y",
        "record('copy_json')",
        "copy JSON",
        "Copy the record as JSON",
        "tasks show",
        "campaigns get",
        "agents show",
    ),
    _zoom("pane.zoom", "z", "zoom", "zoom", "Zoom the focused pane, or show all"),
    _program("app.palette", ": ctrl+p", "command_palette", "command", "Find a command by name"),
    _program("app.redraw", "ctrl+l", "redraw", "redraw", "Redraw the screen"),
    _program("app.suspend", "ctrl+z", "suspend_process", "suspend", "Suspend to the shell; fg resumes"),
    _program("app.quit", "ctrl+q", "quit", "quit", "Quit; asks first if changes are unsent"),
    _program(
        "app.config", "ctrl+e", "edit_config", "config", "Edit config.toml in your own editor", "config edit"
    ),
    _program("profile.add", "ctrl+k", "add_profile", "add account", "Set up another account", "login"),
    _program("profile.sign_in", "ctrl+t", "sign_in", "sign in", "Sign in again with a new Cookie", "login"),
    _program("app.names", "ctrl+n", "edit_names", "names", "Name lines, people, tags …; change views"),
    _program("app.theme", "T", "pick_theme", "theme", "Choose a theme"),
    _program("view.screenshot", "ctrl+y", "save_picture", "screenshot", "Save a picture of the screen (SVG)"),
)


class Keymap:
    """The actions that have keys, in order of use; no key means two things at once.

    Attributes:
        chosen: the keys that differ from the defaults, by id, for display.
    """

    def __init__(self, actions: Iterable[Action], declared: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.table = sorted((each for each in actions if each.keys), key=_use_order)
        self._by_id = {key.id: key for key in self.table}
        self._declared = declared or {key.id: key.keys for key in self.table}
        self.chosen = {key.id: first_key_name(key) for key in self._changed()}
        _refuse_clashes(self.table)

    def __getitem__(self, name: str) -> Action:
        return self._by_id[name]

    def __iter__(self) -> Iterator[Action]:
        return iter(self.table)

    def with_overrides(self, overrides: Mapping[str, str]) -> "Keymap":
        """Return the table with other keys, each given as `"x"` or `"x, f5"`."""
        unknown = [name for name in overrides if name not in self._by_id]
        if unknown:
            near = get_close_matches(unknown[0], self._by_id, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; to list the names, run `frontdesk docs keys`"
            raise KeymapError(f"unknown action {unknown[0]!r}{hint}")
        if not overrides:
            return copy(self)
        table = [key._replace(keys=_parsed(key, overrides.get(key.id))) for key in self.table]
        return Keymap(table, self._declared)

    def override(self, overrides: Mapping[str, str]) -> None:
        """Use these keys from now on, and the declared ones for all other actions.

        Raises:
            KeymapError: they can't be used; the keys are as they were.
        """
        declared = [key._replace(keys=self._declared[key.id]) for key in self.table]
        self.become(Keymap(declared, self._declared).with_overrides(overrides))

    def become(self, other: "Keymap") -> None:
        """Use the actions and keys of another one from now on."""
        self.__dict__.update(vars(other))

    def without(self, group: str) -> "Keymap":
        """Return the table without the actions whose ids begin with this group, as `macro`."""
        return Keymap([each for each in self.table if not each.id.startswith(f"{group}.")], self._declared)

    def with_action(self, action: Action, keys: str) -> "Keymap":
        """Return the table with one more action at these keys, given as `"x"` or `"x, f5"`.

        Raises:
            KeymapError: they aren't keys, or mean something else.
        """
        added = action._replace(keys=_parsed(action, keys))
        return Keymap([*self.table, added], {**self._declared, added.id: added.keys})

    def bindings_for(self, context: str) -> list[Binding]:
        """Return the default bindings of a screen; `App.set_keymap` overrides them by id."""
        default = (key._replace(keys=self._declared[key.id]) for key in self.table if context in key.contexts)
        return [_binding(key) for key in default]

    def textual_keymap(self) -> dict[str, str]:
        """Return the overrides for `App.set_keymap`: only keys that differ from the bindings.

        Textual goes through all of it for every widget above the focus on every key, which for the
        whole table costs ten times the key itself.
        """
        return {key.id: ",".join(layout_keys(key.keys)) for key in self._changed()}

    def actions_of(self, key: str) -> frozenset[str]:
        """Return the ids of the actions of a key in any context; `key` is Textual's name of it."""
        return frozenset(each.id for each in self.table if key in layout_keys(each.keys))

    def _changed(self) -> list[Action]:
        return [key for key in self.table if key.keys != self._declared[key.id]]

    def help_for(self, *contexts: str) -> list[tuple[str, list[Action]]]:
        """Return the keys that are live in these contexts and everywhere, by group, in the table's order."""
        live = [key for key in self.table if {"app", *contexts} & set(key.contexts)]
        groups = dict.fromkeys(key.group for key in live)
        return [(group, [key for key in live if key.group == group]) for group in groups]

    def hinted(self, *contexts: str) -> list[Action]:
        """Return the ranked keys of these contexts, the most important first."""
        live = [key for key in self.table if key.rank and {"app", *contexts} & set(key.contexts)]
        return sorted(live, key=lambda key: key.rank)


def _use_order(action: Action) -> tuple[int, bool, int, int]:
    """Order actions by group: ranked ones, then those of every screen and the others in the order declared."""
    first = action.contexts[0]
    screen = _EVERY_SCREEN.index(first) if first in _EVERY_SCREEN else 0
    return _GROUP_ORDER[action.group], not action.rank, screen, action.rank


def keys_line(*pairs: tuple[str, str]) -> Line:
    parts = [
        part for key, does in pairs for part in (span("  "), span(key, Role.ACCENT), span(f" {does}", Role.DIM))
    ]
    return tuple(parts[1:])


def _binding(key: Action) -> Binding:
    return Binding(",".join(layout_keys(key.keys)), key.method, key.label, show=False, tooltip=key.help, id=key.id)


def _parsed(key: Action, text: str | None) -> tuple[str, ...]:
    if text is None:
        return key.keys
    keys = tuple(part.strip() for part in text.split(",") if part.strip())
    if not keys:
        raise KeymapError(f"{key.id!r} needs a key")
    for name in keys:
        if name in FORBIDDEN:
            raise KeymapError(f"{key.id!r}: {name} is reserved for the terminal, screen or tmux")
        if not _is_key(name):
            raise KeymapError(f"{key.id!r}: unknown key {name!r}; valid keys look like B, f5, ctrl+g or pagedown")
    return keys


def _is_key(name: str) -> bool:
    """Whether Textual ever sends such a key: a character, a character's name, or one of its own names."""
    *modifiers, last = ["+"] if name == "+" else name.split("+")
    if not set(modifiers) <= {"ctrl", "shift", "alt", "super"}:
        return False
    if len(last) == 1 or last in {each.value for each in Keys}:
        return True
    try:
        return bool(unicodedata.lookup(last.replace("_", " ")))
    except KeyError:
        return False


def _refuse_clashes(table: Sequence[Action]) -> None:
    used: dict[str, list[Action]] = {}
    for key in table:
        for name in key_names(key.keys):
            for other in used.get(name, []):
                if _can_clash(key, other):
                    raise KeymapClash(name, other, key)
            used.setdefault(name, []).append(key)


def _can_clash(one: Action, two: Action) -> bool:
    """Two screens are never live together, nor two widgets; a list's esc goes on to `back` by design."""
    if {one.id, two.id} == {"mark.clear", "go.back"} or one.method == two.method:
        return False
    return any(
        a == b or "app" in (a, b) or (a in WIDGETS) != (b in WIDGETS) for a in one.contexts for b in two.contexts
    )
