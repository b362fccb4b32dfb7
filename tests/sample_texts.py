"""Texts that strangers write, and what lines of them say."""

from collections.abc import Iterable

from hypothesis import strategies as st

from frontdesk_lines.lines import Line


def words(*lines: Line) -> str:
    """What lines say."""
    return "\n".join("".join(part.text.text for part in line) for line in lines)


def assert_harmless(lines: Iterable[Line]) -> None:
    """No control character, bidi override or surrogate is in these lines."""
    for char in words(*lines).replace("\n", ""):
        assert ord(char) >= 0x20
        assert not 0x7F <= ord(char) < 0xA0
        assert not 0x202A <= ord(char) <= 0x202E
        assert not 0xD800 <= ord(char) <= 0xDFFF


# What strangers write when they mean harm, or just write in their own script.
NASTY = (
    "\x1b]52;c;RVZJTA==\x07",
    "\x1b[c",
    "\x9d0;title\x9c",
    "\x1b[2J\x00\x7f\t\r\n\x0b",
    "[@click=app.quit]x[/]",
    "a [/foo] b",
    "\u202egnp.exe\u202c",
    "\u2066\u200f\u061c",
    "שלום עולם, 10433",
    "مرحبا بالعالم",
    "سَلَامٌ 👋",
    "abc שלום def مرحبا 12:30",
    "e\u0301" + "\u0301" * 30,
    "\u0301",
    "\u0301starts with a mark",
    "\ufe0f",
    "❤\ufe0f",
    "\u200d",
    "\u200d👩",
    "\u0647\u200d 1448",
    "👨\u200d👩\u200d👧\u200d👦",
    "🇪🇸🇮🇱",
    "🇪",
    "👍🏽",
    "🏽",
    "漢字かな",
    "한국어",
    "\u1100\u1161\u11a8",
    "नमस्ते दुनिया",
    "ไทย",
    "\u3164\u115f\u2800",
    "ﷺ﷽",
    "𒐫",
    "x" * 500,
    "ש" * 300,
    "a\u2028b\u2029c\u0085d",
    "\ud800",
    "\U000e0041",
)
CHARACTERS = st.characters()  # lone surrogates too
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(CHARACTERS, max_size=30),
    st.lists(st.sampled_from(NASTY) | st.text(CHARACTERS, max_size=6), max_size=4).map("".join),
)
WIDTHS = st.integers(1, 200)
