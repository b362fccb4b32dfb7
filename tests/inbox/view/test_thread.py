"""A thread as entries and lines: days, turns, gaps, and messages of unknown kinds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.view.message import MessageEntry, MessageRenderer, answered_id
from frontdesk.inbox.view.parties import Parties, sender_name
from frontdesk.inbox.view.thread import (
    BeginningEntry,
    DayEntry,
    Entry,
    GapEntry,
    NewEntry,
    ThreadContext,
    entries,
    entry_lines,
)
from frontdesk.text import relative_time
from frontdesk_lines.copied_text import Cell, selected_text
from frontdesk_lines.lines import Line, Role
from sample_records import NOW, VIEW, at, message, words

MINUTE = 60.0
TOLD = MessageRenderer(Parties("Dana Levi", frozenset({"C1"}), frozenset({"L1"})))
ASKED = message(0, message="what was asked")


def stretch(messages: Sequence[MessageRecord], *, complete: bool) -> Segment:
    return Segment(messages[-1].key, messages[0].key, complete)


def kinds(found: Sequence[Entry]) -> list[str]:
    """The entries in short: D day, G gap, S start of what is loaded, B beginning, M opens a turn, m goes on."""
    short = []
    for entry in found:
        match entry:
            case DayEntry():
                short.append("D")
            case GapEntry(is_start=True):
                short.append("S")
            case GapEntry():
                short.append("G")
            case BeginningEntry():
                short.append("B")
            case NewEntry():
                short.append("N")
            case MessageEntry(opens=True):
                short.append("M")
            case MessageEntry():
                short.append("m")
    return short


def shown(
    *messages: MessageRecord, segments: Sequence[Segment] = (), before: MessageRecord | None = None, **more: Any
) -> str:
    return "".join(kinds(entries(messages, ThreadContext(before, segments, **more), VIEW)))


def laid(width: int = 80, **raw: Any) -> str:
    answered = answered_id(raw)
    entry = MessageEntry(message(1, **raw), answers_id=answered, answers=ASKED if answered == "m0" else None)
    return words(*entry_lines(entry, width, VIEW, TOLD))


def test_each_day_is_named_once_before_its_first_message() -> None:
    found = entries(
        [message(1, at(16, 9)), message(2, at(16, 23, 59)), message(3, at(17, 0)), message(4, at(18, 9))],
        ThreadContext(),
        VIEW,
    )
    assert "".join(kinds(found)) == "DMMDMDM"
    days = [entry_lines(each, 30, VIEW, TOLD)[0] for each in found if isinstance(each, DayEntry)]
    assert [words(day).strip("─ ") for day in days] == ["Mon 16 Nov", "Yesterday", "Today"]


def test_a_turn_is_opened_by_another_sender_and_by_nothing_else() -> None:
    bot = {"messageDirection": "outgoing", "initiator": "bot"}
    dana = {"messageDirection": "outgoing", "initiator": "person", "agentIdentification": {"name": "Dana"}}
    noa = {"messageDirection": "outgoing", "initiator": "person", "agentIdentification": {"name": "Noa"}}
    note = {**noa, "type": "note"}
    turns = [{}, {}, bot, bot, dana, noa, noa, note, noa, {}]
    messages = [message(place, NOW + place, **raw) for place, raw in enumerate(turns)]
    assert shown(*messages) == "D" + "MmMmMMmMMM"


def test_the_beginning_is_marked_where_nothing_older_exists() -> None:
    two = [message(1, NOW), message(2, NOW + 1)]
    assert shown(*two, segments=[stretch(two, complete=True)]) == "BDMm"


def test_the_start_of_what_is_loaded_says_so_where_more_exists() -> None:
    two = [message(1, NOW), message(2, NOW + 1)]
    assert shown(*two, segments=[stretch(two, complete=False)]) == "SDMm"


def test_a_window_into_what_is_stored_has_no_mark_at_its_top() -> None:
    older, newer = message(1, NOW), message(2, NOW + 1)
    for complete in (True, False):
        segments = [stretch([older, newer], complete=complete)]
        assert shown(newer, segments=segments, before=older) == "m"


def test_a_gap_stands_before_the_oldest_message_of_each_incomplete_stretch() -> None:
    oldest = [message(1, NOW), message(2, NOW + 1)]
    middle = [message(3, NOW + 10), message(4, NOW + 11)]
    newest = [message(5, NOW + 20)]
    segments = [
        stretch(newest, complete=False),
        stretch(middle, complete=False),
        stretch(oldest, complete=True),
    ]
    found = entries([*oldest, *middle, *newest], ThreadContext(None, segments), VIEW)
    assert "".join(kinds(found)) == "BDMmGMmGM"
    assert [each.before for each in found if isinstance(each, GapEntry)] == [middle[0].key, newest[0].key]


def test_a_gap_ends_a_turn_since_nobody_knows_who_wrote_in_it() -> None:
    older, newer = [message(1, NOW)], [message(2, NOW + 1)]
    assert (
        shown(*older, *newer, segments=[stretch(newer, complete=False), stretch(older, complete=True)]) == "BDMGM"
    )


def test_a_gap_and_the_start_say_which_key_loads_what_is_missing() -> None:
    key = message(1).key
    said = [words(*entry_lines(GapEntry("g", key, is_start=start), 60, VIEW, TOLD)) for start in (True, False)]
    assert said[0] != said[1]
    assert all("L load" in each for each in said)


@pytest.mark.parametrize("width", [34, 49, 55, 60, 90])
def test_the_start_says_that_the_number_of_older_messages_is_unknown(width: int) -> None:
    said = words(*entry_lines(GapEntry("g", message(1).key, is_start=True), width, VIEW, TOLD))
    assert "number unknown · L load" in said
    assert ("to a date" in said) is (width >= 55)
    assert "…" not in said


@few
@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=5), st.data())
def test_every_message_is_there_once_and_reads_alike_in_every_window(
    sizes: list[tuple[int, bool]], data: st.DataObject
) -> None:
    """Stretches from the oldest to the newest, each complete or not: only the oldest can really be complete."""
    messages: list[MessageRecord] = []
    segments: list[Segment] = []
    for size, complete in sizes:
        made = [message(len(messages) + place, NOW + 400.0 * (len(messages) + place)) for place in range(size)]
        segments.insert(0, stretch(made, complete=complete))
        messages += made
    new_from = data.draw(st.none() | st.sampled_from([each.key for each in messages]))
    found = entries(messages, ThreadContext(None, segments, new_from), VIEW)
    assert [each.record for each in found if isinstance(each, MessageEntry)] == messages
    assert len({each.key for each in found}) == len(found)
    expected = [each.oldest for each in segments[::-1] if not each.complete]
    assert [each.before for each in found if isinstance(each, GapEntry)] == expected
    for gap, after in pairwise(found):
        if isinstance(gap, GapEntry):
            assert isinstance(after, DayEntry | NewEntry | MessageEntry)
    first = data.draw(st.integers(0, len(messages) - 1))
    last = data.draw(st.integers(first, len(messages) - 1))
    before = messages[first - 1] if first else None
    window = entries(messages[first : last + 1], ThreadContext(before, segments, new_from), VIEW)
    at = found.index(window[0])
    assert found[at : at + len(window)] == window


def test_where_the_unread_ones_begin_is_marked_and_opens_a_turn() -> None:
    three = [message(place, NOW + place) for place in range(3)]
    assert shown(*three, new_from=three[1].key) == "DMNMm"
    assert shown(*three[1:], before=three[0], new_from=three[1].key) == "NMm"
    assert shown(*three[2:], before=three[1], new_from=three[1].key) == "m"
    assert "new messages" in words(*entry_lines(NewEntry("n"), 60, VIEW, TOLD))


def test_after_a_pause_the_sender_is_named_again() -> None:
    assert shown(message(1, NOW), message(2, NOW + 599), message(3, NOW + 1199)) == "DMmM"


def test_each_message_of_a_turn_can_be_told_from_the_one_before() -> None:
    _, _, second = entries([message(1, NOW), message(2, NOW + 1)], ThreadContext(), VIEW)
    assert words(*entry_lines(second, 70, VIEW, TOLD)).split()[0] == "14:30"
    assert words(*entry_lines(second, 60, VIEW, TOLD)).startswith("· words 2")


def test_a_gap_says_that_it_is_loading_and_why_it_was_not_loaded() -> None:
    one = message(1)
    segments = [stretch([one], complete=False)]

    def said(width: int = 70, **more: Any) -> str:
        (gap, *_) = entries([one], ThreadContext(None, segments, **more), VIEW)
        return words(*entry_lines(gap, width, VIEW, TOLD))

    assert "loading" in said(loading={one.key})
    assert "not loaded: offline\u2014no route · L tries again" in said(failed={one.key: "offline\u2014no route"})
    assert [line.strip(" ─") for line in said(38, failed={one.key: "no route to the host"}).splitlines()] == [
        "not loaded: no route to the host",
        "L tries again",
    ]
    assert "\x1b" not in said(failed={one.key: "\x1b[2J"})


def test_equal_times_at_a_border_are_kept_apart_by_their_ids() -> None:
    older, newer = [message(1, NOW), message(2, NOW)], [message(3, NOW)]
    segments = [stretch(newer, complete=False), stretch(older, complete=True)]
    assert shown(*older, *newer, segments=segments) == "BDMmGM"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"type": "holographic"}, "unknown message type holographic"),
        ({"type": "note"}, "internal note, not sent"),
        ({"type": "deleted", "message": "secret"}, "this message was deleted"),
        ({"message": "", "type": "default"}, "(no text)"),
        ({"message": None}, "(no text)"),
        ({"message": {"text": "in an object"}}, "in an object"),
        ({"hasAttachment": True}, "an attachment"),
        (
            {"attachmentBase64": {"fileName": "a.pdf", "fileMimeType": "application/pdf", "fileSize": 44_000}},
            "▤ a.pdf · application/pdf · 44 kB",
        ),
        ({"attachment": {"url": "https://x.example/a"}}, "▤ https://x.example/a"),
        ({"translation": {"text": "in English"}}, "≈ in English"),
        ({"translation": {"language": "en", "text": "in English"}}, "≈ en: in English"),
        ({"translation": {"en": "in English", "language": 7}}, "≈ en: in English"),
        ({"translation": "in English"}, "≈ in English"),
        ({"context": {"id": "m0"}}, "↳ Dana Levi: what was asked"),
        ({"context": {"id": "gone"}}, "↳ replies to a message that isn't loaded"),
        ({"reactions": [{"emoji": "👍"}, {"reaction": "❤"}, "x", {}]}, "👍   ❤   x   ?"),
        ({"reactions": [{"emoji": "👍", "from": "C1"}, {"emoji": "👍", "from": "L1"}]}, "👍 Dana Levi, us"),
        ({"reactions": [{"emoji": "👍", "from": "C9"}, "🙏", "🙏"]}, "👍 C9   🙏 x2"),
        ({"reactions": [{"emoji": "👍", "users": ["a", "b", "c", "d", "e"]}]}, "👍 a, b, c and 2 more"),
        ({"reactions": [{"emoji": "👍", "count": 7}]}, "👍 x7"),
        ({"hasReaction": True}, "a reaction"),
        ({"type": "forward"}, "forwarded"),
        ({"type": "aiSummary"}, "AI summary"),
        ({"type": "privateReply", "comment": {"text": "Nice!"}}, "private reply to a comment: Nice!"),
        ({"type": "commentOnPost", "comment": {"postId": "p1"}}, "comment on a post: p1"),
        ({"messageDirection": "sideways"}, "direction sideways"),
        ({"messageDirection": None}, "direction unknown"),
        ({"attachment": {"type": "audio", "duration": 75, "voice": True}}, "▤ voice · audio · 1:15"),
        ({"attachment": {"type": "video", "duration": 90_500}}, "▤ video · 1:30"),
        ({"attachment": {"type": "image", "width": 1280, "height": 720, "caption": "the box"}}, "1280x720"),
        ({"attachment": {"type": "image", "caption": "the box"}}, "the box"),
        ({"attachment": {"latitude": 32.0853, "longitude": 34.7818}}, "32.08530, 34.78180"),
        ({"attachment": "https://x.example/a.jpg"}, "▤ https://x.example/a.jpg"),
        ({"attachment": [{"name": "one.pdf"}, {"name": "two.pdf", "size": 12}]}, "▤ two.pdf · 12 B"),
        ({"attachment": {"unheard": "of"}}, "▤ an attachment"),
        ({"richContent": {"buttons": [{"title": "Yes"}, "No"]}}, "[Yes] [No]"),
        ({"richContent": {"header": {"text": "Pick"}, "sections": [{"rows": [{"title": "Red"}]}]}}, "[Red]"),
        ({"richContent": {"unheard": 1}}, "rich content with unheard"),
        ({"message": "\x1b[c"}, "␛[c"),
        ({"message": "\x1b[c"}, "▲ hidden characters made visible or removed"),
        (
            {"type": "informative", "informativeMessageType": "conversationModeSwitched"},
            "switched to or from the bot",
        ),
        ({"type": "informative", "informativeMessageType": "somethingNew", "message": ""}, "somethingNew"),
        ({"type": "informative"}, "words 1"),
    ],
)
def test_what_a_message_holds_is_said(raw: dict[str, Any], said: str) -> None:
    assert said in laid(**raw)


def test_a_deleted_message_does_not_show_what_it_said() -> None:
    assert "secret" not in laid(type="deleted", message="secret")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": 131026}, "✗ can't be delivered to this number (131026)"),
        ({"code": 131049, "title": "hidden by ours"}, "✗ the platform limits marketing messages to this customer"),
        ({"code": 7, "title": "Something new", "message": "details"}, "✗ Something new (7)"),
        ({"code": "131026"}, "✗ can't be delivered to this number (131026)"),
        ({"code": 8, "error_data": {"details": "the long words"}}, "✗ the long words (8)"),
        ({"code": True, "title": "odd"}, "✗ odd (True)"),
        ("just words", "✗ just words"),
        ({}, "✗ failed; the platform gave no reason"),
        (["a list"], "✗ failed; the platform gave no reason"),
        ({"message": "only a message"}, "✗ only a message"),
        ({"code": "E-12"}, "✗ failed (E-12)"),
        ({"anything": "else"}, "✗ failed"),
    ],
)
def test_a_failed_message_says_why(error: object, said: str) -> None:
    said_so = laid(120, messageDirection="outgoing", status="failed", error=error)
    assert said in said_so
    assert said_so.count("✗") == 1


@pytest.mark.parametrize(
    ("status", "sign"),
    [
        ("sent", "✓"),
        ("delivered", "✓✓"),
        ("read", "✓✓✓"),
        ("played", "✓✓✓"),
        ("pending", "◷"),
        ("inProcess", "◷"),
        ("scheduled", "◷"),
        ("standby", "◷"),
        ("teleported", "teleported"),
        ("\x1b[c", "␛[c"),
    ],
)
def test_a_status_is_a_sign_and_one_that_nobody_knows_is_shown_as_it_is(status: str, sign: str) -> None:
    for width in (46, 80):
        lines = laid(width, messageDirection="outgoing", status=status, message="several words " * 12).splitlines()
        assert lines[-1].endswith(f" {sign}")
        assert not any(line.endswith(sign) for line in lines[:-1])


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("failed", "failed; the platform gave no reason"),
        ("optOut", "not sent: the customer opted out"),
        ("tooManyRequests", "not sent: too many requests"),
        ("duplicateMessage", "not sent: duplicate of an earlier message"),
    ],
)
def test_what_was_not_delivered_says_so_in_words(status: str, why: str) -> None:
    for width in (60, 80):
        assert f"✗ {why}" in laid(width, messageDirection="outgoing", status=status)


def test_an_incoming_message_has_no_ticks() -> None:
    assert "✓" not in laid(messageDirection="incoming", status="read")


@pytest.mark.parametrize(
    ("raw", "who", "role"),
    [
        ({"messageDirection": "incoming"}, "Dana Levi", Role.CUSTOMER),
        ({"initiator": "person", "agentIdentification": {"name": "Noa"}}, "Noa", Role.AGENT),
        ({"initiator": "person", "agentIdentification": {"name": "Noa Ben-David"}}, "Noa", Role.AGENT),
        ({"initiator": "person", "agentIdentification": {"name": {"first": "not text"}}}, "agent", Role.AGENT),
        ({"initiator": "person", "agentIdentification": "not an object"}, "agent", Role.AGENT),
        ({"initiator": "bot"}, "bot", Role.BOT),
        ({"initiator": "ai"}, "AI", Role.BOT),
        ({"initiator": "campaign"}, "campaign", Role.BOT),
        ({"initiator": "quantum"}, "quantum", Role.BOT),
        ({}, "outgoing", Role.BOT),
    ],
)
def test_customer_person_and_machine_are_told_apart(raw: dict[str, Any], who: str, role: Role) -> None:
    name, found = sender_name({"messageDirection": "outgoing", **raw}, TOLD.parties)
    assert (name.text, found) == (who, role)


def test_the_sender_and_the_time_stand_before_a_message_and_alone_where_it_is_narrow() -> None:
    wide = laid(80, agentIdentification={"name": "Noa"}, initiator="person", messageDirection="outgoing")
    assert wide.startswith("14:30 Noa        ▏ words 1")
    narrow = laid(40, agentIdentification={"name": "Noa"}, initiator="person", messageDirection="outgoing")
    assert narrow.splitlines()[0].split() == ["Noa", "14:30"]
    assert narrow.splitlines()[1].startswith("▏ words 1")


def test_text_from_right_to_left_stands_at_the_right_and_its_frame_does_not_move() -> None:
    line = laid(70, messageDirection="outgoing", initiator="bot", status="read", message="שלום")
    assert line.startswith("14:30 bot        ┊ ")
    assert line.endswith("שלום"[::-1] + " ✓✓✓")


@pytest.mark.parametrize(("kind", "has_ticks"), [("", True), ("note", False), ("deleted", False)])
def test_only_what_was_sent_has_ticks(kind: str, has_ticks: bool) -> None:
    shown = laid(80, messageDirection="outgoing", initiator="person", status="read", type=kind)
    assert ("✓" in shown) is has_ticks


def test_text_is_no_wider_than_it_reads_well_and_lines_fill_the_screen() -> None:
    lines = laid(240, messageDirection="outgoing", status="read", message="words " * 100).splitlines()
    assert {len(line) for line in lines} <= {240, len(lines[0])}
    assert max(len(line.split("┊", 1)[-1].strip().removesuffix("✓✓✓").strip()) for line in lines) <= 90


def copied(*lines: Line) -> str:
    return selected_text(lines, Cell(0, 0), Cell(1000, len(lines) - 1))


@pytest.mark.parametrize(("width", "named"), [(100, "{}: "), (40, "{}\n")])
def test_a_copied_message_has_its_sender_and_text_without_time_bars_and_ticks(width: int, named: str) -> None:
    text = "לקוחה יקרה, הזמנה 12514 תגיע ביום חמישי\nSee https://a.example/track for where it is now"
    raw = {"messageDirection": "outgoing", "initiator": "person", "status": "read", "agentIdentification": "noa"}
    entry = MessageEntry(message(1, message=text, **raw))
    lines = entry_lines(entry, width, VIEW, TOLD)
    assert relative_time.clock(NOW, VIEW.zone) in words(*lines)
    name, _ = sender_name(entry.record.raw, TOLD.parties)
    assert copied(*lines) == named.format(name.text) + text
    assert copied(*entry_lines(entry._replace(opens=False), width, VIEW, TOLD)) == text


def test_messages_are_copied_in_the_order_in_which_they_are_read() -> None:
    found = entries([message(1, message="one"), message(2, message="two")], ThreadContext(), VIEW)
    lines = [line for entry in found for line in entry_lines(entry, 100, VIEW, TOLD)]
    assert copied(*lines[-2:]) == "Dana Levi: one\ntwo"


def test_hits_of_a_search_part_no_copied_text() -> None:
    text = "שלום, איפה ההזמנה שלי?"
    found = MessageRenderer(TOLD.parties, words="ההזמנה")
    lines = entry_lines(MessageEntry(message(1, message=text), opens=False), 100, VIEW, found)
    assert Role.HIT in {part.role for part in lines[0]}
    assert copied(*lines) == text
