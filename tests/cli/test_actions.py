"""Each action of the screens is on every surface, or `app.surfaces` says why it isn't."""

import pytest

from cli.command_tree import LEAVES
from frontdesk.app.surfaces import NO_COMMAND, NO_STEP, NOT_TYPED, STEPS, TYPED, missing
from frontdesk.automation.macros import VERBS
from frontdesk.config.actions import Action
from frontdesk.linear import command_line as linear_command_line
from frontdesk.linear.app import COMMANDS
from frontdesk.registry.keymap import KEYMAP

ACTIONS = {each.id: each for each in KEYMAP}
LINEAR = frozenset(command.id for command in COMMANDS.values())


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_surface_does_it_or_has_a_reason(action: Action) -> None:
    assert missing(action, LINEAR) == []


def test_tables_name_actions_and_what_exists() -> None:
    for table in (TYPED, NOT_TYPED, NO_COMMAND, STEPS, NO_STEP):
        assert table.keys() <= ACTIONS.keys()
    assert not TYPED.keys() & LINEAR
    assert {*TYPED.values()} <= COMMANDS.keys() | LEAVES.keys()
    assert {*STEPS.values()} == {*VERBS}
    assert {command for action in KEYMAP for command in action.commands} <= LEAVES.keys()


def test_reasons_are_short() -> None:
    assert all(len(why) < 110 for table in (NOT_TYPED, NO_COMMAND, NO_STEP) for why in table.values())


def test_each_group_of_commands_can_be_typed_in_the_linear_mode() -> None:
    groups = {name.partition(" ")[0] for name in LEAVES if " " in name}
    assert groups == linear_command_line.GROUPS
