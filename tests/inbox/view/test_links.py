"""Links are only what is one, shown as the network knows them, with what may not be what it seems."""

import pytest
from hypothesis import given

from examples import few
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view.message import MessageEntry, full_message_lines
from frontdesk.inbox.view.message_parts import copyable_parts, links_in, message_text, warnings
from frontdesk.inbox.view.parties import Parties
from frontdesk.storage.records import Json, MessagePosition
from frontdesk_api.contract.ids import MessageId
from sample_records import MESSAGES, NOW, TEXTS, VIEW, message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/x?y=1#z.", ["https://a.example/x?y=1#z"]),
        ("(https://a.example/x_(y)) and http://b.example", ["https://a.example/x_(y)", "http://b.example"]),
        ("twice https://a.example https://a.example", ["https://a.example"]),
        ("HTTPS://A.example/Path", ["https://a.example/Path"]),
        ("http://аpple.com/verify", ["http://xn--pple-43d.com/verify"]),
        ("https://a.example/שלום", ["https://a.example/%D7%A9%D7%9C%D7%95%D7%9D"]),
        ("https://a.example/\u202egnp.exe", ["https://a.example/%E2%80%AEgnp.exe"]),
        ("https://[::1]:8080/x", ["https://[::1]:8080/x"]),
        ("javascript:alert(1) file:///etc/passwd ftp://x.example data:text/html,x", []),
        ("https:// http://:80 https://a..b https://x.example:99999/", []),
        ("https://" + "a" * 3_000, []),
        ("https://a.example/\x1b]0;x\x07", ["https://a.example/"]),
    ],
)
def test_only_links_of_the_web_are_found(text: str, found: list[str]) -> None:
    assert links_in({"message": text}) == found


def test_links_of_attachments_and_translations_are_found() -> None:
    raw = {
        "message": "look",
        "attachment": {"url": "https://a.example/f.pdf"},
        "translation": {"text": "see https://b.example"},
    }
    assert links_in(raw) == ["https://b.example", "https://a.example/f.pdf"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("order 12514, see https://a.example/x/99887 please", ["12514", "https://a.example/x/99887"]),
        ("https://a.example/x and #12514 and 12514", ["https://a.example/x", "12514"]),
        ("call +972 52-123-4567 or 052-123-4567.", ["+972 52-123-4567", "052-123-4567"]),
        ("invoice AB-12514 of RMA2026001", ["AB-12514", "RMA2026001"]),
        ("הזמנה ל-12514, ١٢٥١٤", ["12514", "١٢٥١٤"]),
        ("parcel 1234-5678-9012", ["1234-5678-9012"]),
        ("Friday 2026-11-29 at 14:30, for 120 people, 1,250.00 or 1250.50 in 2026", []),
        ("12514", []),
        ("https://a.example/x", []),
        ("no number here", []),
        (" ".join(str(each) for each in range(4_000, 4_020)), [str(each) for each in range(4_000, 4_008)]),
    ],
)
def test_numbers_and_links_are_offered_to_be_copied_alone(text: str, found: list[str]) -> None:
    assert copyable_parts({"message": text}) == found


def test_the_address_of_an_attachment_is_offered_last() -> None:
    raw = {"message": "order 12514", "attachment": {"url": "https://a.example/f.pdf"}}
    assert copyable_parts(raw) == ["12514", "https://a.example/f.pdf"]


@few
@given(TEXTS)
def test_each_part_is_in_the_message_or_one_of_its_links(text: str) -> None:
    raw = {"message": f"{text} 12514 {text}"}
    assert all(part in raw["message"] or part in links_in(raw) for part in copyable_parts(raw))


def test_what_may_deceive_is_said() -> None:
    assert [each.text for each in warnings("https://a.example/")] == []
    assert "isn't encrypted" in warnings("http://a.example/")[0].text
    assert "leads to evil.example" in warnings("https://bank.example@evil.example/")[0].text
    assert "letters other than a to z" in warnings("https://xn--pple-43d.com/")[0].text


@few
@given(TEXTS)
def test_a_link_is_plain_and_harmless(text: str) -> None:
    for link in links_in({"message": f"https://a.example/{text} http://{text}"}):
        assert link.isascii()
        assert link.isprintable()
        assert " " not in link
        assert link.startswith(("http://", "https://"))


def whole(raw: Json, **answers: str) -> str:
    record = MessageRecord(MessagePosition(NOW * 1000, MessageId("m1")), raw)
    asked = message(0, message="what was asked") if answers else None
    entry = MessageEntry(record, True, answers.get("id", ""), asked)
    return "\n".join(line.text for line in full_message_lines(entry, VIEW, Parties("Dana", frozenset({"C1"}))))


def test_a_message_is_told_whole() -> None:
    raw = {
        "messageId": "m1",
        "messageDirection": "outgoing",
        "initiator": "person",
        "agentIdentification": {"name": "Yael Mizrahi"},
        "receiver": "C1",
        "status": "failed",
        "error": {"code": 131026, "error_data": {"details": "the long words"}},
        "message": "first\nsecond " + "long " * 10_000,
        "translation": {"language": "en", "text": "meant"},
        "reactions": [{"emoji": "👍", "from": "C1"}],
    }
    said = whole(raw, id="m0")
    for part in (
        "From       Yael Mizrahi",
        "To         Dana",
        "Status     failed",
        "Reason     can't be delivered to this number (131026)",
        "Details    the long words",
        "Reactions  👍 Dana",
        "  what was asked",
        "first\nsecond long",
        "Translation (en)\n  meant",
    ):
        assert part in said
    assert said.count("long ") > 9_999
    assert message_text(raw) == raw["message"]


@few
@given(MESSAGES)
def test_any_message_can_be_told_whole_and_looked_through_for_links(raw: Json) -> None:
    said = whole(raw)
    assert "\x1b" not in said
    links_in(raw)
