"""The pages of keys and of the linear mode's commands."""

from frontdesk.app.surfaces import NO_COMMAND, NO_STEP, NOT_TYPED, STEPS, TYPED
from frontdesk.config.actions import Action
from frontdesk.linear.app import COMMANDS as LINEAR_COMMANDS
from frontdesk.linear.commands import TARGET_HELP, Command
from frontdesk.registry.keymap import KEYMAP
from frontdesk.tui.keymap import display_key
from page_sources.markdown import code, link, page, table, wrap


def keys_page() -> str:
    """Return the page with every action that has a key."""
    linear = {command.id: command for command in LINEAR_COMMANDS.values()}
    sections = [
        block
        for group, actions in KEYMAP.help_for(*{each for action in KEYMAP for each in action.contexts})
        for block in (f"## {group}", _actions_table(actions, linear))
    ]
    return page(
        "Keys",
        "the features' `actions` modules and tui/keymap.py",
        wrap(
            "Every action with its keys, what it does and where; what to type for it in "
            f"{link('other-screens.md#linear-mode', 'linear mode')}, the "
            f"{link('reference/commands.md', 'command')} that does the same, and the step of a "
            f"{link('configuration.md#macros', 'macro')}. "
            f"{link('configuration.md#keys', 'Change keys')} by their id."
        ),
        *sections,
        "## Without a command or a step",
        wrap("Moves and marks are the screens' own."),
        table(
            ("lacks", "since", "actions"),
            (
                [surface, why, code(*(name for name, reason in reasons.items() if reason == why))]
                for surface, reasons in (("command", NO_COMMAND), ("macro", NO_STEP))
                for why in dict.fromkeys(reasons.values())
            ),
        ),
    )


def _actions_table(actions: list[Action], linear: dict[str, Command]) -> str:
    return table(
        ("id", "keys", "does", "where", "linear", "command", "macro"),
        (
            [
                f"`{each.id}`",
                " ".join(f"`{display_key(name)}`" for name in each.keys),
                each.help,
                ", ".join("everywhere" if name == "app" else name for name in each.contexts),
                _linear_words(each, linear),
                code(*each.commands),
                code(STEPS[each.id]) if each.id in STEPS else "",
            ]
            for each in actions
        ),
    )


def _linear_words(action: Action, linear: dict[str, Command]) -> str:
    if action.id in linear:
        return code(linear[action.id].names[0])
    return code(TYPED[action.id]) if action.id in TYPED else ""


def linear_page() -> str:
    """Return the page with every command of the linear mode."""
    rows = []
    for command in dict.fromkeys(LINEAR_COMMANDS.values()):
        also = " ".join(f"`{each}`" for each in command.names[1:])
        more = (each for each in command.more if each not in TARGET_HELP)
        rows.append([f"`{command.usage}`", also, " ".join((command.help, *more))])
    return page(
        "Commands of the linear mode",
        "the features' `linear` modules",
        wrap(
            f"What you can type in {link('other-screens.md#linear-mode', 'linear mode')}. `help` lists it, and "
            "`help COMMAND` explains one."
        ),
        table(("command", "also", "does"), rows),
        "## What it doesn't need",
        wrap(
            f"Every other {link('reference/keys.md', 'key')} of the screens has a command above, or one that does "
            "the same, which that page names."
        ),
        table(
            ("on the screens", "why there is no command"),
            ([each.help, NOT_TYPED[each.id]] for each in KEYMAP if each.id in NOT_TYPED),
        ),
    )
