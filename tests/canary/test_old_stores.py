"""A store from before may hold credentials: what reads it shows none, on a screen, in lines or in a file."""

import logging

import pytest
from rich.segment import Segment
from textual.color import Color

from canary.echo_server import BEARER, COOKIE, KEY, leaks
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tui.clipboard import clean_text, copy
from frontdesk.tui.crash_report import crash_lines
from frontdesk_api.credentials import CredentialSet, Secret, remember
from frontdesk_api.redaction import HIDDEN
from frontdesk_lines.content import SafetyFilter
from frontdesk_lines.display_text import CleanLines, body_lines, clean_stray_logs, show_line, trusted
from frontdesk_lines.textual_compat import escape_sequences
from kit import running
from linear.running_session import Desktop
from sample_json import raw_task
from tui.hosts import quiet
from tui.screen_text import screen_text

pytestmark = pytest.mark.anyio
ECHO = f"Refused: Cookie: {COOKIE} x-api-key: {KEY} Authorization: Bearer {BEARER}"
HEALTH = Health(Connection.REFUSED, ECHO, 1_700_000_000.0, 1_700_000_000.0)


@pytest.fixture(autouse=True)
def known() -> None:
    remember(CredentialSet(Secret(COOKIE), Secret(KEY), Secret(BEARER)))


@pytest.mark.parametrize("limit", range(20, 200, 7))
def test_a_text_that_is_cut_shows_no_half_of_a_credential(limit: int) -> None:
    assert "anary" not in show_line(ECHO, limit).text.lower()
    assert "anary" not in "".join(line.text for line in body_lines(ECHO, limit)).lower()


@pytest.mark.slow
async def test_a_screen_and_its_clipboard_show_no_credential(
    store: Store, wire: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    raws = [raw_task(1, title=ECHO, body=ECHO, customer={"phoneNumberId": "C1", "customerName": KEY})]
    async with running(store, *raws) as at:
        store.write(lambda db: clients.write_health(db, HEALTH)).result()
        await quiet(at.app)
        seen = []
        for keys in (("enter",), ("2",), ("enter",), ("6",), ("1", "slash", *"Refused")):
            await at.press(*keys)
            await quiet(at.app)
            seen.append(screen_text(at.app))
        copy(at.app, ECHO, trusted("the text"))
        await quiet(at.app)
    frames = "\n".join(seen)
    assert HIDDEN in frames
    assert not leaks(frames)
    assert not leaks("".join(wire))


def test_lines_show_no_credential(at: Desktop) -> None:
    at.change(lambda db: task_store.put(db, [raw_task(1, title=ECHO, body=ECHO)]))
    at.change(lambda db: clients.write_health(db, HEALTH))
    said = at.say("list", "open 1", "connection", "activity")
    assert HIDDEN in said
    assert not leaks(said)


def test_a_crash_report_shows_no_credential() -> None:
    try:
        raise RuntimeError(ECHO)
    except RuntimeError as error:
        lines = "\n".join(crash_lines(error))
    assert HIDDEN in lines
    assert not leaks(lines)


def test_what_is_copied_or_notified_holds_no_credential() -> None:
    inside = escape_sequences.Multiplexer.NONE
    assert HIDDEN in clean_text(ECHO)
    assert not leaks(escape_sequences.clipboard(clean_text(ECHO), inside) or "")
    assert not leaks(escape_sequences.notification("osc9", show_line(KEY), show_line(ECHO), inside))


def test_the_last_filter_finds_a_credential_in_pieces_and_keeps_the_width() -> None:
    line = [Segment("say "), Segment(KEY[:7]), Segment(KEY[7:]), Segment(" twice")]
    out = SafetyFilter().apply(line, Color(0, 0, 0))
    text = "".join(segment.text for segment in out)
    assert text == f"say {HIDDEN} twice"[: sum(segment.cell_length for segment in line)]
    assert len(text) == sum(segment.cell_length for segment in line)
    untouched = [Segment("say "), Segment("nothing")]
    assert SafetyFilter().apply(untouched, Color(0, 0, 0)) is untouched


def test_a_log_line_holds_no_credential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "lastResort", logging.StreamHandler())
    clean_stray_logs()
    assert logging.lastResort is not None
    record = logging.LogRecord("frontdesk", logging.WARNING, "", 0, "it failed: %s\x1b[2J", (ECHO,), None)
    for text in (logging.lastResort.format(record), CleanLines("%(message)s").format(record)):
        assert HIDDEN in text
        assert "\x1b" not in text
        assert not leaks(text)
