"""docs/linear.md tells the truth about the commands, and the letters are those of the screens' keys."""

from pathlib import Path

from frontdesk.app.linear_commands import BY_NAME, COMMANDS, ON, Command
from frontdesk.tui.keymap import TABLE

DOCS = Path(__file__).parents[2] / "docs" / "linear.md"

SAME_AS_A_KEY = {
    "n": "find.unread",
    "S": "list.sort",
    "J": "find.jump",
    "O": "conversation.open",
    "a": "task.assign",
    "A": "task.assign_me",
    "t": "conversation.tag",
    "d": "task.due",
    "s": "task.status",
    "c": "task.complete",
    "e": "task.edit",
    "m": "conversation.read",
    "w": "campaign.watch",
    "u": "change.undo",
    "U": "change.redo",
    "L": "thread.older",
    "i": "record.raw",
    "r": "view.refresh",
    "R": "view.refresh_all",
    "P": "sync.pause",
    "q": "go.leave",
    "?": "app.help",
    "/": "find.filter",
    "x": "campaign.unwatch",
}
"""Single letters, by the id of the key that does the same."""


def row(command: Command) -> str:
    also = " ".join(f"`{each}`" for each in command.aliases)
    more = " ".join((f"{command.help}.", *(each for each in command.more if each not in ON)))
    cells = (f"`{command.usage}`", also, more)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def test_every_command_is_in_the_docs_and_no_other() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [row(command) for command in COMMANDS]


def test_single_letters_are_the_keys_of_the_screens() -> None:
    assert {name for name in BY_NAME if len(name) == 1} == set(SAME_AS_A_KEY)
    keys = {key.id: key.keys for key in TABLE}
    shown = {"question_mark": "?", "slash": "/"}
    for letter, key_id in SAME_AS_A_KEY.items():
        assert letter in {shown.get(name, name) for name in keys[key_id]}, letter
