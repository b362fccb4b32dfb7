"""Links between pages lead somewhere, and pages that the code refers to have the parts that it names."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .names import ROOT

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
SOURCES = [
    path
    for folder in ("src", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.parent != Path(__file__).parent
]

_FENCE = re.compile(r"^```[\s\S]*?^```$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_REFERENCE = re.compile(r"\bdocs/([\w-]+\.md),\s+((?:[A-Z]\w*|[a-z ]+\b)(?:[ \w]*\w)?)")
_CHAPTERS = re.compile(r"chapters? ([\d, and to]+\d)")


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as they are made from Markdown."""
    found: Counter[str] = Counter()
    names = set()
    for heading in _HEADING.findall(_FENCE.sub("", page)):
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


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert broken_links(path.read_text(encoding="utf-8"), path) == []


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {link.partition("#")[0] for link in _LINK.findall(index)}
    assert {path.name for path in DOCS.glob("*.md")} - linked == {"index.md"}


@pytest.mark.parametrize(
    ("page", "broken"),
    [
        ("[one](architecture.md) [two](#here)\n\n## Here\n", []),
        ("[a part](glossary.md#tasks), [a site](https://example.com/nowhere.md)", []),
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


def test_parts_of_pages_that_the_code_names_are_there() -> None:
    missing = set()
    for page, part in references():
        text = (DOCS / page).read_text(encoding="utf-8")
        chapters = _CHAPTERS.match(part)
        if chapters:
            numbers = re.findall(r"\d+", chapters[1])
            wanted = [f"\n## {number} " for number in numbers]
        elif part[0].isupper():
            words = part.split()
            # What follows a part's name in a sentence is no part of it.
            wanted = [] if any(" ".join(words[:n]) in text for n in range(len(words), 0, -1)) else [part]
        else:
            continue
        missing |= {(page, each) for each in wanted if each not in text}
    assert missing == set()
    assert sum(1 for _ in references()) > 50


def test_the_glossary_has_each_term_once_in_one_sentence() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    terms = [(term, meaning) for term, meaning in rows if term != "term" and not term.startswith("-")]
    names = Counter(name for term, _ in terms for name in term.split(", "))
    assert [name for name, count in names.items() if count > 1] == []
    assert [term for term, meaning in terms if not re.fullmatch(r"[A-Z](?:(?!\. ).)*\.", meaning)] == []
    assert len(terms) > 60
