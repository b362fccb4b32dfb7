"""The letters of the linear mode are those of the screens' keys."""

from frontdesk.linear.app import COMMANDS
from frontdesk.registry.keymap import KEYMAP
from frontdesk.tui.keymap import display_key


def test_single_letters_are_the_keys_of_the_same_action() -> None:
    letters = {name: command.id for name, command in COMMANDS.items() if len(name) == 1}
    assert set("n@SJOaAtdscMeQm!wKWuULirRPHFq?/x") == set(letters)
    for letter, action in letters.items():
        assert action == "list.find" or letter in {display_key(key) for key in KEYMAP[action].keys}, letter
