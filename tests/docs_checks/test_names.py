"""What docs/ and the README name exists."""

import re
from functools import cache
from pathlib import Path

import pytest

from source_tree import PACKAGE, SOURCE

from .names import ROOT, missing_names
from .pages import ALL_PAGES, DOCS

pytestmark = pytest.mark.xdist_group("docs names")  # one worker parses the source

ARCHITECTURE = DOCS / "architecture.md"
STRICT = ("architecture.md", "contributing.md", "glossary.md")
"""Pages on which every name in back ticks is one of the source's."""

KINDS = [
    ("a folder", "`tui/rooms/` has them", ["tui/rooms/"]),
    ("a file", "see `tui/dialogs/choices.py`", ["tui/dialogs/choices.py"]),
    ("a page", "see `docs/nowhere.md`", ["docs/nowhere.md"]),
    ("a page by its name", "`nowhere.md` has the rules", ["nowhere.md"]),
    ("a link", "[the rules](nowhere.md#one)", ["nowhere.md"]),
    ("a module", "`sync.schedule` says what is due", ["sync.schedule"]),
    ("a module with the package", "`frontdesk.booth` does", ["frontdesk.booth"]),
    ("a name of a module", "`sync.scheduler.sometimes` says when", ["sync.scheduler.sometimes"]),
]


@pytest.mark.slow
@pytest.mark.parametrize("page", ALL_PAGES, ids=[page.name for page in ALL_PAGES])
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert missing_names(text, folder=page.parent, is_strict=page.name in STRICT) == []


def test_architecture_names_each_folder_and_feature() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    folders = {path.parent.name for base in (PACKAGE, SOURCE) for path in base.glob("*/__init__.py")}
    assert {folder for folder in folders - {"frontdesk"} if f"`{folder}/" not in text} == set()


@pytest.mark.slow
@pytest.mark.parametrize(("page", "missing"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS])
def test_a_name_that_does_not_exist_is_found(page: str, missing: list[str]) -> None:
    assert missing_names(page, folder=DOCS) == missing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "missing"),
    [
        ("a class of old: `Desk.beside`", ["Desk.beside"]),
        ("a word of old: `undoing`", ["undoing"]),
        ("in a block:\n\n    desk/   what a person does\n", ["desk/"]),
    ],
)
def test_on_a_strict_page_every_name_counts(page: str, missing: list[str]) -> None:
    assert missing_names(page, folder=DOCS, is_strict=True) == missing
    assert missing_names(page, folder=DOCS) == []


@pytest.mark.slow
def test_what_exists_and_what_is_no_name_of_ours_is_left_alone() -> None:
    page = """
`tui/dialogs/base.py`, `frontdesk_lines/widgets/`, `sync.scheduler`, `sync.scheduler.PollKind`, `frontdesk_flows`,
`docs/architecture.md`, [pages](numbers.md), `health.heard_at`, `campaign.watch` (a key),
`data.nodes` (a field),
`config.toml`, `~/.config/frontdesk`, `/openapi.json`, https://example.com/nowhere.md, `returns/v2`.
"""
    assert missing_names(page, folder=DOCS) == []


SOURCES = [
    path
    for folder in ("src", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path.parent != Path(__file__).parent
]
_PAGE = re.compile(r"\b(?:docs|tests/[\w/]+)/[\w-]+\.md\b")
_OUTSIDE = re.compile(r"(?<![\w/.-])[a-z][\w-]*\.md\b|\bissue \d+")
"""A page that isn't in docs/, or an issue: a reader of the source can't look it up."""


@cache
def lines_that_may_name_one() -> list[tuple[Path, str]]:
    texts = ((path, path.read_text(encoding="utf-8")) for path in SOURCES)
    return [
        (path, line) for path, text in texts for line in text.splitlines() if ".md" in line or "issue " in line
    ]


def test_pages_that_the_source_names_are_in_docs() -> None:
    named = {page for _, line in lines_that_may_name_one() for page in _PAGE.findall(line)}
    assert {page for page in named if not (ROOT / page).exists()} == set()


def test_the_source_refers_to_nothing_outside_the_repository() -> None:
    named = {
        (str(path.relative_to(ROOT)), found)
        for path, line in lines_that_may_name_one()
        if path.is_relative_to(SOURCE)
        for found in _OUTSIDE.findall(line)
        if not (DOCS / found).exists()
    }
    assert named == set()
