"""What a sheet is made of that is read before something is sent: labelled facts, headings, running words.

Called by the preflight of a campaign and by the reviews of workflows.
"""

from collections.abc import Iterator, Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, wrap
from frontdesk.text.lines import Line, Role, Span, fit, span

LABEL = 8
"""Cells of a label, the blank behind it included."""


def labelled(label: str, words: SafeText, width: int, role: Role = Role.TEXT) -> Iterator[Line]:
    """A label, and what it is about beside it in as many lines as it takes."""
    for place, part in enumerate(wrap(words, max(1, width - LABEL))):
        yield fit((span(f"{'' if place else label:<{LABEL}}", Role.DIM), Span(part, role)), width)


def heading(words: str, width: int, view: RenderContext) -> Line:
    """A rule with words in it."""
    text = f"{view.glyphs.rule * 2} {words} "
    return fit((span(text, Role.STRONG), span(view.glyphs.rule * max(0, width - len(text)), Role.RULE)), width)


def signed(sign: str, words: SafeText, width: int, role: Role) -> Iterator[Line]:
    """A sentence behind a sign, which stands before its first line."""
    for place, part in enumerate(wrap(words, max(1, width - 2))):
        yield fit((span(f"{' ' if place else sign} ", role), Span(part, role)), width)


def wrapped(words: SafeText, width: int, role: Role) -> Sequence[Line]:
    """Words in as many lines as they take, from the left."""
    return [fit((Span(part, role),), width) for part in wrap(words, max(1, width))]
