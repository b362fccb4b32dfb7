"""`frontdesk messages export`: all pages from the platform, a part of them, a failure halfway, and files."""

import json
import os
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.cli.errors import CommandFailed
from frontdesk.inbox.cli.export import parse_span
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ServerError
from frontdesk_api.contract.decode import Page

NOW = datetime(2026, 11, 27, 15, tzinfo=UTC)
LINE = "442079460018"


@pytest.fixture
def thread(service: SandboxService) -> tuple[str, str]:
    """A thread of 120 messages, a minute each: more than a page."""
    for number in range(120):
        service.control("messages", sent(number))
    return LINE, "export-customer"


def sent(number: int) -> dict[str, Any]:
    at = 1_790_000_000_000 + number * 60_000
    return {
        "messageId": f"export-{number:03}",
        "sender": "export-customer",
        "receiver": LINE,
        "message": f"words {number:03}",
        "messageDirection": "incoming",
        "createdAt": at,
    }


def test_all_pages_are_exported_oldest_first(frontdesk: Frontdesk, thread: tuple[str, str]) -> None:
    out = frontdesk("messages", "export", *thread, "--markdown").out
    found = [line for line in out.splitlines() if line.startswith("words ")]
    assert found == [f"words {number:03}" for number in range(120)]
    assert "The whole conversation, as of the last load." in out
    assert "*The conversation starts here.*" in out
    page = frontdesk("messages", "export", *thread, "--html").out
    assert page.startswith("<!doctype html>")
    assert page.count("<article") == 120


def test_a_part_is_chosen_and_told(frontdesk: Frontdesk, thread: tuple[str, str]) -> None:
    start, end = (json.dumps(1_790_000_000 + number * 60) for number in (30, 40))
    out = frontdesk("messages", "export", *thread, "--markdown", "--from", start, "--to", end).out
    found = [line for line in out.splitlines() if line.startswith("words ")]
    assert found == [f"words {number:03}" for number in range(30, 40)]
    assert "A part of the conversation, as chosen." in out
    assert out.count("Left out\\: messages") == 2


