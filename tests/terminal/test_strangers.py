"""What strangers write is shown and never obeyed, in a real terminal.

Textual's line filters are internal to it: this fails when an upgrade stops calling them, or when
a text takes a way past `text.py`.
"""

import re
from pathlib import Path

import pytest

from frontdesk_sandbox import fixtures
from terminal.conftest import Open
from terminal.service import Home, Service
from terminal.terminal import ENTER, Terminal

pytestmark = [pytest.mark.pty, pytest.mark.xdist_group("pty")]

LINE = fixtures.LINES[2].id

# Each with something in it that no program sends by itself.
SEQUENCES = {
    "clipboard": "\x1b]52;c;RVZJTA==\x07",
    "clipboard, other end": "\x1b]52;c;RVZJTDI=\x1b\\",
    "title": "\x1b]0;OWNED\x07",
    "title in C1": "\x9d2;OWNED\x9c",
    "attributes": "\x1b[c",
    "attributes in C1": "\x9bc",
    "version": "\x1b[>0q",
    "cursor report": "\x1b[6n",
    "status string": "\x1bP$qm\x1b\\",
    "enquiry": "\x05",
    "reset": "\x1bc",
    "overdraw": "\x1b[7;77H\x1b[0;1J",
    "normal screen": "\x1b[?1049;7l",
    "link": "\x1b]8;;https://evil.example\x1b\\",
    "shift out": "\x0e\x0f",
    "bell, backspace, delete": "\x07\x08\x7f",
    "direction": "\u202egnp.exe\u2069\u200f",
}
MARKUP = ("[@click=app.quit]x[/]", "a [/foo] b", "[link=https://e.x]y[/link]", "[red]red[/red")

# What Textual and our strips send: colours, cursor, modes, keyboard protocol, saved cursor, pointer shape, title.
OWN = re.compile(
    r"\x1b(?:\[[<>=?]?[0-9;]*\$?[a-zA-Z]|[78]|\]22;[a-z]*(?:\x07|\x1b\\)"
    r"|\]2;(?:\(\d+\+?\) )?frontdesk · env-[\w.-]+\x07)"
)


def unsafe_characters(raw: bytes) -> set[str]:
    """Control and direction characters that are part of no sequence of our own."""
    rest = OWN.sub("", raw.decode())
    controls = {char for char in rest if (char < " " and char not in "\r\n") or "\x7f" <= char <= "\x9f"}
    return controls | set(rest) & set(
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
    )


def assert_harmless(terminal: Terminal) -> None:
    raw = bytes(terminal.raw)
    assert not unsafe_characters(raw)
    assert b"OWNED\x07" not in raw
    for name, sequence in SEQUENCES.items():
        assert sequence.encode() not in raw, name


def write_as_a_stranger(service: Service) -> None:
    """A customer whose every field attacks, with a message for each sequence."""
    everything = "".join(SEQUENCES.values())
    conversation = f"{LINE}#C-eve"
    person = {
        "phoneNumberId": "C-eve",
        "customerName": f"Eve{everything}",
        "parsedPhoneNumber": f"+1{everything}",
        "platform": f"whatsapp{everything}",
        "lastActiveAt": 4_000_000_000_000,
    }
    for place, title in enumerate((f"Title {everything}", *MARKUP)):
        service.ask(
            "POST",
            "/sandbox/tasks",
            {
                "taskId": f"task-eve-{place}",
                "title": title,
                "body": everything,
                "phoneNumberId": LINE,
                "participantsIdentifiers": conversation,
                "assignedAgentIds": [f"agent{everything}"],
                "dueDate": 1_500_000_000 - place,
                "customer": person,
            },
        )
    texts = [f"here {name} {sequence} there" for name, sequence in SEQUENCES.items()] + list(MARKUP)
    service.ask(
        "POST",
        "/sandbox/messages",
        [
            {
                "messageId": f"eve-{place:02}",
                "participantsIdentifiers": conversation,
                "message": text,
                "createdAt": 1_700_000_000_000 + place * 1000,
                "messageDirection": "outgoing" if place % 2 else "incoming",
                "initiator": "person",
                "status": text,
                "agentIdentification": {"name": text},
                "attachmentBase64": {"fileName": text, "fileMimeType": text, "fileSize": 1},
                "error": {"code": 1, "title": text},
            }
            for place, text in enumerate(texts)
        ],
    )


