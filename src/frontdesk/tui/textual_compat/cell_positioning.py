"""Keep columns aligned where the terminal measures a grapheme differently.

Leans on no private name: `driver` passes every frame through `position_cells`. Terminals disagree on how wide
emoji and some scripts are, and Textual counts on Rich's widths: whatever stands behind such words would be
shifted.

Guarantees that what follows disputed words stands in its own cells, and that all other frames pass unchanged.
"""

import re

from rich.cells import cell_len

from frontdesk.text.cell_width import first_disputed, last_disputed, most_cells

SAVE, RESTORE = "\x1b7", "\x1b8"
_PIECE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])|[^\x1b\r\n]+"
)
# Words with single blanks between them, and the blanks behind: what follows two is another column.
_STRETCH = re.compile(r"[^ ]+(?: [^ ]+)*( *)")


def position_cells(frame: str) -> str:
    """The frame, in which no word shifts what stands behind it, however wide the terminal makes it.

    The cells of such words are cleared, the words are written over them, and the cursor is put behind
    the cells. It is put there once for words that stand together, so that a sentence stays legible
    where its letters take more cells than here: blanks behind it are its own to use.
    """
    if frame.isascii() or first_disputed(frame) is None:
        return frame
    return _PIECE.sub(_piece, frame)


def _piece(found: re.Match[str]) -> str:
    piece = found.group()
    if piece.startswith("\x1b") or first_disputed(piece) is None:
        return piece
    # A mark whose letter was cut off would join whatever the terminal has to the left, a border for example.
    marks = 0
    while marks < len(piece) and not most_cells(piece[marks]):
        marks += 1
    return _STRETCH.sub(_stretch, piece[marks:])


def _stretch(found: re.Match[str]) -> str:
    stretch = found.group()
    if (first := first_disputed(stretch)) is None:
        return stretch
    start = stretch.rfind(" ", 0, first) + 1
    end = stretch.find(" ", last_disputed(stretch))
    words = stretch[start:] if end < 0 else stretch[start:end]
    after = stretch[start + len(words) :]
    blanks = len(after) - len(after.lstrip(" "))
    cells = cell_len(words) + blanks
    if not cells:
        # No cell is theirs: what a terminal gives one anyway would shift all that stands behind it.
        return stretch[:start] + after
    # Saved anew for each restoring: some terminals forget what they have restored.
    put = f"{SAVE}{' ' * cells}{RESTORE}{SAVE}{words}{RESTORE}\x1b[{cells}C"
    return stretch[:start] + put + after[blanks:]
