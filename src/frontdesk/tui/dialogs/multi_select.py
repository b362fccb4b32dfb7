"""What dialogs that pick several share: boxes, a colour chip, and a draft of what was typed and picked."""

import json
from collections.abc import Mapping

from textual.color import Color, ColorParseError

from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Role, Span, span

CHIP = "■"


def box(is_on: bool | None) -> Span:
    """A box to tick, told apart without colour; None is on some of them."""
    return (
        span("[x] ", Role.GOOD) if is_on else span("[~] ", Role.WARN) if is_on is None else span("[ ] ", Role.DIM)
    )


def chip(color: str) -> tuple[Span, ...]:
    """A block in a colour as data names it (hex, rgb or a name); nothing where it names none."""
    try:
        parsed = Color.parse(color.strip()) if color.strip() else None
    except ColorParseError:
        parsed = None
    # A colour of the terminal's own, or "auto", is no colour that could be shown beside another.
    if parsed is None or parsed.ansi is not None or parsed.auto:
        return (span("  "),)
    return (Span(trusted(CHIP), ink=parsed.hex6), span(" "))


def draft_of(typed: str, picked: Mapping[str, bool]) -> str:
    """What would be lost: the words alone, or together with what was picked."""
    return json.dumps({"typed": typed, "picked": dict(picked)}) if picked else typed


def read_draft(draft: str) -> tuple[str, dict[str, bool]]:
    """The words and what was picked; a draft of words alone is those words."""
    try:
        kept = json.loads(draft)
        return kept["typed"], dict(kept["picked"])
    except (ValueError, TypeError, KeyError):
        return draft, {}
