"""What a conversation's row and facts say, and a task's card."""

from dataclasses import replace

import pytest

from frontdesk.api.contract.ids import AgentId, ConversationId, CustomerId, LineId, StatusId, TagId, TaskId
from frontdesk.inbox.view.conversation_row import customer_facts, row, task_row
from frontdesk.outbox.change_view import added_tags
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ChangeState, ConversationRecord, TaskRecord
from frontdesk.tasks.view import card
from frontdesk.text import relative_time
from frontdesk.text.lines import Role
from sample_records import NOW, PLAIN_VIEW, VIEW, at, words

HOUR = 3600.0

DANA = ConversationRecord(
    conversation_id=ConversationId("L1#C1"),
    line_id=LineId("L1"),
    customer_id=CustomerId("C1"),
    name="Dana Levi",
    number="+972 52-123-4567",
    platform="whatsapp",
    preview="Where is my order?",
    preview_direction="incoming",
    preview_status="",
    preview_initiator="",
    active_at=at(18, 9, 12),
    waiting_since=None,
    last_incoming_at=None,
    unread=0,
    open_tasks=0,
    due_at=None,
    assigned=(),
    pending=False,
    thread_known=True,
    thread_loaded=True,
)
LATE = TaskRecord(
    task_id=TaskId("t1"),
    title="Late delivery",
    body="",
    status=StatusId("open"),
    line_id=LineId("L1"),
    conversation_id=ConversationId("L1#C1"),
    customer_id=CustomerId("C1"),
    customer_name="Dana Levi",
    platform="whatsapp",
    due_at=NOW - 3 * HOUR,
    assigned=(AgentId("noa"), AgentId("me")),
    unread=0,
    created_at=at(10, 9),
    updated_at=at(18, 9, 12),
    pending=(),
    raw={},
)


def top(record: ConversationRecord) -> str:
    return words(row(record, 40, VIEW)[0])


def below(record: ConversationRecord) -> str:
    return words(row(record, 40, VIEW)[1])


def test_a_row_says_who_when_and_what_was_said_last() -> None:
    assert top(DANA).split() == ["Dana", "Levi", "09:12"]
    assert below(DANA).strip() == "Where is my order?"


def test_a_customer_without_a_name_is_called_by_number_then_by_id() -> None:
    assert customer_of(replace(DANA, name="")).text == "+972 52-123-4567"
    assert customer_of(replace(DANA, name="", number="")).text == "C1"
    assert customer_of(replace(DANA, name="", number="", customer_id=None)).text == "L1#C1"


def test_unread_is_a_number_and_bold_not_a_colour_alone() -> None:
    assert "● 2" in top(replace(DANA, unread=2))
    assert row(replace(DANA, unread=2), 40, VIEW)[0][0].role is Role.STRONG
    assert "●" not in top(DANA)


def test_what_is_not_confirmed_yet_has_a_mark() -> None:
    assert "⇅" in top(replace(DANA, pending=True))


def test_waiting_is_a_sign_within_the_hour_and_counts_hours_after_it() -> None:
    assert below(replace(DANA, waiting_since=NOW - 60)).endswith("◷")
    assert below(replace(DANA, waiting_since=NOW - HOUR + 1)).endswith("◷")
    assert below(replace(DANA, waiting_since=NOW - 5 * HOUR)).endswith("◷ 5h")


def test_a_due_time_is_in_the_row_only_once_it_is_loud() -> None:
    assert below(replace(DANA, due_at=NOW - 2 * HOUR)).endswith("! 2h late")
    assert below(replace(DANA, due_at=NOW + 600)).endswith("due 14:40")
    assert "due" not in below(replace(DANA, due_at=NOW + 5 * HOUR))


def test_our_own_last_words_say_how_far_they_came() -> None:
    ours = replace(DANA, preview_direction="outgoing", preview_status="read")
    assert below(ours).startswith("✓✓✓ Where")
    assert below(replace(ours, preview_status="failed")).startswith("✗ Where")
    assert below(replace(ours, preview_status="teleported")).startswith("teleported Where")


def test_a_thread_that_was_not_read_is_not_an_empty_one() -> None:
    assert below(replace(DANA, thread_known=False, preview="")).strip() == "not loaded yet"
    assert below(replace(DANA, thread_known=False, preview="Late delivery")).startswith("task: Late delivery")