def test_a_failure_halfway_leaves_a_gap_and_its_status(
    frontdesk: Frontdesk, thread: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = PlatformClient.iter_message_pages

    async def first_page(self: PlatformClient, query: Any) -> AsyncIterator[Page[Any]]:
        async for page in whole(self, query):
            yield page
            raise ServerError("the platform has a problem <b>here</b>", status=503)

    monkeypatch.setattr(PlatformClient, "iter_message_pages", first_page)
    path = tmp_path / "thread.html"
    said = frontdesk.fails(4, "messages", "export", *thread, "--html", "--file", str(path))
    assert "messages exported, the older ones are missing" in said
    page = path.read_text()
    assert "not loaded here: before" in page
    assert "has a problem &lt;b&gt;here&lt;/b&gt;" in page
    assert "words 119" in page
    assert "words 000" not in page
    assert "Not the whole conversation" in page


def test_without_any_page_nothing_is_written(
    frontdesk: Frontdesk, service: SandboxService, tmp_path: Path
) -> None:
    service.faults({"path": "getMessages", "kind": "status", "status": 403, "times": 5})
    path = tmp_path / "thread.md"
    frontdesk.fails(3, "messages", "export", LINE, "anyone", "--markdown", "--file", str(path))
    assert not path.exists()


def test_a_file_is_private_and_never_overwritten_without_being_told(
    frontdesk: Frontdesk, thread: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "thread.md"
    typed = frontdesk("messages", "export", *thread, "--markdown", "--file", str(path))
    assert typed.out == f"Exported the conversation with export-customer to {path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("mine")
    assert "use --force" in frontdesk.fails(2, "messages", "export", *thread, "--html", "--file", str(path))
    assert path.read_text() == "mine"
    assert frontdesk("messages", "export", *thread, "--html", "--file", str(path), "--force").status == 0
    assert path.read_text().startswith("<!doctype html>")
    link = tmp_path / "link.md"
    os.symlink(tmp_path / "gone", link)
    frontdesk.fails(2, "messages", "export", *thread, "--markdown", "--file", str(link))
    assert "couldn't write" in frontdesk.fails(
        2, "messages", "export", *thread, "--markdown", "--file", str(tmp_path / "no" / "x.md")
    )


def test_a_conversation_that_was_loaded_is_found_by_its_id_or_number(
    frontdesk: Frontdesk, thread: tuple[str, str]
) -> None:
    def fill(db: Any) -> None:
        db.execute(
            "INSERT INTO conversations (conversation_id, line_id, customer_id, name, number)"
            " VALUES (?, ?, 'export-customer', 'Dana [x](http://y)', '+44 20 7946 0999')",
            ("the-conversation", LINE),
        )

    with frontdesk.store() as store:
        store.write(fill).result()
    for typed in ("the-conversation", "+44 20 7946 0999"):
        out = frontdesk("messages", "export", typed, "--markdown").out
        assert out.startswith(r"# Conversation with Dana \[x\]\(http\://y\)"), typed
        assert "words 119" in out
    said = frontdesk.fails(2, "messages", "export", "+1 234 567 8901", "--markdown")
    assert "no conversation loaded so far has the id or number" in said


def stored(frontdesk: Frontdesk, *customers: str, line: str = LINE) -> None:
    def fill(db: Any) -> None:
        for each in customers:
            db.execute(
                "INSERT INTO conversations (conversation_id, line_id, customer_id) VALUES (?, ?, ?)",
                (f"{line}#{each}", line, each),
            )

    with frontdesk.store() as store:
        store.write(fill).result()


def test_a_national_number_is_of_the_customer_who_is_stored(frontdesk: Frontdesk, service: SandboxService) -> None:
    service.control("messages", sent(1) | {"sender": "972536022473"})
    stored(frontdesk, "972536022473")
    assert "words 001" in frontdesk("messages", "list", LINE, "053-602-2473").out
    assert "words 001" in frontdesk("messages", "export", LINE, "+972 53-602-2473", "--markdown").out
    stored(frontdesk, "44536022473")
    why = frontdesk.fails(2, "messages", "list", LINE, "053-602-2473")
    assert "may be 44536022473, 972536022473; write the number with its calling code" in why


def test_no_messages_is_said_only_of_a_conversation_that_is_known(frontdesk: Frontdesk) -> None:
    unknown = f"The platform has no messages between {LINE} and 447955500010, and no such conversation is stored"
    assert frontdesk("messages", "list", LINE, "079 5550 0010").out.startswith(unknown)
    assert frontdesk("messages", "list", LINE, "447955500010", "--json").out == ""
    assert unknown in frontdesk.fails(2, "messages", "export", LINE, "07955 500010", "--markdown")
    stored(frontdesk, "447955500010")
    assert frontdesk("messages", "list", LINE, "07955 500010").out == "No messages.\n"
    assert "No messages." in frontdesk("messages", "export", LINE, "447955500010", "--markdown").out
    assert "has no calling code" in frontdesk.fails(2, "messages", "list", "page-17", "07955 500010")


@pytest.mark.parametrize("options", [(), ("--markdown", "--html")])
def test_one_form_is_chosen(frontdesk: Frontdesk, options: tuple[str, ...]) -> None:
    assert "choose one of --markdown and --html" in frontdesk.fails(2, "messages", "export", "L", "C", *options)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("yesterday", "yesterday"), ("2026-11-26T00:00", "2026-11-27T00:00")),
        (("2026-11-03T09:30", "2026-11-03T11:30+01:00"), ("2026-11-03T09:30", "2026-11-03T10:30")),
        (("1790000000", "3 nov"), ("2026-09-21T14:13:20", "2026-11-04T00:00")),
    ],
)
def test_days_are_whole_and_times_exact(words: tuple[str, str], expected: tuple[str, str]) -> None:
    span = parse_span(*words, NOW)
    assert (span.start, span.end) == tuple(
        datetime.fromisoformat(each).replace(tzinfo=UTC).timestamp() for each in expected
    )


@pytest.mark.parametrize(
    "words",
    [("99:99", ""), ("", "99"), ("today", "yesterday"), ("2026-11-03T99:00", ""), ("", "beginning")],
)
def test_a_time_that_is_none_is_refused(words: tuple[str, str]) -> None:
    with pytest.raises(CommandFailed):
        parse_span(*words, NOW)
