"""Write a thread's document as Markdown or as one page of HTML, in which nobody's text becomes structure."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from frontdesk.inbox.view.message_extras import MessageExtra
from frontdesk.inbox.view.thread_document import (
    DocumentPart,
    PartKind,
    ThreadDocument,
    clock_words,
)
from frontdesk.text.export_escapes import escape_html, escape_markdown, html_page, markdown_text

_STYLE = """\
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; border-bottom: 1px solid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
article { margin: 0.75rem 0; padding-left: 0.75rem; border-left: 3px solid; }
article.customer { border-color: #2a7de1; }
article.agent { border-color: #2e8b57; }
article.machine { border-color: #888; border-left-style: dashed; }
article.note { border-color: #b8860b; border-left-style: double; }
.head { margin: 0; font-size: 0.9rem; }
.text { white-space: pre-wrap; unicode-bidi: plaintext; overflow-wrap: anywhere; }
blockquote { margin: 0.25rem 0; padding-left: 0.5rem; border-left: 1px solid; font-size: 0.9rem; }
ul { margin: 0.25rem 0; padding-left: 1.25rem; font-size: 0.9rem; }
.event, .edge { text-align: center; font-size: 0.9rem; }
.gap { padding: 0.25rem 0.5rem; border: 2px dashed #c00; text-align: center; font-weight: bold; }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; }
  article, .gap { break-inside: avoid; }
  h2, .head { break-after: avoid; }
  a::after { content: " (" attr(href) ")"; overflow-wrap: anywhere; }
}
"""


class ExportForm(StrEnum):
    """The form of an exported thread; `.value` is the file's suffix without its dot."""

    MARKDOWN = "md"
    HTML = "html"


def write_document(document: ThreadDocument, form: ExportForm) -> str:
    """Return a document in a form."""
    return _html(document) if form is ExportForm.HTML else _markdown(document)


def _markdown(document: ThreadDocument) -> str:
    blocks = [f"# Conversation with {_inline(document.title)}"]
    blocks.append("\n".join(f"- {name}: {_inline(value)}" for name, value in document.facts))
    blocks += [_inline(each) for each in document.coverage]
    for part in document.parts:
        blocks += _markdown_part(part)
    return "\n\n".join(blocks) + "\n"


def _markdown_part(part: DocumentPart) -> Iterator[str]:
    match part.kind:
        case PartKind.DAY:
            yield f"## {_inline(part.words)}"
        case PartKind.GAP:
            yield f"***{_inline(part.words)}***"
        case PartKind.EDGE | PartKind.EVENT:
            yield f"*{_inline(' · '.join(_with_time(part.words, part)))}*"
        case _:
            head = [f"**{_inline(part.who.strip()) or 'unknown'}**", *map(_inline, _times(part))]
            yield " · ".join([*head, *map(_inline, part.facts)])
            if part.quote:
                yield f"> {_inline(part.quote)}"
            if text := markdown_text(part.lines):
                yield text
            if part.extras:
                yield "\n".join(map(_markdown_extra, part.extras))


def _markdown_extra(extra: MessageExtra) -> str:
    # In angle brackets nothing is escaped: the address is ASCII without blanks, brackets and quotes.
    link = f" (<{extra.link}>)" if extra.link else ""
    return f"- {_inline(extra.label)}: {markdown_text(extra.lines, '  ')}{link}"


def _inline(text: str) -> str:
    return escape_markdown(text, len(text))


def _html(document: ThreadDocument) -> str:
    body = [f"<h1>Conversation with <bdi>{escape_html(document.title)}</bdi></h1>", "<dl>"]
    body += [f"<dt>{escape_html(name)}</dt><dd>{_isolated(value)}</dd>" for name, value in document.facts]
    body += ["</dl>", *(f"<p>{escape_html(each)}</p>" for each in document.coverage)]
    for part in document.parts:
        body += _html_part(part)
    return html_page(f"Conversation with {document.title}", _STYLE, "\n".join(body) + "\n")


def _html_part(part: DocumentPart) -> Iterator[str]:
    match part.kind:
        case PartKind.DAY:
            yield f"<h2>{escape_html(part.words)}</h2>"
        case PartKind.GAP | PartKind.EDGE:
            yield f'<p class="{part.kind.value}">{_isolated(part.words)}</p>'
        case PartKind.EVENT:
            yield f'<p class="event">{_isolated(part.words)}{_html_time(part)}</p>'
        case _:
            yield f'<article class="{part.kind.value}">'
            head = f"<strong>{_isolated(part.who or 'unknown')}</strong>{_html_time(part)}"
            yield f'<p class="head">{"".join([head, *(f" · {_isolated(each)}" for each in part.facts)])}</p>'
            if part.quote:
                yield f'<blockquote dir="auto">{escape_html(part.quote)}</blockquote>'
            if part.lines:
                yield f'<div class="text" dir="auto">{_broken(part.lines)}</div>'
            if part.extras:
                yield "<ul>"
                yield from map(_html_extra, part.extras)
                yield "</ul>"
            yield "</article>"


def _html_extra(extra: MessageExtra) -> str:
    text = f"<bdi>{_broken(extra.lines)}</bdi>"
    if extra.link:
        address = escape_html(extra.link)
        text = f'<a href="{address}" rel="noopener noreferrer nofollow">{text}</a>'
    return f"<li>{_isolated(extra.label)}: {text}</li>"


def _html_time(part: DocumentPart) -> str:
    if part.at is None:
        return ""
    return f' · <time datetime="{part.at.isoformat()}">{clock_words(part.at)}</time>'


def _broken(lines: Iterable[str]) -> str:
    return "<br>".join(map(escape_html, lines))


def _isolated(text: str) -> str:
    return f"<bdi>{escape_html(text)}</bdi>"


def _times(part: DocumentPart) -> list[str]:
    return [] if part.at is None else [clock_words(part.at)]


def _with_time(words: str, part: DocumentPart) -> list[str]:
    return [words, *_times(part)]
