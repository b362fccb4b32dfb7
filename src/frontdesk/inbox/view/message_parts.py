"""Read a message's files, buttons, translations, reactions, reasons and links.

The interface doesn't specify these objects: known names are read (docs/interface.md), others are only mentioned.
Only http and https are links; a host in look-alike letters is shown as the network knows it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from frontdesk.inbox.view.parties import Parties
from frontdesk.storage.records import Json
from frontdesk_api import json_access
from frontdesk_lines.cell_width import cell_width, graphemes
from frontdesk_lines.display_text import SafeText, body_lines, show_line, trusted

ERROR_WORDS = {
    131026: "can't be delivered to this number",
    131049: "the platform limits marketing messages to this customer",
    130429: "the line is sending too fast",
    131056: "too many messages to this customer",
}
STATUS_REASONS = {
    "failed": "failed; the platform gave no reason",
    "optOut": "not sent: the customer opted out",
    "tooManyRequests": "not sent: too many requests",
    "duplicateMessage": "not sent: duplicate of an earlier message",
}
_FILES = ("attachment", "attachmentBase64")
_NAMES = ("fileName", "filename", "name", "title")
_KINDS = ("fileMimeType", "mimeType", "mime_type", "contentType", "fileType", "type")
_SIZES = ("fileSize", "size", "bytes")
_DURATIONS = ("duration", "durationSeconds", "seconds")
_CAPTIONS = ("caption", "description")
_URLS = ("url", "link", "href", "fileUrl", "mediaUrl")
_CHOICES = ("buttons", "quickReplies", "quick_replies", "options", "rows", "items", "replies", "cards")
_TEXTS = ("text", "message", "translatedText", "translation", "content", "body")
_PEOPLE = ("from", "users", "sender", "user", "by", "name")
_DAY_SECONDS = 86_400


def message_text(raw: Json) -> str:
    """Return the text of a message in reading order, to be copied."""
    said = json_access.text(raw.get("message"))
    return said or "\n".join([*captions(raw), *links(raw), *files(raw)])


def files(raw: Json) -> list[str]:
    """Describe each attachment in a line, with what is known of its name, kind, size, duration and dimensions."""
    return [line for line, _ in attachments(raw)]


def attachments(raw: Json) -> list[tuple[str, str]]:
    """Return each attachment's line and its http or https address in ASCII; empty where it has none."""
    found = [(line, _address(_first(each, _URLS))) for each in _attachments(raw) if (line := _file(each))]
    return found or [("an attachment", "") for name in ("hasAttachment", *_FILES) if raw.get(name)][:1]


def captions(raw: Json) -> list[str]:
    """Return the captions of attachments that differ from the message's text."""
    text = json_access.text(raw.get("message"))
    found = (_first(each, _CAPTIONS) for each in _attachments(raw))
    return [each for each in dict.fromkeys(found) if each and each != text]


def links(raw: Json) -> list[str]:
    return [url for each in _attachments(raw) if (url := _first(each, _URLS))]


def translations(raw: Json) -> list[tuple[str, str]]:
    """Return the translations as (language or empty, text)."""
    whole = raw.get("translation")
    if isinstance(whole, str):
        return [("", whole)] if whole else []
    translation = json_access.mapping(whole)
    language = _first(translation, ("language", "lang", "target", "targetLanguage", "to"))
    if text := _first(translation, _TEXTS):
        return [(language, text)]
    return [(key, text) for key, text in translation.items() if len(key) <= 8 and isinstance(text, str) and text]


def rich_content(raw: Json) -> tuple[list[str], list[str]]:
    content = json_access.mapping(raw.get("richContent"))
    if not content:
        return [], []
    own = json_access.text(raw.get("message"))
    parts = (content.get(name) for name in ("header", "title", "body", "text", "footer"))
    texts = [text for part in parts if (text := _text_of(part)) and text != own]
    choices = list(_choices(content))
    if not texts and not choices:
        texts = [f"rich content with {', '.join(list(content)[:4])}"]
    return texts, choices


def comment(raw: Json) -> str:
    """Return what a comment is about: the post's text, address or id."""
    about = json_access.mapping(raw.get("comment"))
    return _first(about, ("postText", "postMessage", *_TEXTS, "permalink", *_URLS, "postId", "id"))


def reactions(raw: Json) -> list[tuple[str, int, list[str]]]:
    """Return each reaction once: the sign, how many gave it, and their ids or names."""
    given = raw.get("reactions")
    found: dict[str, tuple[int, list[str]]] = {}
    for each in given if isinstance(given, list) else []:
        sign, count, whose = _reaction(each)
        before, people = found.get(sign, (0, []))
        found[sign] = (before + count, people + [one for one in whose if one not in people])
    return [(sign, count, whose) for sign, (count, whose) in found.items()]


