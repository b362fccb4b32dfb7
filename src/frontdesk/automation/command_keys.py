"""The place of the person's own commands and macros in the keymap."""

from collections.abc import Sequence

from frontdesk.automation.macros import Macro
from frontdesk.config.actions import Action, Group
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.tui.keymap import Keymap, KeymapClash, KeymapError, display_key


def add_commands(keymap: Keymap, extensions: Extensions) -> tuple[Keymap, list[str]]:
    """Return the keymap with the commands, and a sentence for each whose key can't be used."""
    problems: list[str] = []
    for number, command in enumerate(extensions.commands):
        action = _action(number, command)
        keymap, why = _add(keymap, action, command.key)
        if why:
            problems.append(f"commands ({command.name}).key: {why}; this command is ignored")
    return keymap, problems


def add_macros(keymap: Keymap, macros: Sequence[Macro]) -> tuple[Keymap, list[Macro], list[str]]:
    """Return the keymap with the macros, those that have a key, and a sentence for each other one."""
    kept: list[Macro] = []
    faults: list[str] = []
    for each in macros:
        keymap, why = _add(keymap, each.action, each.key)
        if why:
            faults.append(f"{each.where}: {why}; the macro {each.name} is ignored")
        else:
            kept.append(each)
    return keymap, kept, faults


def key_fault(keymap: Keymap, macro: Macro) -> str:
    """Return why the key of a macro that is yet to be written can't be used; empty where it can."""
    action = macro.action._replace(id="macro.new", method="app.macro('macro.new')")
    return _add(keymap, action, macro.key)[1]


def _add(keymap: Keymap, action: Action, key: str) -> tuple[Keymap, str]:
    """Return the keymap with one more action, or as it is and why the key can't be used."""
    try:
        return keymap.with_action(action, key), ""
    except KeymapClash as error:
        other = error.other(action.id)
        owner = f'"{other.help}" ({other.id})'
        if other.group is Group.CUSTOM:
            owner = f"the {'macro' if other.id.startswith('macro.') else 'command'} {other.help}"
        return keymap, f"{display_key(error.key)} is already the key of {owner}"
    except KeymapError as error:
        return keymap, str(error).removeprefix(f"{action.id!r}: ")


def _action(number: int, command: CommandSetting) -> Action:
    contexts = tuple(dict.fromkeys("inbox" if each == "thread" else each for each in command.where))
    method = f"app.custom_command({number})"
    return Action(f"command.{number}", (), method, command.name, command.name, Group.CUSTOM, contexts)
