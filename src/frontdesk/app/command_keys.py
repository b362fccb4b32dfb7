"""The place of the person's own commands in the keymap."""

from frontdesk.config.actions import Action, Group
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.tui.keymap import Keymap, KeymapClash, KeymapError, display_key


def add_commands(keymap: Keymap, extensions: Extensions) -> tuple[Keymap, list[str]]:
    """Return the keymap with the commands, and a sentence for each whose key can't be used."""
    problems: list[str] = []
    for number, command in enumerate(extensions.commands):
        action = _action(number, command)
        try:
            keymap = keymap.with_action(action, command.key)
        except KeymapClash as error:
            other = error.other(action.id)
            owner = f"the command {other.help}" if other.group is Group.CUSTOM else f'"{other.help}" ({other.id})'
            why = f"{display_key(error.key)} is already the key of {owner}"
            problems.append(f"commands ({command.name}).key: {why}; this command is left out")
        except KeymapError as error:
            why = str(error).removeprefix(f"{action.id!r}: ")
            problems.append(f"commands ({command.name}).key: {why}; this command is left out")
    return keymap, problems


def _action(number: int, command: CommandSetting) -> Action:
    contexts = tuple(dict.fromkeys("inbox" if each == "thread" else each for each in command.where))
    method = f"app.custom_command({number})"
    return Action(f"command.{number}", (), method, command.name, command.name, Group.CUSTOM, contexts)
