"""Every action of the screens can be done in the linear mode, or there is a reason why it needn't."""

import typer

from frontdesk.app import cli_commands, linear_command_line
from frontdesk.app.linear_app import COMMANDS
from frontdesk.app.linear_equivalents import NOT_NEEDED, SAME_AS
from frontdesk.app.screens import KEYMAP

ACTIONS = {each.id for each in KEYMAP}
BY_ID = {command.id for command in COMMANDS.values()}


def command_line() -> dict[str, set[str]]:
    """The commands of the command line by their groups."""
    tree = typer.main.get_command(cli_commands.app)
    groups: dict[str, object] = getattr(tree, "commands", {})
    return {name: set(getattr(group, "commands", {})) for name, group in groups.items()}


def test_every_action_has_a_command_an_equivalent_or_a_reason() -> None:
    missing = ACTIONS - BY_ID - SAME_AS.keys() - NOT_NEEDED.keys()
    assert not missing


def test_no_action_is_named_twice_and_none_that_does_not_exist() -> None:
    assert not BY_ID & (SAME_AS.keys() | NOT_NEEDED.keys())
    assert not SAME_AS.keys() & NOT_NEEDED.keys()
    assert (SAME_AS.keys() | NOT_NEEDED.keys()) <= ACTIONS


def test_what_is_to_be_typed_instead_is_a_command() -> None:
    groups = command_line()
    for name in SAME_AS.values():
        group, _, command = name.partition(" ")
        assert command in groups[group] if command else name in COMMANDS, name


def test_each_group_of_the_command_line_can_be_typed_or_needs_a_terminal_of_its_own() -> None:
    groups = command_line()
    assert {name for name, commands in groups.items() if commands} <= linear_command_line.GROUPS
    assert groups.keys() >= linear_command_line.GROUPS


def test_reasons_are_short() -> None:
    assert all(0 < len(reason) < 110 for reason in NOT_NEEDED.values())