def reason(raw: Json) -> str:
    error = raw.get("error")
    status = raw.get("status")
    if isinstance(error, str) and error:
        return error
    said = json_access.mapping(error)
    if not said:
        return STATUS_REASONS.get(status, "") if isinstance(status, str) else ""
    code = said.get("code")
    number = json_access.number(int(code)) if isinstance(code, str) and code.isascii() and code.isdigit() else code
    known = ERROR_WORDS.get(int(number)) if json_access.number(number) is not None and number is not None else None
    details = json_access.text(json_access.mapping(said.get("error_data")).get("details"))
    words = known or _first(said, ("title", "message")) or details or "failed"
    return words + (f" ({code})" if code not in (None, "") else "")


def details(raw: Json) -> str:
    error = json_access.mapping(raw.get("error"))
    return json_access.text(json_access.mapping(error.get("error_data")).get("details")) or json_access.text(
        error.get("message")
    )


def size_words(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}"
        size /= 1_000
    return f"{size:.1f} GB"


def _attachments(raw: Json) -> list[Mapping[str, Any]]:
    """Return the attachments; a file in both fields is merged into one."""
    both = [_objects(raw.get(name)) for name in _FILES]
    if len(both[0]) == len(both[1]) == 1:
        return [{**both[0][0], **both[1][0]}]
    return [*both[0], *both[1]]


def _objects(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, str) and value:
        return [{"url": value}]
    several = value if isinstance(value, list) else [value]
    return [each for each in several if isinstance(each, dict) and each]


def _file(attachment: Mapping[str, Any]) -> str:
    size, duration = _number(attachment, _SIZES), _number(attachment, _DURATIONS)
    width, height = (json_access.number(attachment.get(side)) for side in ("width", "height"))
    latitude, longitude = (json_access.number(attachment.get(name)) for name in ("latitude", "longitude"))
    kind = _first(attachment, _KINDS)
    parts = [
        _first(attachment, (*_NAMES, *_URLS)),
        "voice" if attachment.get("voice") is True else "",
        kind,
        "" if size is None else size_words(max(0.0, size)),
        "" if duration is None else _duration(duration),
        "" if width is None or height is None else f"{width:.0f}x{height:.0f}",
        "" if latitude is None or longitude is None else f"{latitude:.5f}, {longitude:.5f}",
        json_access.text(attachment.get("address")),
    ]
    return " · ".join(show_line(part, 80).text for part in parts if part)


def _duration(value: float) -> str:
    # Nobody says the unit: what would be longer than a day is milliseconds.
    seconds = int(max(0.0, value if value < _DAY_SECONDS else value / 1_000))
    return f"{seconds // 60}:{seconds % 60:02}"


def _choices(content: Mapping[str, Any]) -> Iterator[str]:
    for name in _CHOICES:
        several = content.get(name)
        for each in several if isinstance(several, list) else []:
            if text := _text_of(each):
                yield text
    sections = content.get("sections")
    for section in sections if isinstance(sections, list) else []:
        yield from _choices({name: json_access.mapping(section).get(name) for name in _CHOICES})


def _reaction(each: object) -> tuple[str, int, list[str]]:
    if isinstance(each, str):
        return _sign(each), 1, []
    said = json_access.mapping(each)
    sign = _sign(_first(said, ("emoji", "reaction", "text", "value")))
    given = next((said[name] for name in _PEOPLE if said.get(name)), None)
    several = given if isinstance(given, list) else [given]
    whose = [name for one in several if (name := _text_of(one))]
    count = json_access.number(said.get("count"))
    return sign, max(1, len(whose), int(count or 0)), whose


def _sign(text: str) -> str:
    """Shorten a reaction that is no single emoji."""
    shown = show_line(text, 40).text
    letters = graphemes(shown)
    return shown if len(letters) <= 1 or cell_width(shown) <= 12 else "".join(letters[:12])


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    return _first(json_access.mapping(value), ("title", "text", "label", "name", "body", "payload", "id"))


