"""Positions words whose width terminals disagree on, so that what follows them is in its own cells."""

import re
from collections.abc import Callable
from functools import partial

from rich.cells import cell_len

from frontdesk_lines.cell_width import first_disputed, last_disputed, max_cells

SAVE, RESTORE = "\x1b7", "\x1b8"
_PIECE = (
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])|[^\x1b\r\n\b]+"
)
# Words with single blanks between them, and the blanks after: text after two blanks is another column.
_WORDS = r"[^ ]+(?: [^ ]+)*( *)"


# Underline, reverse or strike, which are seen on blanks and which an erasure leaves out; they precede colours.
_SEEN_ON_BLANKS = r"\x1b\[(?:2?[0-9];)*[479](?:;[0-9;]*)?m"


def position_cells(frame: str, *, erases: bool = False) -> str:
    """Position disputed words in a frame, so that they never shift the text after them.

    Their cells are cleared, the words are written over them, and the cursor is set after the cells: once for a run
    of words, so that a sentence stays legible where its letters take more cells than counted.

    Args:
        erases: whether the terminal erases characters to the current background.
    """
    if frame.isascii() or first_disputed(frame) is None:
        return frame
    clear = _erase if erases and not re.search(_SEEN_ON_BLANKS, frame) else _overwrite
    return re.sub(_PIECE, partial(_piece, clear), frame)


def _overwrite(cells: int) -> str:
    return f"{SAVE}{' ' * cells}{RESTORE}"


def _erase(cells: int) -> str:
    return f"\x1b[{cells}X"


def _piece(clear: Callable[[int], str], found: re.Match[str]) -> str:
    piece = found.group()
    if piece.startswith("\x1b") or first_disputed(piece) is None:
        return piece
    # A mark whose letter was cut off would join the cell to the left, a border for example.
    marks = 0
    while marks < len(piece) and not max_cells(piece[marks]):
        marks += 1
    return re.sub(_WORDS, partial(_position_words, clear), piece[marks:])


def _position_words(clear: Callable[[int], str], found: re.Match[str]) -> str:
    phrase = found.group()
    if (first := first_disputed(phrase)) is None:
        return phrase
    start = phrase.rfind(" ", 0, first) + 1
    end = phrase.find(" ", last_disputed(phrase))
    words = phrase[start:] if end < 0 else phrase[start:end]
    after = phrase[start + len(words) :]
    blanks = len(after) - len(after.lstrip(" "))
    cells = cell_len(words) + blanks
    if not cells:
        # They have no cell: one that a terminal gives them would shift the text after it.
        return phrase[:start] + after
    # Saved again for each restore: some terminals forget a restored cursor.
    positioned = f"{clear(cells)}{SAVE}{words}{RESTORE}\x1b[{cells}C"
    return phrase[:start] + positioned + after[blanks:]