def test_a_row_says_when_the_window_of_who_waits_is_about_to_close() -> None:
    waits = replace(DANA, waiting_since=NOW - 23 * HOUR, last_incoming_at=NOW - 23 * HOUR)
    closes = relative_time.clock(NOW + HOUR, VIEW.zone)
    assert f"closes ~{closes} {VIEW.glyphs.waiting} 23h" in below(waits)
    for other in (
        replace(waits, waiting_since=None),
        replace(waits, last_incoming_at=NOW - 21 * HOUR),
        replace(waits, last_incoming_at=NOW - 24 * HOUR),
        replace(waits, platform="web"),
    ):
        assert "closes" not in below(other)


def test_a_row_says_both_who_waits_and_what_is_late() -> None:
    record = replace(DANA, waiting_since=NOW - 2 * HOUR, due_at=NOW - 3 * HOUR)
    assert below(record).endswith(f"! 3h late {VIEW.glyphs.waiting} 2h")
    assert "late" not in below(replace(record, due_at=NOW + 3 * HOUR))


def test_the_window_for_free_answers_is_an_estimate() -> None:
    facts = words(*customer_facts(replace(DANA, last_incoming_at=NOW - HOUR), 60, VIEW))
    assert "until ~Thu 13:30" in facts
    assert "closed?" in words(*customer_facts(replace(DANA, last_incoming_at=at(10, 9)), 60, VIEW))
    elsewhere = replace(DANA, platform="web", last_incoming_at=NOW)
    assert "window" not in words(*customer_facts(elsewhere, 60, VIEW))


def test_facts_name_the_line_by_its_label() -> None:
    assert "Acme Home" in words(*customer_facts(DANA, 60, VIEW))


@pytest.mark.parametrize(
    ("platform", "shown"), [("whatsapp", "WhatsApp"), ("Web", "Web"), ("carrier pigeon", "carrier pigeon")]
)
def test_facts_name_the_channel_and_an_unknown_one_as_the_platform_does(platform: str, shown: str) -> None:
    assert f"channel {shown}" in words(*customer_facts(replace(DANA, platform=platform), 60, VIEW))


def test_tags_are_those_given_from_here_with_their_time_and_state() -> None:
    none = words(*added_tags([], 40, VIEW))
    assert "none yet · t adds one" in none
    given = words(
        *added_tags(
            [
                (TagId("vip"), at(18, 9), ChangeState.CONFIRMED),
                (TagId("unheard-of"), at(18, 10), ChangeState.HELD),
            ],
            40,
            VIEW,
        )
    )
    vip, unheard = given.splitlines()[1:]
    assert vip.split() == ["#VIP", "09:00"]
    assert unheard.split() == ["#unheard-of", "⇅", "10:00"]


def test_a_card_says_title_customer_people_due_and_age() -> None:
    title, who, people, parting = (words(line) for line in card(LATE, 40, VIEW))
    assert title.strip() == "Late delivery"
    assert who.split("  ")[0] == "Dana Levi"
    assert who.endswith("! 3h late")
    assert people.startswith("Noa, you")
    assert people.endswith("09:12")
    assert parting.strip() == ""


def test_a_completed_task_is_not_late() -> None:
    done = replace(LATE, status=StatusId("completed"))
    assert "● 3" in words(*card(replace(LATE, unread=3), 40, VIEW)[:1]), "beside its title"
    assert "late" not in words(*card(done, 40, VIEW), *task_row(done, 40, VIEW))


def test_a_task_without_title_or_people_says_so() -> None:
    bare = replace(LATE, title="", assigned=(), customer_name="", customer_id=None)
    said = words(*card(bare, 40, VIEW))
    assert "(no title)" in said
    assert "unassigned" in said
    assert "no customer" in said


def test_a_pending_task_has_a_mark_and_a_custom_status_its_id() -> None:
    said = words(*task_row(replace(LATE, status=StatusId("st-custom"), pending=("statusCase",)), 40, VIEW))
    assert "⇅" in said
    assert "st-custom" in said


def test_every_sign_has_an_ascii_twin() -> None:
    busy = replace(DANA, unread=2, pending=True, waiting_since=NOW - 5 * HOUR)
    assert words(*row(busy, 60, PLAIN_VIEW), *card(replace(LATE, pending=("title",)), 60, PLAIN_VIEW)).isascii()
