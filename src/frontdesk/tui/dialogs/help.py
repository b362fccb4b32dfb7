"""HelpDialog: the keys that are live where it was opened, made from the keymap; enter runs one."""

from collections.abc import Sequence

from frontdesk.present.lines import Line, Role, fit, span, width_of
from frontdesk.text import Shown
from frontdesk.tui.dialogs.filtering import Choice, FilterDialog
from frontdesk.tui.keymap import Key, keys_line, shown

_KEYS_WIDTH = 20


class HelpDialog(FilterDialog[str]):
    """Answers with the id of the key that was picked, so that the opener can run it."""

    most_rows = 200
    share = 0.7
    DEFAULT_CSS = """
    HelpDialog {
        & > .dialog--box { width: 84; }
    }
    """

    def __init__(self, title: Shown, groups: Sequence[tuple[str, Sequence[Key]]], *, draft: str = "") -> None:
        """Help on keys.

        Args:
            title: whose keys, as "Keys · Inbox".
            groups: what `Keymap.help_for` gives.
            draft: what was typed before.
        """
        self._entries = {key.id: (group, key) for group, keys in groups for key in keys}
        choices = [
            Choice(key.id, f"{key.help} {' '.join(map(shown, key.keys))} {group} {key.id}")
            for group, key in self._entries.values()
        ]
        super().__init__(
            title,
            choices,
            keys=keys_line(("type", "to search"), ("enter", "run"), ("esc", "close")),
            placeholder="Type what you want to do",
            empty="No key does that here. : lists every command.",
            draft=draft,
        )

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """The line of a key; the first of a group names the group."""
        group, entry = self._entries[key]
        keys = " ".join(map(shown, entry.keys))
        blank = " " * max(1, _KEYS_WIDTH - width_of((span(keys),)))
        words = (span(keys, Role.ACCENT), span(blank), span(entry.help))
        return (fit(words, width, (span(group, Role.DIM),)),)

    def accept(self) -> None:
        """Run the key under the cursor."""
        if self._rows.cursor_key is not None:
            self.done(self._rows.cursor_key)

    def clicked(self, key: str) -> None:
        """Run the key that was clicked."""
        self.done(key)
