"""Convert text for Textual: Content, styles of roles, notifications, and the last filter.

Every widget and dialog builds its text here; nothing is ever parsed as markup.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.app import App
from textual.color import Color, ColorParseError
from textual.content import Content
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.style import Style

from frontdesk_lines.cell_width import cell_width, graphemes, is_disputed
from frontdesk_lines.display_text import NOTHING, SafeText, lay_out
from frontdesk_lines.lines import Line, Role, Span
from frontdesk_lines.privacy import is_private
from frontdesk_lines.secrets import hide_secrets

if TYPE_CHECKING:
    from textual.widgets import Input

REPLACEMENT = "\ufffd"

# Only theme variables: a theme decides how a role looks, and text attributes carry it without colour.
ROLE_STYLES: Mapping[Role, str] = {
    Role.TEXT: "",
    Role.STRONG: "bold",
    Role.DIM: "$text-muted",
    Role.ACCENT: "$text-accent",
    Role.GOOD: "$text-success",
    Role.WARN: "$text-warning",
    Role.BAD: "bold $text-error",
    Role.BADGE: "bold $text-primary",
    Role.LINE: "$text-secondary",
    Role.BOT: "$text-secondary",
    Role.AGENT: "$text-primary",
    Role.CUSTOMER: "bold",
    Role.PENDING: "italic $text-warning",
    Role.RULE: "$text-disabled",
    Role.HIT: "bold reverse $text-warning",
    Role.NOTE: "italic $text-accent",
}
# The terminal's own colours cannot be blended, so quiet text is dimmed by the terminal itself.
_QUIET = {Role.DIM, Role.RULE}

_CONTROLS = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"


def content(source: SafeText | Line) -> Content:
    """Make plain Content with the styles of its roles, never markup.

    It lays right-to-left text out; the output of `fit` is laid out already and is drawn by `segments`.
    """
    if isinstance(source, SafeText):
        return Content(lay_out(source.text))
    return Content.assemble(*((lay_out(part.text.text), ROLE_STYLES[part.role]) for part in source))


def role_styles(base: Style, *, own_colours: bool = False) -> dict[Role, RichStyle]:
    """Compute the style of every role on one background; the widget keeps them.

    Args:
        own_colours: whether the theme uses the terminal's own 16 colours.
    """
    styles = {role: base + Style.parse(text) if text else base for role, text in ROLE_STYLES.items()}
    if own_colours:
        styles |= {role: base + Style(dim=True) for role in _QUIET}
    return {role: style.rich_style for role, style in styles.items()}


def segments(line: Line, styles: Mapping[Role, RichStyle]) -> list[Segment]:
    """Convert a line to styled segments with as few changes of style as possible.

    A change of style costs about 40 bytes on the wire, so blanks take the style of their neighbour, except that of
    a search hit, which would be visible on them.
    """
    runs: list[tuple[str, RichStyle]] = []
    hit = styles[Role.HIT]
    for part in line:
        text = part.text.text
        if not text:
            continue
        if not text.isascii():
            text = _as_counted(text)
        style = styles[part.role]
        if part.ink and (ink := ink_style(part.ink)) is not None:
            style += ink
        blank = part.role is Role.TEXT and text.isspace()
        after_hit = bool(runs) and runs[-1][1] is hit
        if runs and (style is runs[-1][1] or style == runs[-1][1] or (blank and not after_hit)):
            runs[-1] = (runs[-1][0] + text, runs[-1][1])
        elif runs and runs[-1][0].isspace() and not after_hit and part.role is not Role.HIT:
            runs[-1] = (runs[-1][0] + text, style)
        else:
            runs.append((text, style))
    return [Segment(text, style) for text, style in runs]


@lru_cache(maxsize=256)
def ink_style(ink: str) -> RichStyle | None:
    """Return the style for a colour as data names it (hex, rgb or a name), or None for anything else."""
    try:
        parsed = Color.parse(ink)
    except ColorParseError:
        return None
    # A colour of the terminal's own, or "auto", has no fixed value to draw.
    return None if parsed.ansi is not None or parsed.auto else RichStyle(color=parsed.hex6)


def _as_counted(text: str) -> str:
    """Give each word as many cells as Textual counts: it gives none to some vowel signs."""
    if cell_len(text) == cell_width(text) and not is_disputed(text):
        return text
    return " ".join(map(_word_as_counted, text.split(" ")))


def _word_as_counted(word: str) -> str:
    first = graphemes(word)[:1]
    if first and not cell_len(first[0]) and (width := cell_width(first[0])):
        # A skin tone without a hand before it: Textual would join it to the previous cell.
        word = REPLACEMENT * width + word.removeprefix(first[0])
    missing = cell_width(word) - cell_len(word)
    if missing >= 0:
        return word + " " * missing
    return "".join(
        letter if cell_len(letter) == (width := cell_width(letter)) else REPLACEMENT * width
        for letter in graphemes(word)
    )


def clean_for_input(raw: str, *, lines: bool) -> str:
    """Clean outside text for an input: without the characters that `SafetyFilter` would replace.

    Args:
        lines: whether the input has several; else a line break becomes a blank.
    """
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    if lines:
        return "\n".join(re.sub(_CONTROLS, "", line.replace("\t", "    ")) for line in text.split("\n"))
    return re.sub(_CONTROLS, "", text.replace("\n", " ").replace("\t", " "))


def prefill(field: "Input", text: str) -> None:
    """Fill in a text that isn't typed now; while privacy is on, its letters are shown as dots."""
    field.password = is_private() and bool(text)
    field.value = text


