"""docs/linear.md tells the truth about the commands, and the letters are those of the screens' keys."""

from pathlib import Path

from frontdesk.app.linear_app import COMMANDS
from frontdesk.app.screens import KEYMAP
from frontdesk.linear.commands import TARGET_HELP, Command
from frontdesk.tui.keymap import display_key

DOCS = Path(__file__).parents[2] / "docs" / "linear.md"


def row(command: Command) -> str:
    also = " ".join(f"`{each}`" for each in command.names[1:])
    more = " ".join((command.help, *(each for each in command.more if each not in TARGET_HELP)))
    cells = (f"`{command.usage}`", also, more)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def test_every_command_is_in_the_docs_and_no_other() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [row(command) for command in dict.fromkeys(COMMANDS.values())]


def test_single_letters_are_the_keys_of_the_same_action() -> None:
    letters = {name: command.id for name, command in COMMANDS.items() if len(name) == 1}
    assert set("n@SJOaAtdscMeQmwKWuULirRPHFq?/x") == set(letters)
    for letter, action in letters.items():
        assert action == "list.find" or letter in {display_key(key) for key in KEYMAP[action].keys}, letter
