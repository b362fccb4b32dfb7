"""What a tab's page does besides painting: its title, notifications and links, found in what the program writes.

The page's terminal ignores these sequences (OSC), and page.js can't ask it for them; so the server reads them on
their way and sends each as JSON beside the bytes. Copied text needs none of this: the terminal handles OSC 52.
"""

import base64
import binascii
import re
from urllib.parse import urlsplit

PageMessage = list[str]
"""`["title", text]`, `["notify", text]` or `["link", url]`."""

MAX_SEQUENCE_BYTES = 1 << 17
"""A longer sequence is left alone; the longest of the screens is a copied text of 75 kB."""

MAX_LINK_CHARACTERS = 8192

_SEQUENCE = re.compile(rb"\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)")


class PageMessageReader:
    """Reads the messages out of a program's bytes, which may be cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[PageMessage]:
        """Return the messages of the sequences that these bytes complete."""
        data = self._rest + data
        messages, end = [], 0
        for found in _SEQUENCE.finditer(data):
            end = found.end()
            if message := _message(found[1].decode(errors="replace")):
                messages.append(message)
        begun = data.find(b"\x1b]", end)
        if begun >= 0 and len(data) - begun <= MAX_SEQUENCE_BYTES:
            self._rest = data[begun:]
        else:
            self._rest = b"\x1b" if data.endswith(b"\x1b") else b""
        return messages


def _message(sequence: str) -> PageMessage | None:
    number, _, text = sequence.partition(";")
    if number in ("0", "2"):
        return ["title", text]
    if number == "9":
        return ["notify", text]
    if number == "777" and text.startswith("notify;"):
        return ["notify", ": ".join(part for part in text.split(";")[1:] if part)]
    if number == "1337" and text.startswith("OpenURL=:"):
        url = _link(text.removeprefix("OpenURL=:"))
        return None if url is None else ["link", url]
    return None


def _link(encoded: str) -> str | None:
    """Return the web address of a link; None for anything else, such as a script."""
    try:
        url = base64.b64decode(encoded, validate=True).decode()
        parts = urlsplit(url)
    except (binascii.Error, ValueError):
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
    return url if is_web and len(url) <= MAX_LINK_CHARACTERS else None
