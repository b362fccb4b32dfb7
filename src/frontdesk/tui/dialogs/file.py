"""FileDialog: a file of this machine by its path, with the names of a folder to complete it from.

Folders are listed in a thread: one on an unreachable network must not block a key.
"""

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual import work
from textual.widget import Widget

from frontdesk.tui.dialogs.filter_list import FilterDialog
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import clean_for_input
from frontdesk_lines.display_text import SafeText, file_size, show_line
from frontdesk_lines.lines import Line, Role, Span, fit, span
from frontdesk_lines.widgets.note import Note

MAX_ENTRIES = 2_000
"""Listed names of one folder; others are reached by typing them."""
UP = ".."


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A name in a folder as the system gives it; the size of a file in bytes."""

    name: str
    is_folder: bool
    size: int = 0


class FileDialog(FilterDialog[str]):
    """Answers with a file's path.

    Args:
        folder: the first folder; None for the working folder.
        kinds: suffixes of the files meant, with their dot; other files are listed after them.
        example: a path, for the empty input.
    """

    keys = keys_line(("↑ ↓", "pick"), ("tab", "complete"), ("enter", "open"), ("esc", "close"))
    empty = "No match in this folder."

    def __init__(
        self,
        title: SafeText,
        folder: Path | None,
        kinds: Sequence[str],
        *,
        example: str = "~/lists/spring.csv",
        draft: str = "",
    ) -> None:
        self.placeholder = f"A file name, or a path like {example}"
        super().__init__(title, draft=draft)
        self._folder = folder or _start_folder()
        self._kinds = tuple(kinds)
        self._listed_folder: Path | None = None
        self._entries: dict[str, FileEntry] = {}
        self._folder_note = Note(id="folder")

    def compose_body(self) -> Iterable[Widget]:
        yield self._folder_note
        yield from super().compose_body()

    @property
    def _typed_path(self) -> tuple[Path, str]:
        """The typed folder, and the beginning of a name in it."""
        typed = self.typed
        if typed in ("~", UP, "."):
            typed += os.sep
        head, tail = os.path.split(os.path.expanduser(typed))
        return Path(os.path.normpath(self._folder / head)), tail

    def matches(self, typed: str) -> list[str]:  # noqa: ARG002 - what is typed may be a path, of which this is the end
        """Return the names that begin like the typed one, then those that contain it."""
        tail = self._typed_path[1].casefold()
        names = [name for name in self._entries if not name.startswith(".") or tail.startswith(".") or name == UP]
        first = [name for name in names if name.casefold().startswith(tail)]
        first.sort(key=lambda name: name.casefold() != tail)
        return [*first, *(name for name in names if tail in name.casefold() and name not in set(first))]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        entry = self._entries[key]
        if entry.is_folder:
            return (fit((span("  "), Span(show_line(key), Role.ACCENT), span("/", Role.ACCENT)), width),)
        role = Role.TEXT if self._is_of_kind(key) else Role.DIM
        size = (Span(file_size(entry.size), Role.DIM),)
        return (fit((span("  "), Span(show_line(key), role)), width, size),)

    def accept(self) -> None:
        """Open the folder under the cursor, or answer with the file."""
        key, name = self._rows.cursor_key, self._typed_path[1]
        # A whole name that isn't listed may be new, or beyond MAX_ENTRIES: it is no part of another.
        listed = {each.casefold() for each in self._entries}
        is_whole = self._is_of_kind(name) and name.casefold() not in listed
        if key is None or is_whole or self._typed_path[0] != self._listed_folder:
            self._accept_typed(self.typed)
        elif self._entries[key].is_folder:
            self._enter(key)
        else:
            self.done(str(self._typed_path[0] / key))

    def toggle(self, key: str) -> None:
        """Complete the path by the name under the cursor."""
        if self._typed_path[0] != self._listed_folder:
            return
        if self._entries[key].is_folder:
            self._enter(key)
        elif clean_for_input(key, lines=False) == key:  # a name that no field can hold is accepted with enter
            head, _ = os.path.split(self.typed)
            self._field.value = os.path.join(head, key) if head else key
            self._field.cursor_position = len(self._field.value)

    def choose(self, key: str) -> None:  # noqa: ARG002 - the click has put the cursor there
        self.accept()

    def _enter(self, key: str) -> None:
        self._folder = Path(os.path.normpath(self._typed_path[0] / key))
        if self._field.value:
            self._field.value = ""
        else:
            self._narrow()

    def _narrow(self) -> None:
        folder, _ = self._typed_path
        if folder != self._listed_folder:
            self._list(folder)
        else:
            super()._narrow()

    @work(exclusive=True, group="list")
    async def _list(self, folder: Path) -> None:
        try:
            entries, more = await asyncio.to_thread(_entries, folder, self._kinds)
            words: Line = (Span(show_line(folder), Role.DIM),)
            if more:
                words = (*words, span(f" · {more:,} not listed; type a name", Role.WARN))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "no such folder"
            entries, words = [], (Span(show_line(f"{folder}: {reason}"), Role.BAD),)
        if folder != self._typed_path[0]:
            return
        self._rows.set_keys(())  # none of another folder's names is drawn from this one's
        self._listed_folder, self._entries = folder, {each.name: each for each in entries}
        self._folder_note.set_line(words)
        self._rows.redraw()
        super()._narrow()
        if not self.typed and len(self._rows.keys) > 1 and self._rows.keys[0] == UP:
            self._rows.move_to(self._rows.keys[1])

    @work(exclusive=True, group="take")
    async def _accept_typed(self, typed: str) -> None:
        """Answer with a path that need not be listed."""
        if not typed:
            return
        folder, name = self._typed_path
        path = folder / name
        try:
            is_file = await asyncio.to_thread(path.is_file)
        except (OSError, ValueError):
            is_file = False
        if is_file:
            self.done(str(path))
        else:
            self._folder_note.set_line(
                (span("✗ ", Role.BAD), Span(show_line(typed, 60), Role.BAD), span(": no such file"))
            )

    def _is_of_kind(self, name: str) -> bool:
        return name.casefold().endswith(self._kinds)


def _start_folder() -> Path:
    """Return the working folder, or the home folder where that is gone."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def _entries(folder: Path, kinds: Sequence[str]) -> tuple[list[FileEntry], int]:
    """List folders, then files of the kinds, then others; and count those left out."""
    found: list[FileEntry] = []
    more = 0
    with os.scandir(folder) as names:
        for each in names:
            if len(found) == MAX_ENTRIES:
                more += 1
                continue
            try:
                is_folder = each.is_dir()
                found.append(FileEntry(each.name, is_folder, 0 if is_folder else each.stat().st_size))
            except OSError:
                found.append(FileEntry(each.name, False))

    def rank(entry: FileEntry) -> tuple[int, str]:
        is_of_kind = entry.name.casefold().endswith(tuple(kinds))
        return (0 if entry.is_folder else 1 if is_of_kind else 2, entry.name.casefold())

    up = [] if folder.parent == folder else [FileEntry(UP, True)]
    return [*up, *sorted(found, key=rank)], more
