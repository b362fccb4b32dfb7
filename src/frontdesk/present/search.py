"""What a search found, as words: the part of a text where the words stand, and where they begin.

Used by the command line.
"""

from frontdesk.store.words import folded_with_places, pieces

BEFORE = 24
"""So much of the text stands before the first word that was searched for."""


def places(text: str, words: str) -> list[tuple[int, int]]:
    """Where in a text the searched words stand: from and to, in order, without overlaps."""
    folded, at = folded_with_places(text)
    found: list[tuple[int, int]] = []
    for piece in pieces(words):
        wanted = piece.replace(" ", "") if len(piece.split()) == len(piece.replace(" ", "")) else piece
        begin = folded.find(wanted)
        while begin >= 0:
            found.append((at[begin], at[begin + len(wanted) - 1] + 1))
            begin = folded.find(wanted, begin + len(wanted))
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def excerpt(text: str, words: str, length: int) -> str:
    """The part of a text around the first of the words, on one line."""
    line = " ".join(text.split())
    found = places(line, words)
    begin = max(0, found[0][0] - BEFORE) if found else 0
    if begin:
        blank = line.find(" ", begin)
        begin = blank + 1 if 0 <= blank < found[0][0] else begin
    part = line[begin : begin + length]
    return f"{'…' * (begin > 0)}{part}{'…' * (begin + length < len(line))}"