def click(terminal: Terminal, words: str) -> None:
    """Press and release the mouse on the first place where these words are."""
    row = next(place for place, line in enumerate(terminal.screen.display) if words in line)
    column = terminal.screen.display[row].index(words) + 1
    for end in "Mm":
        terminal.press(f"\x1b[<0;{column + 1};{row + 1}{end}")


def test_nothing_that_a_stranger_wrote_reaches_the_terminal_as_anything_but_text(
    opened: Open, own_service: Service, home: Home, business: tuple[Path, Path]
) -> None:
    home.fill(own_service, business[1])
    write_as_a_stranger(own_service)
    terminal = opened(at=own_service, columns=150, rows=45)
    terminal.wait_for("● live")
    terminal.press("/")
    terminal.wait_for("is:unread")
    terminal.press(*"Eve")
    terminal.wait_for(r"Eve␛\]52")
    terminal.press_and_settle(ENTER)
    terminal.press("g")  # she may have come after the first match was found
    terminal.wait_for(r"▌ (?:\S )?Eve␛\]52")
    terminal.wait_for(r"╭─ Eve␛\]52;c;RVZJTA==␇")
    terminal.wait_for("here direction gnp.exe there")
    terminal.wait_for(r"│▌ (?:\S )?\[red\]red\[/red")
    terminal.press_and_settle(ENTER)
    terminal.press("g")
    terminal.wait_for(r"here clipboard ␛\]52;c;RVZJTA==␇ there")
    for words in MARKUP:
        terminal.wait_for(re.escape(words))
        click(terminal, words)
    terminal.wait_for_quiet(0.3)

    for key, shown in (("i", "RVZJTA"), ("s", "Status · "), ("d", "Due · "), ("t", "Tag · "), ("a", "Assign · ")):
        terminal.press(key)
        terminal.wait_for(shown)
        terminal.press_escape()
        terminal.wait_for(lambda shown=shown: shown not in terminal.text or shown == "RVZJTA")
        terminal.wait_for_quiet(0.2)
    terminal.press("c")
    terminal.wait_for(r"Completed (.|\n)*u undo")
    terminal.press("y")
    terminal.wait_for("Copied")
    terminal.press("2")
    terminal.wait_for(r"\[@click=app.quit\]x\[/\]")
    click(terminal, MARKUP[0])
    terminal.press("6")
    terminal.wait_for("Activity · ")
    terminal.wait_for("Status: Completed")
    terminal.press("1")
    terminal.wait_for(lambda: "Conversations" in terminal.text and "⇅" not in terminal.text)
    terminal.press("\x11")  # asks nothing, as everything is sent
    assert terminal.wait_for_end() == 0
    copied = re.findall(rb"\x1b\]52;c;[^\x07\x1b]*\x07", bytes(terminal.raw))
    assert len(copied) == 1, "our own copy of the customer's number, and no other"
    terminal.raw[:] = terminal.raw.replace(copied[0], b"")
    assert_harmless(terminal)


@pytest.mark.parametrize(
    "arguments",
    [("tasks", "list", "--limit", "6"), ("tasks", "show", "task-eve-0"), ("messages", "list", LINE, "C-eve")],
    ids=" ".join,
)
def test_tables_of_the_command_line_are_as_careful(
    opened: Open, own_service: Service, home: Home, arguments: tuple[str, ...]
) -> None:
    write_as_a_stranger(own_service)
    terminal = opened(*arguments, at=own_service, columns=200, rows=60)
    assert terminal.wait_for_end() == 0
    assert b"RVZJTA==" in terminal.raw
    assert_harmless(terminal)
