"""Records as sentences for ears: what they say, and that what strangers wrote gets out as words alone."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.activity import linear as activity_linear
from frontdesk.ai_agents.view import about as about_agent
from frontdesk.campaigns import linear as campaign_linear
from frontdesk.campaigns.models import CampaignHistory
from frontdesk.campaigns.view.row import about as about_campaign
from frontdesk.inbox.linear import sentences as inbox_sentences
from frontdesk.inbox.store.customer_history import CustomerHistory
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.view.message import MessageEntry, answered_id
from frontdesk.inbox.view.parties import Parties
from frontdesk.inbox.view.thread import BeginningEntry, DayEntry, GapEntry, ThreadContext, entries
from frontdesk.inbox.view.thread_document import HIDDEN_CHARACTERS, message_part
from frontdesk.linear.sentences import inline_text, speak
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.service_clocks.store import NearestClock
from frontdesk.storage.records import (
    AgentId,
    AiAgentListing,
    ChangeState,
    Connection,
    ConversationRecord,
    Health,
    MessageId,
    MessagePosition,
    TaskRecord,
)
from frontdesk.sync.status_view import sentence
from frontdesk.tasks.linear import task_facts, task_sentence
from frontdesk.tasks.view import TaskFacts, about
from frontdesk.text import relative_time
from frontdesk.workflows.view.row import about as about_workflow
from frontdesk_api.contract.ids import LineId
from frontdesk_lines.display_text import SafeText, trusted
from sample_records import (
    AI_AGENTS,
    BROKEN,
    CAMPAIGNS,
    CHANGES,
    CONVERSATIONS,
    MESSAGES,
    NONE,
    NOW,
    TASKS,
    TEXTS,
    VIEW,
    WORKFLOW_RECORDS,
    at,
    campaign_record,
    drawn,
    message,
)

UNHEARD = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2028\u2029\ud800-\udfff]")
"""Control characters, what changes the direction, lone surrogates."""

OURS = re.compile("[●○✓✗⏱→·│▌▏≈#*─-▟]")
"""Signs that the screens use."""


def text(lines: Iterable[SafeText]) -> str:
    return "\n".join(line.text for line in lines)


def message_words(raw: dict[str, Any], customer: str = "Dana", answers: str = "") -> list[SafeText]:
    """What is said of a message of half past two."""
    record = MessageRecord(MessagePosition(NOW * 1000, MessageId("m9")), raw)
    answered = message(1, message=answers) if answers else None
    return inbox_sentences.message(
        MessageEntry(record, answers_id=answered_id(raw), answers=answered), VIEW, Parties(customer)
    )


def task(**fields: Any) -> TaskRecord:
    known = {
        "task_id": "t1",
        "title": "Late delivery",
        "body": "",
        "status": "open",
        "line_id": None,
        "conversation_id": "L1#C1",
        "customer_id": "C1",
        "customer_name": "Dana Levi",
        "platform": "whatsapp",
        "due_at": None,
        "assigned": (),
        "unread": 0,
        "created_at": None,
        "updated_at": None,
        "pending": {},
        "raw_json": "{}",
    }
    return TaskRecord(**{**known, **fields})


def on_lines(*lines: str) -> CustomerHistory:
    return CustomerHistory(other_lines=tuple(map(LineId, lines)))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data(), TEXTS)
def test_no_record_gets_a_sign_or_a_control_character_out(data: st.DataObject, words: str) -> None:
    conversation = data.draw(CONVERSATIONS)
    change = data.draw(CHANGES)
    said = [
        inbox_sentences.conversation(conversation, VIEW),
        *inbox_sentences.conversation_facts(conversation, VIEW, on_lines(words, "L1")),
        *task_facts(TaskFacts(data.draw(TASKS), None), VIEW),
        activity_linear.change(change, CHANGE_VIEWS[change.kind], inline_text(words), VIEW),
        *activity_linear.change_facts(change, CHANGE_VIEWS[change.kind], inline_text(words), VIEW),
        *filter(None, [activity_linear.outcome(change, CHANGE_VIEWS[change.kind], inline_text(words), VIEW)]),
        *speak(about_campaign(CampaignHistory(data.draw(CAMPAIGNS), ()), VIEW), VIEW),
        *speak(about_workflow(data.draw(WORKFLOW_RECORDS), VIEW), VIEW),
        *speak(about_agent(data.draw(AI_AGENTS), AiAgentListing((), 1e9)), VIEW),
        activity_linear.invalid_item(data.draw(BROKEN)),
        *message_words(data.draw(MESSAGES), words, words),
    ]
    for line in said:
        assert not UNHEARD.search(line.text), line


def test_no_more_is_read_of_a_long_translation_or_caption_than_of_a_text() -> None:
    raw = message(9, translation={"text": "a b " * 9}, attachment={"caption": "one\ntwo\nthree"}).raw
    entry = MessageEntry(MessageRecord(MessagePosition(NOW, MessageId("m9")), raw))
    part = message_part(entry, VIEW, Parties("Dana"), (12, 2))
    assert {each.label: each.lines for each in part.extras if each.label != "Attachment"} == {
        "Caption": ("one", "two", "… 13 characters in total; the rest isn't shown"),
        "Translation": ("a b a b a b ", "… 36 characters in total; the rest isn't shown"),
    }


def test_of_a_post_or_message_that_one_is_about_only_the_beginning_is_said() -> None:
    raw = message(9, type="commentOnPost", comment={"text": "post " * 99}, message="Nice!").raw
    (said,) = message_words(raw)
    assert said.text.endswith(", and more: Nice!")
    assert len(said.text) < 250


def test_times_of_which_the_unit_is_guessed_are_shown_as_estimated() -> None:
    told = TaskFacts(task(created_at=NOW - 60, updated_at=None), None)
    created, updated = [each for each in about(told, VIEW) if each.name in ("created", "updated")]
    assert drawn([created]).rstrip().endswith("(estimated)")
    assert drawn([updated]).rstrip().endswith("unknown")


def test_a_customer_whose_fields_are_no_text_has_none() -> None:
    told = TaskFacts(task(raw_json='{"customer": {"email": {"id": 1}, "description": ["x"]}}'), None)
    assert not re.search("Email|About", text(task_facts(told, VIEW)))


@settings(max_examples=50, deadline=None)
@given(MESSAGES)
def test_a_message_says_who_and_when_first(raw: dict[str, Any]) -> None:
    assert message_words(raw)[0].text.startswith("14:30, ")


@settings(max_examples=5, deadline=None)
@given(CONVERSATIONS)
def test_the_lines_on_which_a_customer_has_also_written_are_named(conversation: ConversationRecord) -> None:
    one = inbox_sentences.conversation_facts(conversation, VIEW, on_lines("L1"))
    assert one[1].text == "Also on: Acme Home."
    two = inbox_sentences.conversation_facts(conversation, VIEW, on_lines("L1", "L2"))
    assert two[1].text == "Also on: Acme Home, L2."
    alone = inbox_sentences.conversation_facts(conversation, VIEW)
    assert not [line for line in alone if line.text.startswith("Also on")]


def test_our_own_sentences_have_no_sign_without_a_word() -> None:
    said = [
        task_sentence(task(due_at=NOW - 7_200, assigned=(AgentId("me"), AgentId("noa")), unread=2), VIEW),
        *message_words({"messageDirection": "outgoing", "initiator": "bot", "status": "read", "message": "Hi"}),
        trusted(sentence(Health(Connection.OFFLINE, "no route", retry_at=NOW + 30), VIEW)),
    ]
    assert not OURS.search(text(said))


def test_a_task_is_what_it_is_then_its_status_customer_due_and_people() -> None:
    record = task(
        due_at=at(17, 9), assigned=(AgentId("me"), AgentId("noa")), unread=2, pending={"statusCase": "open"}
    )
    assert task_sentence(record, VIEW).text == (
        "Late delivery, status Open, customer Dana Levi, overdue by 1 day, was due yesterday at 09:00, "
        "assigned to you and Noa, 2 unread, unconfirmed change."
    )
    clock = NearestClock(ServiceClock(ClockKind.RESOLUTION, "Gold", ClockState.PAUSED))
    assert "was due yesterday at 09:00, resolution paused, assigned" in task_sentence(record, VIEW, clock).text
    assert "was due" in task_sentence(task(due_at=at(17, 9), status="completed"), VIEW).text
    assert "overdue" not in task_sentence(task(due_at=at(17, 9), status="completed"), VIEW).text


def test_text_of_several_lines_runs_on_in_a_sentence_and_what_is_cut_is_said() -> None:
    assert inline_text("one\ntwo\r\n  three").text == "one two three"
    assert inline_text("x" * 200, 10).text == f"{'x' * 10}, and more"


def test_right_to_left_text_keeps_the_order_in_which_it_was_written() -> None:
    words = "שלום 123 abc"
    raw = {"messageDirection": "incoming", "message": words}
    assert message_words(raw, "דנה")[0].text == f"14:30, דנה: {words}"


def test_a_message_of_several_lines_keeps_them_and_says_how_far_it_came_before_them() -> None:
    raw = {
        "messageDirection": "outgoing",
        "initiator": "person",
        "agentIdentification": {"name": "Noa"},
        "status": "failed",
        "message": "one\n\ntwo",
        "error": {"code": 131026},
        "context": {"id": "m0"},
        "reactions": [{"emoji": "👍"}],
        "attachmentBase64": {"fileName": "bill.pdf", "fileMimeType": "application/pdf", "fileSize": 2_000},
    }
    assert text(message_words(raw, answers="Where is it?")).split("\n") == [
        "14:30, agent Noa, failed, in reply to Dana: Where is it?: one",
        "two",
        "Attachment: bill.pdf, application/pdf, 2 kB.",
        "Reactions: 👍.",
        "Error: can't be delivered to this number (131026).",
    ]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"type": "deleted"}, "14:30, Dana, deleted: This message was deleted."),
        ({"type": "note", "message": "x"}, "14:30, Dana, internal note, not sent: x"),
        ({"type": "hologram", "message": "x"}, "14:30, Dana, unknown message type hologram: x"),
        ({"message": ""}, "14:30, Dana: (no text)"),
        (
            {"type": "informative", "informativeMessageType": "conversationModeSwitched"},
            "14:30, switched to or from the bot.",
        ),
    ],
)
def test_other_kinds_of_messages_are_said_to_be_what_they_are(raw: dict[str, Any], words: str) -> None:
    assert text(message_words({"messageDirection": "incoming", **raw})) == words


def test_hidden_characters_are_told_of_before_the_text() -> None:
    (said,) = message_words({"messageDirection": "incoming", "message": "a\u202eb"})
    assert said.text.startswith(f"14:30, Dana, {HIDDEN_CHARACTERS}: a")


def test_days_gaps_and_the_beginning_of_a_thread_are_sentences() -> None:
    key = MessagePosition(0.0, message(1).key.message_id)
    found = [DayEntry("d", at(1, 9)), GapEntry("g", key, True), GapEntry("g", key, False), BeginningEntry("b")]
    said = [text(inbox_sentences.entry(each, VIEW, Parties())) for each in found]
    assert said[0] == "Sunday 1 November."
    assert "aren't loaded" in said[1]
    assert "missing here" in said[2]
    assert said[3] == "The thread starts here."


def test_every_entry_of_a_thread_is_said() -> None:
    messages: list[MessageRecord] = [message(1, NOW - 90_000), message(2)]
    segments = [Segment(messages[1].key, messages[0].key, complete=True)]
    found = entries(messages, ThreadContext(segments=segments), VIEW)
    said = [inbox_sentences.entry(each, VIEW, Parties("Dana")) for each in found]
    assert all(said)
    assert [text(each) for each, entry in zip(said, found, strict=True) if isinstance(entry, MessageEntry)] == [
        "13:30, Dana: words 1",
        "14:30, Dana: words 2",
    ]


@settings(max_examples=30, deadline=None)
@given(CHANGES)
def test_what_became_of_a_change_is_said_only_where_it_is_known(change: Any) -> None:
    known = {ChangeState.CONFIRMED, ChangeState.REFUSED, ChangeState.CONFLICT, ChangeState.UNKNOWN}
    assert (activity_linear.outcome(change, CHANGE_VIEWS[change.kind], trusted("x"), VIEW) is not None) is (
        change.state in known
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than a minute"),
        (60, "1 minute"),
        (7_199, "1 hour"),
        (86_400, "1 day"),
        (13 * 86_400, "13 days"),
        (14 * 86_400, "2 weeks"),
    ],
)
def test_durations_are_whole_words(seconds: float, words: str) -> None:
    assert relative_time.spoken_length(seconds) == words


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (at(18, 9), "today at 09:00"),
        (at(17, 23, 5), "yesterday at 23:05"),
        (at(19, 0), "tomorrow at 00:00"),
        (at(27, 17), "Friday 27 November at 17:00"),
        (at(3, 9, month=1, year=2027), "Sunday 3 January 2027 at 09:00"),
        (1e300, "at an unknown time"),
    ],
)
def test_moments_are_whole_words(moment: float, words: str) -> None:
    assert VIEW.spoken_moment(moment) == words


def test_the_connection_says_what_is_wrong_why_and_what_is_done() -> None:
    assert sentence(Health(Connection.LIVE), VIEW) == "live"
    offline = Health(Connection.OFFLINE, "no route to host", retry_at=NOW + 30)
    assert sentence(offline, VIEW) == "offline, no route to host, retries at 14:30:30"
    assert "run frontdesk login" in sentence(Health(Connection.REFUSED), VIEW)


def test_how_many_a_campaign_has_sent_is_no_zero_where_it_is_not_said() -> None:
    record = campaign_record(counters=NONE._replace(total=9.0))
    said = campaign_linear.campaign(record, VIEW).text
    assert "9 recipients, number sent unknown" in said
    assert "not updated" not in said
    later = campaign_linear.campaign(replace(record, read_at=NOW - 90), VIEW).text
    assert "not updated since" in later, "as on the screen"
