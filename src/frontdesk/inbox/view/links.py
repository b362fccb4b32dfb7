"""Find the links of a message, and the warnings before one is opened.

Only http and https are links; a host in look-alike letters is shown as the network knows it.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from frontdesk.inbox.view import message_parts
from frontdesk.inbox.view.message import text_of
from frontdesk.storage.records import Json
from frontdesk.text.display_text import SafeText, show_line, trusted

MAX_LINK_LENGTH = 2_000
"""Characters."""

_LINK = re.compile(r"https?://[^\s<>\"'`\\^{}|\x00-\x20\x7f-\x9f]+", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+", re.IGNORECASE)
_ENDS = ".,;:!?…،؛؟。、"
_BRACKETS = {")": "(", "]": "[", "»": "«", "”": "“", "’": "‘"}


def links_in(raw: Json) -> list[str]:
    """Return the links of a message, its translations and attachments, each once, in order."""
    texts = [text_of(raw), *(words for _, words in message_parts.translations(raw)), *message_parts.links(raw)]
    found = (
        link for text in texts for each in _LINK.findall(text) if (link := _openable(_strip_punctuation(each)))
    )
    return list(dict.fromkeys(found))


def warnings(link: str) -> list[SafeText]:
    """Return what may be unsafe about a link."""
    parts = urlsplit(link)
    found = []
    if parts.scheme == "http":
        found.append(trusted("It is not encrypted (http)."))
    if parts.username is not None:
        found.append(
            trusted(f"What stands before the @ is no host; it leads to {show_line(parts.hostname, 200).text}.")
        )
    if any(label.startswith("xn--") for label in (parts.hostname or "").split(".")):
        found.append(trusted("Its host is written in letters beyond a to z: look at it closely."))
    return found


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
    if not _HOST.fullmatch(host) or parts.scheme.lower() not in ("http", "https"):
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
