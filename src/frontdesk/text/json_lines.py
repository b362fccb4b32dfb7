"""A JSON value as lines of a pane, bounded: what is megabytes large costs no more than what is seen of it."""

import json

from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.text.lines import Line, Role, fit, paragraph, span

MAX_LINES = 300
_MAX_LETTERS = 24_000
_LINE_LETTERS = 2_000


def json_lines(value: object, width: int, most: int = MAX_LINES) -> list[Line]:
    """The value indented, strings of strangers made safe; what is left out is said in a last line."""
    lines: list[Line] = []
    text, is_whole = json_text(value)
    for each in text.split("\n"):
        if len(lines) >= most:
            is_whole = False
            break
        blanks = len(each) - len(each.lstrip(" "))
        shown = show_line(each.lstrip(" "), _LINE_LETTERS)
        indent = min(blanks, max(0, width // 2))
        for part in paragraph(shown, max(1, width - indent)):
            lines.append((span(" " * indent), *part) if indent else part)
    if not is_whole:
        lines = lines[:most]
        lines.append(fit([span("… there is more; the raw view has it all", Role.DIM)], width))
    return lines


def json_body(value: object, letters: int, most: int) -> tuple[SafeText, ...]:
    """The value indented, a `SafeText` for each line, to be wrapped by the caller; what is left out is said."""
    text, is_whole = json_text(value, letters)
    found = body_lines(text, letters, most)
    return found if is_whole else (*found[:most], trusted("… there is more of it than is shown here"))


def json_text(value: object, letters: int = _MAX_LETTERS, indent: int | None = 2) -> tuple[str, bool]:
    """The value as JSON of at most so many letters, and whether that is all of it.

    It is written piece by piece, so what lies beyond costs nothing; what is nested too deep ends there.
    """
    parts: list[str] = []
    room = letters
    try:
        for part in json.JSONEncoder(ensure_ascii=False, indent=indent, default=str).iterencode(value):
            parts.append(part[:room])
            room -= len(part)
            if room < 0:
                return "".join(parts), False
    except RecursionError:
        return "".join(parts), False
    return "".join(parts), True
