"""Outside text in Markdown and HTML: whatever it is, a parser finds nothing but text in it."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from frontdesk.text.export_escapes import escape_markdown, markdown_text
from frontdesk.text.html_pages import escape_html, html_page
from frontdesk_lines.display_text import show_label

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = "#*_`~<>[]()!|&\\-+=.:$@^{}0123456789 \t\nab"
LINES = st.lists(st.text(MARKUP, max_size=12) | st.text(max_size=12), min_size=1, max_size=6)
STRUCTURES = (
    *(
        "# heading",
        "- list",
        "+ list",
        "* list",
        "1. list",
        "12) list",
        "> quote",
        "    code",
        "\tcode",
        "```",
        "~~~",
    ),
    *(
        "---",
        "- - -",
        "***",
        "===",
        "| a | b |",
        "|---|---|",
        "<b>html</b>",
        "<!-- c",
        "[a](http://b)",
        "[a]: http://b",
    ),
    *(
        "![a](http://b)",
        "&lt;",
        "a  ",
        "a\\",
        "**b**",
        "_b_",
        "<http://a>",
        "http://a",
        "www.a.b",
        "a@b.c",
        "[^1]",
    ),
)


def written(markdown: str) -> str:
    """The text that a reader of the Markdown sees, of which nothing may be anything but paragraphs."""
    found = []
    for token in PARSER.parse(markdown):
        assert token.type in ("paragraph_open", "inline", "paragraph_close"), (token.type, markdown)
        for each in token.children or ():
            assert each.type in ("text", "text_special", "hardbreak", "softbreak"), (each.type, markdown)
            assert each.type != "softbreak", "a break would be lost"
            found.append("\n" if each.type == "hardbreak" else each.content)
        if token.type == "paragraph_close":
            found.append("\n")
    return "".join(found)


def plain(lines: list[str]) -> str:
    shown = [show_label(line, len(line)).text.rstrip() for line in lines]
    return "\n".join(line for line in shown if line)


@given(LINES)
def test_lines_are_paragraphs_with_their_own_words(lines: list[str]) -> None:
    seen = written(markdown_text(lines)).replace("\u00a0", " ").rstrip("\n")
    assert (
        re.sub(r"\s*\n\s*", "\n", seen).strip()
        == re.sub(r"\s*\n\s*", "\n", plain(lines).replace("\u00a0", " ")).strip()
    )


@pytest.mark.parametrize("structure", STRUCTURES)
def test_nothing_begins_a_block_or_is_markup(structure: str) -> None:
    for lines in ([structure], ["text", structure], [structure, "text"], ["", structure, "", structure]):
        written(markdown_text(lines))


def test_a_time_needs_no_escape_and_an_emoji_code_does() -> None:
    assert escape_markdown("10:02:07 +01:00") == "10:02:07 +01:00"
    assert escape_markdown(":100: and :smile:") == r"\:100\: and \:smile\:"
    assert escape_markdown("mailto:a") == r"mailto\:a"


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(st.text(max_size=60) | st.text("<>&\"'/ =ascriptonle!-", max_size=60))
def test_html_has_no_tag_and_no_attribute_of_a_stranger(text: str) -> None:
    tags = Tags(f'<p title="{escape_html(text)}">{escape_html(text)}</p>')
    shown = show_label(text, len(text)).text
    assert tags.found == [("p", {"title": shown})]
    assert "".join(tags.texts) == shown


def test_a_page_loads_and_runs_nothing() -> None:
    tags = Tags(html_page("</title><script>alert(1)</script>", "", "<p>words</p>"))
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in tags.found}
    policies = [each["content"] for tag, each in tags.found if "http-equiv" in each]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]
