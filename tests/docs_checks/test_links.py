"""Links between pages lead somewhere, and pages that the code refers to have the parts that it names."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from .names import ROOT
from .pages import ALL_PAGES, DOCS, headings

SOURCES = [
    path
    for folder in ("src", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.parent != Path(__file__).parent
]

_FENCE = re.compile(r"^```[\s\S]*?^```$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_REFERENCE = re.compile(r"\b((?:docs|tests/sandbox)/[\w-]+\.md),\s+((?:[A-Z]\w*|[a-z ]+\b)(?:[ \w]*\w)?)")
_FIRST_CELL = re.compile(r"^\| ([^|]+?) \|", re.MULTILINE)
_LEAD = re.compile(r"^(?:- |\d+\. )?(?:\*\*)?([A-Z][\w ]*?)[.:]?(?:\*\*|:)", re.MULTILINE)
_CHAPTERS = re.compile(r"chapters? ([\d, and to]+\d)")


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as they are made from Markdown."""
    found: Counter[str] = Counter()
    names = set()
    for heading in headings(page):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def broken_links(page: str, path: Path) -> list[str]:
    """Relative links of a page that lead to no file, or to no heading in it."""
    broken = []
    for link in _LINK.findall(_CODE.sub("", _FENCE.sub("", page))):
        if "://" in link or link.startswith("mailto:"):
            continue
        target, _, anchor = link.partition("#")
        file = path.parent / target
        if not target:
            leads = anchor in anchors(page)
        elif not anchor:
            leads = file.exists()
        else:
            leads = file.exists() and anchor in anchors(file.read_text(encoding="utf-8"))
        if not leads:
            broken.append(link)
    return broken


def references() -> Iterator[tuple[str, str]]:
    """Pages that the code refers to, each with the part that is named."""
    for path in SOURCES:
        # A reference may run over the end of a line.
        text = re.sub(r"\s*\n\s*(?:# )?", " ", path.read_text(encoding="utf-8"))
        yield from _REFERENCE.findall(text)


@pytest.mark.parametrize("path", ALL_PAGES, ids=[path.name for path in ALL_PAGES])
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert broken_links(path.read_text(encoding="utf-8"), path) == []


def test_every_picture_is_shown_by_a_page() -> None:
    links = (link for path in ALL_PAGES for link in _LINK.findall(path.read_text(encoding="utf-8")))
    pictures = {path.name for path in (ROOT / "screenshots").iterdir() if path.suffix in (".svg", ".png")}
    assert pictures - {Path(link).name for link in links} == set()


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {link.partition("#")[0] for link in _LINK.findall(index)}
    assert {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - linked == {"index.md"}


def test_the_pages_written_by_hand_stay_few_and_short() -> None:
    pages = list(DOCS.glob("*.md"))
    assert len(pages) <= 22
    assert sum(len(page.read_text(encoding="utf-8").splitlines()) for page in pages) <= 3300


@pytest.mark.parametrize(
    ("page", "broken"),
    [
        ("[one](architecture.md) [two](#here)\n\n## Here\n", []),
        ("[a part](glossary.md#glossary), [a site](https://example.com/nowhere.md)", []),
        ("in a block:\n\n```\n[one](nowhere.md)\n```\n", []),
        ("[one](nowhere.md)", ["nowhere.md"]),
        ("[one](glossary.md#nowhere)", ["glossary.md#nowhere"]),
        ("[one](#nowhere)", ["#nowhere"]),
    ],
)
def test_a_link_that_leads_nowhere_is_found(page: str, broken: list[str]) -> None:
    assert broken_links(page, DOCS / "made-up.md") == broken


def test_anchors_are_made_as_from_markdown() -> None:
    page = "# A `key`, or two\n\n## Same\n\n## Same\n\n```\n# no heading\n```\n"
    assert anchors(page) == {"a-key-or-two", "same", "same-1"}


@cache
def part_names(page: str) -> set[str]:
    """The parts by which a page is referred to: headings, first cells of tables, and how paragraphs begin."""
    text = _FENCE.sub("", page)
    return {*headings(page), *_FIRST_CELL.findall(text), *_LEAD.findall(text)}


def has_part(page: str, part: str) -> bool:
    """Whether a page has the part; what follows the part's name in the sentence is no part of it."""
    names = part_names(page)
    words = part.split()
    begins = {" ".join(words[:count]) for count in range(1, len(words) + 1)}
    return bool(names & begins) or any(name.startswith(part) for name in names)


def test_parts_of_pages_that_the_code_names_are_there() -> None:
    missing = set()
    count = 0
    for name, part in references():
        page = (ROOT / name).read_text(encoding="utf-8")
        count += 1
        if chapters := _CHAPTERS.match(part):
            missing |= {(name, each) for each in re.findall(r"\d+", chapters[1]) if f"\n## {each} " not in page}
        elif part[0].isupper() and not has_part(page, part):
            missing.add((name, part))
    assert missing == set()
    assert count > 50


@pytest.mark.parametrize(
    ("part", "is_there"),
    [
        ("Set up", True),
        ("Set up and more of the sentence", True),
        ("Add", True),
        ("Undo delay", True),
        ("First", True),
        ("Nowhere", False),
        ("Second", False),
    ],
)
def test_a_part_is_a_heading_a_row_or_how_a_paragraph_begins(part: str, is_there: bool) -> None:
    page = "## Set up\n\nSecond.\n\n### Add things\n\n| First | Second |\n\n- **Undo delay.** It waits.\n"
    assert has_part(page, part) is is_there


def test_the_glossary_has_each_term_once_in_one_sentence() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    terms = [(term, meaning) for term, meaning in rows if term != "term" and not term.startswith("-")]
    names = Counter(name for term, _ in terms for name in term.split(", "))
    assert [name for name, count in names.items() if count > 1] == []
    assert [term for term, meaning in terms if not re.fullmatch(r"[A-Z](?:(?!\. ).)*\.", meaning)] == []
    assert len(terms) > 40
