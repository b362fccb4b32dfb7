"""Parts of a Markdown page: its sections, and the tables in them. Used by the tests of this folder."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from source_tree import PACKAGE, PACKAGES, SOURCE

from .names import ROOT

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
RESULTS = sorted((ROOT / "tests").rglob("*.md"))
PACKAGE_PAGES = [SOURCE / name / "README.md" for name in PACKAGES if name != PACKAGE.name]
ALL_PAGES = [*sorted(DOCS.rglob("*.md")), *RESULTS, ROOT / "README.md", *PACKAGE_PAGES]

_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$|(?:^    [^\n]*\n|^\n(?=\n*    ))+", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")


def section(page: Path, heading: str) -> str:
    """Return the text below a heading, up to the next one of its level or a higher one."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert found is not None, f"{page.name} has no heading {heading!r}"
    without_code = _FENCE.sub(lambda block: " " * len(block[0]), text)
    end = re.search(rf"^#{{1,{len(found[1])}}} ", without_code[found.end() :], re.MULTILINE)
    return text[found.end() : found.end() + end.start()] if end else text[found.end() :]


def headings(text: str) -> Iterator[str]:
    """Yield the headings of a page, without those in code blocks."""
    for found in _HEADING.finditer(_FENCE.sub("", text)):
        yield found[2]


def table(text: str, first_heading: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this heading, each as its cells."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith(f"| {first_heading} |")), None)
    assert start is not None, f"no table has the heading {first_heading!r}"
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def codes(cell: str) -> list[str]:
    """Return what stands in back ticks."""
    return _CODE.findall(cell)


def first_cells(text: str, first_heading: str) -> list[str]:
    """Return what stands in back ticks in a table's first column."""
    return [code for row in table(text, first_heading) for code in codes(row[0])]


def code_blocks(text: str) -> list[str]:
    """Return the fenced and indented blocks of code of a section, in order."""
    return [textwrap.dedent(found[1] or found[0]).strip() + "\n" for found in _BLOCK.finditer(text)]
