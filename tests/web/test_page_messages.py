"""What the page does besides painting is read from the program's bytes, wherever they are cut."""

import base64

import pytest

from frontdesk.web.server import MAX_SEQUENCE_BYTES, PageMessage, PageMessageReader
from frontdesk_lines.display_text import trusted
from frontdesk_lines.textual_compat import escape_sequences
from frontdesk_lines.textual_compat.escape_sequences import Multiplexer

PAINTED = "\x1b[2;1H\x1b[1mעברית 👍\x1b[0m"


def read(*parts: str | bytes) -> list[PageMessage]:
    reader = PageMessageReader()
    return [each for part in parts for each in reader.feed(part if isinstance(part, bytes) else part.encode())]


def link(url: str) -> str:
    return escape_sequences.open_link(url)


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        (escape_sequences.title(trusted("(2) frontdesk · demo")), ["title", "(2) frontdesk · demo"]),
        (
            escape_sequences.notification("osc9", trusted("Dana"), trusted("hello"), Multiplexer.NONE),
            ["notify", "Dana: hello"],
        ),
        (
            escape_sequences.notification("osc777", trusted("Dana"), trusted("hello"), Multiplexer.NONE),
            ["notify", "Dana: hello"],
        ),
        (link("https://a.example/?q=1;2"), ["link", "https://a.example/?q=1;2"]),
    ],
)
def test_each_sequence_of_the_screens_is_read_at_any_cut(sequence: str, message: PageMessage) -> None:
    data = f"{PAINTED}{sequence}{PAINTED}".encode()
    for cut in range(len(data)):
        assert read(data[:cut], data[cut:]) == [message]
    assert read(*(bytes([each]) for each in data)) == [message]


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://", "x", "", "http://[", "//a"],
)
def test_nothing_but_a_web_address_is_a_link(url: str) -> None:
    assert read(link(url)) == []


@pytest.mark.parametrize("encoded", ["", "%", "aHR0cHM6Ly9h\n", base64.b64encode(b"https://a/\xff").decode()])
def test_a_link_that_cannot_be_read_is_none(encoded: str) -> None:
    assert read(f"\x1b]1337;OpenURL=:{encoded}\a") == []


def test_copied_text_and_paint_are_left_to_the_terminal() -> None:
    assert read(PAINTED, escape_sequences.clipboard("x" * 50_000, Multiplexer.NONE) or "", "\x1b]0") == []


def test_a_sequence_without_an_end_is_given_up() -> None:
    assert read("\x1b]2;", *["x" * 1000] * (MAX_SEQUENCE_BYTES // 1000), "\x1b]2;title\a") == [["title", "title"]]