def notify(
    app: App[Any],
    message: SafeText,
    *,
    title: SafeText = NOTHING,
    severity: SeverityLevel = "information",
    timeout_seconds: float | None = None,
) -> None:
    """Show a toast; its text is never parsed."""
    # A sentence of ours is English, even if it begins with a name that isn't.
    app.notify(
        lay_out(message.text, False), title=title.text, severity=severity, timeout=timeout_seconds, markup=False
    )


class SafetyFilter(LineFilter):
    """The last filter below all widgets: keeps control characters and credentials off the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Remove credentials and links with controls, and replace each control by U+FFFD."""
        segments = _without_secrets(segments)
        if not any(map(_is_unsafe, segments)):
            return segments
        width = sum(segment.cell_length for segment in segments)
        safe = [_make_safe(segment) if _is_unsafe(segment) else segment for segment in segments]
        return _cut_to_width(safe, width)


def _without_secrets(segments: list[Segment]) -> list[Segment]:
    """Hide the secrets of a line; one may span several styles, and then the whole line gets one."""
    line = "".join([text for text, _, control in segments if not control])
    clean = hide_secrets(line)
    if clean is line:
        return segments
    style = next((each.style for each in segments if not each.control), None)
    whole = Segment(set_cell_size(clean, cell_len(line)), style)
    return [*(each for each in segments if each.control), whole]


def _is_unsafe(segment: Segment) -> bool:
    text, style, control = segment
    if control:
        return False
    if not text.isprintable() and re.search(_CONTROLS, text):
        return True
    return style is not None and style.link is not None and re.search(_CONTROLS, style.link) is not None


def _make_safe(segment: Segment) -> Segment:
    text, style, _ = segment
    if style is not None and style.link is not None and re.search(_CONTROLS, style.link):
        style = style.update_link(None)
    return Segment(re.sub(_CONTROLS, REPLACEMENT, text), style)


def _cut_to_width(segments: list[Segment], width: int) -> list[Segment]:
    """Cut a line to its width: a control shown as a sign takes a cell, which the next widget must not lose."""
    fitting: list[Segment] = []
    for segment in segments:
        if segment.control:
            fitting.append(segment)
            continue
        size = segment.cell_length
        if size > width:
            segment = segment.split_cells(width)[0] if width > 0 else Segment("")
        if segment.text:
            fitting.append(segment)
        width = max(0, width - size)
    return fitting


def plain(line: Iterable[Span]) -> str:
    """Return the text of a line."""
    return "".join(part.text.text for part in line)
