"""Markdown for a terminal, drawn by rich; links are the topic they lead to, tables are rows of text."""

import io
import re
from pathlib import PurePosixPath
from typing import ClassVar

from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, TableElement
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

MAX_WIDTH = 100

_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_LINK = re.compile(r"^```.*?^```|(!?)\[([^\]]*)\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
_PLAIN = ("h1.border", "link", "item.bullet", "item.number", "block_quote", "code_block", "list")
_STYLES = Theme(
    {
        **{f"markdown.{each}": "none" for each in _PLAIN},
        **{f"markdown.h{level}": "bold" for level in range(2, 7)},
        "markdown.h1": "bold underline",
        "markdown.code": "bold",
    }
)


class _Code(CodeBlock):
    """Code as it stands: a wrapped line couldn't be copied."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(
            "".join(f"    {line}\n" for line in str(self.text).splitlines()),
            no_wrap=True,
            overflow="ignore",
            end="",
        )


class _TableRows(TableElement):
    """Each row as its first cell with the others below it: no terminal is as wide as the tables are."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        headings = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        for first, *others in [
            [cell.content for cell in row.cells] for row in (self.body.rows if self.body else ())
        ]:
            first.stylize("bold")
            yield first
            named = [
                Text.assemble(*((name, ": ") if len(others) > 1 else ()), cell)
                for name, cell in zip(headings[1:], others, strict=False)
                if cell
            ]
            one_line = Text(" · ").join(named)
            fits = one_line.cell_len <= options.max_width - 4
            yield Padding(one_line if fits else Group(*named), (0, 0, 0, 4), expand=False)


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _Page(Markdown):
    elements = {  # noqa: RUF012
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _TableRows,
    }


def render(text: str, width: int) -> str:
    """Return the page as it is read on a terminal of this width, with escape sequences for bold."""
    console = Console(
        file=io.StringIO(),
        width=min(width, MAX_WIDTH),
        force_terminal=True,
        color_system="standard",
        theme=_STYLES,
    )
    page = _Page(_LINK.sub(_link, _COMMENT.sub("", text)), hyperlinks=False)
    with console.capture() as shown:
        console.print(page, crop=False)
    return "\n".join(line.rstrip() for line in shown.get().strip("\n").splitlines()) + "\n"


def _link(found: re.Match[str]) -> str:
    """Write a link to a page with its topic, one elsewhere with its address; of others only the words are left."""
    picture, words, target = found.groups()
    if words is None:  # code
        return found[0]
    page, _, anchor = target.partition("#")
    if picture:
        return f"(picture: {words})"
    if "://" in target:
        return words if words == target else f"{words} ({target})"
    path = PurePosixPath(page)
    if path.suffix != ".md" or path.stem == "README" or "tests" in path.parts:  # not one of these pages
        return words
    topic = path.stem + (f"#{anchor}" if anchor else "")
    return f"{words} ({topic})"
