"""Markdown for a terminal: headings and words in bold, links as the topic they lead to, tables as rows of text."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath

MAX_WIDTH = 100
BOLD, UNDERLINE, OFF = "\x1b[1m", "\x1b[4m", "\x1b[0m"

_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_CODE = re.compile(r"`([^`]+)`")
_ITEM = re.compile(r"\s*([-*]|\d+\.) ")
_CELLS = re.compile(r"(?<!\\)\|")


def render(text: str, width: int) -> str:
    """Return the page as it is read on a terminal of this width, with escape sequences for bold."""
    width = min(width, MAX_WIDTH)
    lines: list[str] = []
    for is_code, block in _parts(_COMMENT.sub("", text)):
        lines += block if is_code else _prose(block, width)
    return "\n".join(lines) + "\n"


def _parts(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the blocks of code and what is between them."""
    is_fenced = False
    marked: list[tuple[bool, str]] = []
    for line in text.splitlines():
        if line.startswith("```"):
            is_fenced = not is_fenced
        else:
            marked.append((is_fenced or line.startswith("    "), f"    {line}" if is_fenced else line))
    for is_code, lines in groupby(marked, key=lambda each: each[0]):
        yield is_code, [line for _, line in lines]


def _prose(lines: Sequence[str], width: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip():
            yield ""
        elif line.startswith("#"):
            yield _heading(line)
        elif line.startswith("|"):
            rows = [line]
            while at < len(lines) and lines[at].startswith("|"):
                rows.append(lines[at])
                at += 1
            yield from _table(rows, width)
        elif line.startswith(">"):
            quoted = [line]
            while at < len(lines) and lines[at].startswith(">"):
                quoted.append(lines[at])
                at += 1
            yield from _wrapped(" ".join(each.lstrip("> ") for each in quoted), width, 2)
        else:
            paragraph = [line]
            while at < len(lines) and lines[at].strip() and not _begins_block(lines[at]):
                paragraph.append(lines[at])
                at += 1
            item = _ITEM.match(line)
            yield from _wrapped(" ".join(each.strip() for each in paragraph), width, 2 if item else 0)


def _begins_block(line: str) -> bool:
    return line.startswith(("#", "|", ">")) or _ITEM.match(line) is not None


def _heading(line: str) -> str:
    signs, _, words = line.partition(" ")
    shown = _CODE.sub(r"\1", _LINK.sub(r"\1", words))
    return f"{BOLD}{UNDERLINE if len(signs) == 1 else ''}{shown}{OFF}"


def _table(rows: Sequence[str], width: int) -> Iterator[str]:
    """Draw each row as its first cell with the others below it: no terminal is as wide as the tables are."""
    headings, *body = [_cells(row) for row in rows if not re.fullmatch(r"[|:\- ]+", row)]
    for first, *others in body:
        yield from _wrapped(f"**{first}**" if "`" not in first else first, width, 2)
        cells = [(name, cell) for name, cell in zip(headings[1:], others, strict=False) if cell]
        parts = [f"{name}: {cell}" if len(others) > 1 else cell for name, cell in cells]
        on_one_line = _wrapped(" · ".join(parts), width - 4, 2)
        for part in [" · ".join(parts)] if len(on_one_line) == 1 else parts:
            yield from (f"    {line}" for line in _wrapped(part, width - 4, 2))


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(row.strip())[1:-1]]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    """Wrap a paragraph; bold is marked by one letter each until then, as escape sequences have no width."""
    text = _LINK.sub(_link, _IMAGE.sub(r"(picture: \1)", text))
    lines = textwrap.wrap(
        _STRONG.sub("\x01\\1\x02", _CODE.sub("\x01\\1\x02", text)),
        max(width, 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return _mark_bold(lines)


def _mark_bold(lines: Sequence[str]) -> list[str]:
    """Put the sequences in place of the marks; bold that goes over the end of a line begins anew on the next."""
    found, is_bold = [], False
    for line in lines:
        begun = f"\x01{line}" if is_bold else line
        is_bold = begun.rfind("\x01") > begun.rfind("\x02")
        ended = f"{begun}\x02" if is_bold else begun
        found.append(ended.replace("\x01", BOLD).replace("\x02", OFF))
    return found


def _link(found: re.Match[str]) -> str:
    """Write a link to a page with its topic, one elsewhere with its address; of others only the words are left."""
    words, target = found[1], found[2]
    page, _, anchor = target.partition("#")
    if "://" in target:
        return words if words == target else f"{words} ({target})"
    path = PurePosixPath(page)
    if path.suffix != ".md" or path.stem == "README" or "tests" in path.parts:  # not one of these pages
        return words
    topic = path.stem + (f"#{anchor}" if anchor else "")
    return f"{words} ({topic})"