def _first(said: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((text for name in names if (text := json_access.text(said.get(name)))), "")


def _number(said: Mapping[str, Any], names: Sequence[str]) -> float | None:
    return next((number for name in names if (number := json_access.number(said.get(name))) is not None), None)


MAX_LINK_LENGTH = 2_000
"""Characters."""

_LINK = r"(?i)https?://[^\s<>\"'`\\^{}|\x00-\x20\x7f-\x9f]+"
_NUMBER = r"""(?x)
    \+\d(?:[ ().-]{0,2}\d){5,14}\b                          # a phone number
    | (?<![\d+])\(?0\d{1,3}\)?(?:[ .-]?\d){5,11}\b
    | (?<![A-Za-z0-9_.,/:+]) (?<![A-Za-z0-9_]-)              # an order, an id
      (?!(?:19|20)\d\d(?:-\d\d?-\d\d?)?(?![\w-]))          # and no year or date
      (?:[A-Za-z]{1,6}-?)?\d{4,}(?:-\d+)*(?![A-Za-z0-9_/]|[.,:]\d)
    """
MAX_COPYABLE = 8
"""The most parts of a message that are offered to be copied: a digit for each, and one for all of it."""

_HOST = r"(?i)[a-z0-9._-]+|[0-9a-f:.]+"
_ENDS = ".,;:!?…،؛؟。、"
_BRACKETS = {")": "(", "]": "[", "»": "«", "”": "“", "’": "‘"}


def links_in(raw: Json) -> list[str]:
    """Return the links of a message, its translations and attachments, each once, in order."""
    texts = [message_text(raw), *(words for _, words in translations(raw)), *links(raw)]
    found = (
        link for text in texts for each in re.findall(_LINK, text) if (link := _openable(_strip_punctuation(each)))
    )
    return list(dict.fromkeys(found))


def copyable_parts(raw: Json) -> list[str]:
    """Return the numbers and links of a message in order, to be copied alone; none if it is just one of them."""
    text, found = message_text(raw), links_in(raw)
    places = {link: at if (at := text.find(link)) >= 0 else len(text) for link in found}
    for number in re.finditer(_NUMBER, re.sub(_LINK, lambda link: " " * len(link.group()), text)):
        places.setdefault(number.group(), number.start())
    parts = sorted(places, key=lambda part: places[part])[:MAX_COPYABLE]
    return [] if parts == [text.strip()] else parts


def warnings(link: str) -> list[SafeText]:
    parts = urlsplit(link)
    found = []
    if parts.scheme == "http":
        found.append(trusted("This link isn't encrypted (http)."))
    if parts.username is not None:
        found.append(
            trusted(f"The text before the @ isn't the site; this leads to {show_line(parts.hostname, 200).text}.")
        )
    if any(label.startswith("xn--") for label in (parts.hostname or "").split(".")):
        found.append(trusted("The site's name has letters other than a to z; check it closely."))
    return found


def _address(url: str) -> str:
    """Return a whole text as a link; empty where it isn't one."""
    return _openable(url) if re.fullmatch(_LINK, url) else ""


def _strip_punctuation(link: str) -> str:
    """Cut the punctuation that ends the sentence, and a bracket that was opened before the link."""
    while link:
        last = link[-1]
        if last in _ENDS or (last in _BRACKETS and link.count(last) > link.count(_BRACKETS[last])):
            link = link[:-1]
            continue
        break
    return link


def _openable(link: str) -> str:
    """Return the link with its host in ASCII and without invisible characters; empty where it is no link."""
    if len(link) > MAX_LINK_LENGTH:
        return ""
    try:
        parts = urlsplit(link)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = parts.port
    except ValueError:  # a bad port, bad brackets, or a host that can't be written so
        return ""
    if not re.fullmatch(_HOST, host) or parts.scheme.lower() not in ("http", "https"):
        return ""
    user = f"{_ascii(parts.netloc.rpartition('@')[0])}@" if "@" in parts.netloc else ""
    place = f"[{host}]" if ":" in host else host
    at = f"{user}{place}{'' if port is None else f':{port}'}"
    return urlunsplit((parts.scheme.lower(), at, *map(_ascii, (parts.path, parts.query, parts.fragment))))


def _ascii(text: str) -> str:
    return "".join(_escaped(text))


def _escaped(text: str) -> Iterable[str]:
    for sign in text:
        if "!" <= sign <= "~":
            yield sign
        else:
            yield "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))


MAX_LENGTH = 1_000_000
MAX_LINES = 20_000
MAX_PART = 2_000
"""Characters of an attachment's description, a caption or a choice."""


class MessageExtra(NamedTuple):
    """What a message has besides its text, such as an attachment.

    Attributes:
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
    for each, link in attachments(raw):
        yield MessageExtra("Attachment", (show_line(each, MAX_PART).text,), link)
    for each in captions(raw):
        yield MessageExtra("Caption", _whole(each, most))
    texts, choices = rich_content(raw)
    for each in texts:
        yield MessageExtra("Content", _whole(each, most))
    if choices:
        yield MessageExtra("Choices", tuple(show_line(each, MAX_PART).text for each in choices))
    for language, each in translations(raw):
        name = f"Translation ({show_line(language, 20).text})" if language else "Translation"
        yield MessageExtra(name, _whole(each, most))
    given = tuple(_reaction_words(sign, count, whose, parties) for sign, count, whose in reactions(raw))
    if given:
        yield MessageExtra("Reactions", given)
    elif raw.get("hasReaction"):
        yield MessageExtra("Reactions", ("not included in the platform's response",))
    if why := reason(raw):
        more = details(raw)
        yield MessageExtra(
            "Error", tuple(show_line(each, MAX_PART).text for each in dict.fromkeys((why, more)) if each)
        )


def _whole(text: object, most: tuple[int, int]) -> tuple[str, ...]:
    return tuple(each.text for each in body_lines(text, *most))


def _reaction_words(sign: str, count: int, whose: Sequence[str], parties: Parties) -> str:
    names = ", ".join(show_line(parties.name(each), 200).text for each in whose)
    many = f" x{count}" if count > 1 and count != len(whose) else ""
    return f"{sign or '?'}{many}{f' by {names}' if names else ''}"
