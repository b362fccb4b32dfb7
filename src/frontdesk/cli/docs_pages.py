"""The pages of docs/, which come with the program: which there are, and the part that a topic names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]
FOLDERS = (PACKAGE / "docs", PACKAGE.parents[1] / "docs")
"""In a wheel, and beside the sources."""

INDEX = "index"
SCHEMA = "config.schema.json"
MIN_LETTERS = 4
"""Shorter words say little, such as who and the."""
MIN_ALIKE = 0.75
"""From which a title is taken for a misspelled one."""

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ROW = re.compile(r"^\| \[[^\]]*\]\(([^)#]+)\) \| (.+) \|$", re.MULTILINE)
_WORD = re.compile(r"\w+")


class NoSuchTopic(Exception):
    """Raised when no page or section has this name; the text says what to do."""


class NoSuchPage(NoSuchTopic):
    """Raised when no page has this name; its words may be searched for."""


class Found(NamedTuple):
    """A section that was found, or a page if there is no anchor."""

    page: str
    heading: str
    anchor: str

    @property
    def topic(self) -> str:
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


@dataclass(frozen=True, slots=True)
class PageHeading:
    """A heading of a page: how deep it is, its words and where it begins."""

    level: int
    words: str
    anchor: str
    at: int


def docs_folder() -> Path:
    """Return the folder of the pages.

    Raises:
        NoSuchTopic: this installation has none.
    """
    for folder in FOLDERS:
        if (folder / f"{INDEX}.md").is_file():
            return folder
    raise NoSuchTopic("this installation has no docs; install frontdesk again")


@cache
def topics() -> Mapping[str, Path]:
    """Return the pages by their names, such as `configuration` and `commands`."""
    folder = docs_folder()
    pages = {path.stem: path for path in (*folder.glob("*.md"), *folder.glob("reference/*.md"))}
    return {**dict(sorted(pages.items())), SCHEMA: folder / "reference" / SCHEMA}


def topics_by_group() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the index: its headings, each with the names of its pages and what they are for."""
    text = topics()[INDEX].read_text(encoding="utf-8")
    groups = []
    for part in text.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        rows = [
            (Path(target).stem, plain(words))
            for target, words in _ROW.findall(body)
            if not target.startswith("..")
        ]
        groups.append((heading, rows))
    return groups


def read_topic(words: Sequence[str]) -> str:
    """Return the page, or the section of it, that the words name: `configuration` or `configuration#keys`.

    Raises:
        NoSuchPage, NoSuchTopic: there is none.
    """
    typed = " ".join(words)
    name, _, anchor = typed.lower().replace(" ", "-").partition("#")
    name = re.sub(r"^(docs/)?(reference/)?|\.md$", "", name)
    path = topics().get(name)
    if path is None:
        raise NoSuchPage(f"no page is called {typed!r}; to list the pages, run `frontdesk docs`")
    text = path.read_text(encoding="utf-8")
    return section(text, anchor, name) if anchor else text


def section(text: str, anchor: str, name: str) -> str:
    """Return a heading of the page with what is below it.

    Raises:
        NoSuchTopic: it has no such heading.
    """
    found = headings(text)
    start = next((each for each in found if each.anchor == anchor), None)
    if start is None:
        known = ", ".join(f"{name}#{each.anchor}" for each in found[1:])
        raise NoSuchTopic(f"{name} has no section {anchor!r}; it has {known}")
    end = next((each.at for each in found if each.at > start.at and each.level <= start.level), len(text))
    return text[start.at : end].rstrip() + "\n"


def headings(text: str) -> list[PageHeading]:
    """Return the headings of a page, without those in code blocks."""
    blank = _FENCE.sub(lambda block: " " * len(block[0]), text)
    found: list[PageHeading] = []
    for each in _HEADING.finditer(blank):
        anchor = anchor_of(each[2])
        same = sum(before.anchor.rsplit("-", 1)[0] == anchor or before.anchor == anchor for before in found)
        found.append(PageHeading(len(each[1]), each[2], f"{anchor}-{same}" if same else anchor, each.start()))
    return found


def anchor_of(heading: str) -> str:
    """Return a heading's anchor, as it is made from Markdown."""
    return re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", heading).lower()).strip().replace(" ", "-")


def plain(text: str) -> str:
    """Return a line without its links and back ticks."""
    return _LINK.sub(r"\1", text).replace("`", "").replace("\\|", "|")


def search(typed: str) -> list[Found]:
    """Return the pages and sections with the words in their title, heading or text, or one that is spelled alike.

    The best come first; of equal ones, guides before what developers read.
    """
    words = _WORD.findall(typed.lower())
    wanted = [re.compile(rf"\b{re.escape(each)}") for each in words if len(each) >= MIN_LETTERS or len(words) == 1]
    rated: list[tuple[float, Found]] = []
    for name in (name for _, rows in topics_by_group() for name, _ in rows):
        text = topics()[name].read_text(encoding="utf-8")
        found = headings(text)
        title = f"{name.replace('-', ' ')} {found[0].words}".lower()
        for each, end in zip(found, (*(other.at for other in found[1:]), len(text)), strict=False):
            heading, body = plain(each.words).lower(), text[each.at : end].lower()
            titles = (name.replace("-", " "), heading) if each.level == 1 else (heading,)
            alike = max(SequenceMatcher(None, typed.lower(), one).ratio() for one in titles)
            in_heading, in_text, in_title = (
                sum(word.search(place) is not None for word in wanted) for place in (" ".join(titles), body, title)
            )
            rating = 4 * in_heading + 2 * in_text + (4 * alike if alike > MIN_ALIKE else 0)
            if rating:
                anchor = "" if each.level == 1 else each.anchor
                rated.append((rating + in_title, Found(name, plain(each.words), anchor)))
    return [found for _, found in sorted(rated, key=lambda each: -each[0])]
