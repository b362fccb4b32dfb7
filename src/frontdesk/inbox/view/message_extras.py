"""What a message has besides its text, as exports, the linear mode and its details tell it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frontdesk.inbox.view import message_parts
from frontdesk.inbox.view.parties import Parties
from frontdesk.storage.records import Json
from frontdesk_lines.display_text import body_lines, show_line

MAX_LENGTH = 1_000_000
MAX_LINES = 20_000
MAX_PART = 2_000
"""Characters of an attachment's description, a caption or a choice."""


@dataclass(frozen=True, slots=True)
class MessageExtra:
    """What a message has besides its text, such as an attachment.

    Attributes:
        lines: its text.
        link: an http or https address in ASCII; empty for none.
    """

    label: str
    lines: tuple[str, ...]
    link: str = ""


def message_extras(
    raw: Json, parties: Parties, most: tuple[int, int] = (MAX_LENGTH, MAX_LINES)
) -> Iterator[MessageExtra]:
    """Tell what a message has besides its text, in the order in which it is read.

    Args:
        most: so many characters and lines of each text.
    """
    for each, link in message_parts.attachments(raw):
        yield MessageExtra("Attachment", (show_line(each, MAX_PART).text,), link)
    for each in message_parts.captions(raw):
        yield MessageExtra("Caption", _whole(each, most))
    texts, choices = message_parts.rich_content(raw)
    for each in texts:
        yield MessageExtra("Content", _whole(each, most))
    if choices:
        yield MessageExtra("Choices", tuple(show_line(each, MAX_PART).text for each in choices))
    for language, each in message_parts.translations(raw):
        name = f"Translation ({show_line(language, 20).text})" if language else "Translation"
        yield MessageExtra(name, _whole(each, most))
    given = tuple(_reaction(sign, count, whose, parties) for sign, count, whose in message_parts.reactions(raw))
    if given:
        yield MessageExtra("Reactions", given)
    elif raw.get("hasReaction"):
        yield MessageExtra("Reactions", ("not included in the platform's response",))
    if why := message_parts.reason(raw):
        more = message_parts.details(raw)
        yield MessageExtra(
            "Error", tuple(show_line(each, MAX_PART).text for each in dict.fromkeys((why, more)) if each)
        )


def _whole(text: object, most: tuple[int, int]) -> tuple[str, ...]:
    return tuple(each.text for each in body_lines(text, *most))


def _reaction(sign: str, count: int, whose: Sequence[str], parties: Parties) -> str:
    names = ", ".join(show_line(parties.name(each), 200).text for each in whose)
    many = f" x{count}" if count > 1 and count != len(whose) else ""
    return f"{sign or '?'}{many}{f' by {names}' if names else ''}"
