"""The colleagues who have a conversation open at their own desks."""

from collections.abc import Sequence

from frontdesk.text.display_text import show_line

MAX_NAMES, MAX_NAME_CELLS = 2, 12


def present_words(names: Sequence[str]) -> str:
    """Return who is there, for a row: `Dan here`, `Dan, Noa +1 here`; empty for nobody."""
    if not names:
        return ""
    shown = ", ".join(show_line(each, MAX_NAME_CELLS).text for each in names[:MAX_NAMES])
    more = f" +{len(names) - MAX_NAMES}" if len(names) > MAX_NAMES else ""
    return f"{shown}{more} here"
