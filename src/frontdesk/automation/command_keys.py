"""The place of the person's own commands and macros in the keymap; a start without macros imports none."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from frontdesk.config import settings as config_settings
from frontdesk.config.actions import Action, Group
from frontdesk.config.config_tables import MacroFile, load_macros
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.config.time_zone import local_zone
from frontdesk.tui.keymap import Keymap, KeymapClash, KeymapError, display_key

if TYPE_CHECKING:
    from frontdesk.automation.macros import Macro


def add_commands(keymap: Keymap, extensions: Extensions) -> tuple[Keymap, list[str]]:
    """Return the keymap with the commands, and a sentence for each whose key can't be used."""
    problems: list[str] = []
    for number, command in enumerate(extensions.commands):
        action = _action(number, command)
        keymap, why = _add(keymap, action, command.key)
        if why:
            problems.append(f"commands ({command.name}).key: {why}; this command is ignored")
    return keymap, problems


def with_macros(
    keymap: Keymap, profile: config_settings.Profile
) -> "tuple[Keymap, Sequence[Macro], Sequence[str]]":
    """Return the keymap with the config's macros, those that have a key, and a sentence for each other one."""
    file = load_macros(config_settings.config_path())
    if file == MacroFile():
        return keymap, (), ()
    from frontdesk.automation import macros  # which a start without macros doesn't need

    kept: list[Macro] = []
    found, faults = macros.load(file, profile, datetime.now(local_zone()))
    for each in found:
        keymap, why = _add(keymap, each.action, each.key)
        if why:
            faults.append(f"{each.where}: {why}; the macro {each.name} is ignored")
        else:
            kept.append(each)
    return keymap, kept, faults


def follow_macros(keymap: Keymap, profile: config_settings.Profile) -> "tuple[Sequence[Macro], Sequence[str]]":
    """Give the keymap the macros that the config has now; see `with_macros`."""
    found, macros, faults = with_macros(keymap.without("macro"), profile)
    keymap.become(found)
    return macros, faults


def key_fault(keymap: Keymap, macro: "Macro") -> str:
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
