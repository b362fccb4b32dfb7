"""Parts of Markdown pages."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from frontdesk.cli.docs_pages import headings

DOCS = Path(__file__).parents[1]
WIDTH = 118


def page(title: str, source: str, *blocks: str) -> str:
    """Join a page, which names what it is made from."""
    note = f"<!-- Made by docs/make.py from {source}. Change those, then run it; don't edit this page. -->"
    return "\n\n".join([note, f"# {title}", *(block for block in blocks if block)]) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Draw a table; empty without rows."""
    drawn = [f"| {' | '.join(cell(each) for each in row)} |" for row in rows]
    if not drawn:
        return ""
    return "\n".join([f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}", *drawn])


def cell(text: str) -> str:
    """Escape what would end a cell."""
    return re.sub(r"\s*\n\s*", " ", text.strip()).replace("|", "\\|")


def code(*texts: str) -> str:
    """Put each text in back ticks."""
    return ", ".join(f"`{each}`" for each in texts)


def wrap(text: str) -> str:
    """Wrap a paragraph."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def link(target: str, words: str = "") -> str:
    """Link to a page, which is given from docs/."""
    name, _, heading = target.partition("#")
    shown = words or _heading_words(name, heading)
    inside = name.removeprefix("reference/")
    there = inside if inside != name else f"../{name}"
    return f"[{shown}]({there}{'#' * bool(heading)}{heading})"


def _heading_words(name: str, anchor: str) -> str:
    """Return the heading that a link leads to: that of the page without an anchor."""
    if name.startswith("reference/"):  # made by the same run
        return name.removeprefix("reference/").removesuffix(".md").replace("-", " ").capitalize()
    found = [
        each.words
        for each in headings((DOCS / name).read_text(encoding="utf-8"))
        if (each.anchor == anchor if anchor else each.level == 1)
    ]
    assert found, f"docs/{name} has no heading {anchor}"
    return found[0].replace("`", "")
