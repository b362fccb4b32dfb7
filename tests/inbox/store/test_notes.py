"""Notes in the store: what the team has, over it what isn't sent yet, and who is called for."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from frontdesk.config.settings import Profile
from frontdesk.inbox import changes, filter_words
from frontdesk.inbox.changes import NoteDraft
from frontdesk.inbox.store import conversations, notes, notifications
from frontdesk.inbox.store.notes import MAX_LETTERS, SEEN_MARKER, TeamNote, note_body, receipt_body, receipt_id
from frontdesk.outbox import batches, queue, undo
from frontdesk.outbox.changes import NotPossible, OutboxTransaction
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, ConversationOrder, Made
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_api.hosts import Hosts

HERE, ME, DAN = ConversationId("L1#C1"), AgentId("agent-noa"), "agent-dan"


def do(store: Store, job: Callable[..., Any]) -> Any:
    return store.write(job).result()


def put(store: Store, note_id: str = "n1", at: float = 10.0, author: str = DAN, **content: object) -> None:
    body = note_body(HERE, {"text": "hello", "mentions": [], "hand_over_to": "", **content})
    do(store, lambda db: notes.apply(db, note_id, author, at, body))


def write(store: Store, text: str, batch: str = "b", now: float = 100.0) -> str:
    def job(db: Any) -> str:
        assert changes.add_note(db, NoteDraft(HERE, text), Made(batch, "Note", now)) == 1
        batches.record(db, Made(batch, "Note", now))
        (note_id,) = queue.of_batch(db, batch)[-1].fields
        return note_id

    return str(do(store, job))


def seen(store: Store) -> list[TeamNote]:
    return notes.of_conversation(store.reading, HERE, ME)


def texts(store: Store) -> list[str]:
    return [each.text for each in seen(store)]


@pytest.fixture
def here(store: Store) -> Store:
    do(store, lambda db: conversations.add_by_pair(db, HERE, "L1", "C1"))
    return store


def test_a_note_has_the_time_at_which_it_was_written_and_is_new_by_the_time_it_came(here: Store) -> None:
    put(here, "n1", at=50.0, mentions=[ME], written_at=20.0)
    put(here, "n2", at=40.0)
    assert [(each.note_id, each.at) for each in seen(here)] == [("n1", 20.0), ("n2", 40.0)]
    do(here, lambda db: queue.keep(db, SEEN_MARKER, HERE, 45.0, 45.0))
    assert [each.note_id for each in notes.unseen(here.reading, ME)] == ["n1"]


@pytest.mark.parametrize(
    ("said", "at"), [(None, 3e6), ("x", 3e6), (4e6, 3e6), (-1.0, 3e6 - 30 * 86_400), (1e999, 3e6), (0, 3e6)]
)
def test_a_time_that_can_not_be_is_replaced_by_that_of_the_arrival(here: Store, said: object, at: float) -> None:
    put(here, at=3e6, written_at=said)
    assert [each.at for each in seen(here)] == [at]


def test_a_note_of_the_team_is_stored_once_replaced_and_removed(here: Store) -> None:
    put(here)
    put(here, text="hello, better")
    assert texts(here) == ["hello, better"]
    do(here, lambda db: notes.apply(db, "n1", DAN, 12.0, ""))
    do(here, lambda db: notes.apply(db, "never seen", DAN, 12.0, ""))
    assert seen(here) == []


@pytest.mark.parametrize(
    "body",
    ["nonsense", "[1]", "{}", "7", "null", '{"conversation": 3, "text": "x"}', '{"conversation": "c"}', '"text"'],
)
def test_what_is_no_note_is_refused(here: Store, body: str) -> None:
    with pytest.raises((ValueError, AttributeError, TypeError)):
        do(here, lambda db: notes.apply(db, "n1", DAN, 1.0, body))
    assert seen(here) == []


def test_a_note_of_a_newer_version_is_read_as_far_as_it_is_known(here: Store) -> None:
    content = {"v": 9, "conversation": HERE, "text": "x" * (MAX_LETTERS + 9), "mentions": [ME, 7], "colour": "red"}
    do(here, lambda db: notes.apply(db, "n1", DAN, 1.0, json.dumps(content)))
    (note,) = seen(here)
    assert (len(note.text), note.mentions) == (MAX_LETTERS, (ME,))


def test_what_this_person_wrote_is_shown_at_once_and_marks_the_row(here: Store) -> None:
    put(here, at=10.0)
    write(here, "mine", now=100.0)
    assert [(each.text, each.author, each.is_pending) for each in seen(here)] == [
        ("hello", DAN, False),
        ("mine", ME, True),
    ]
    assert here.reading.execute("SELECT pending FROM conversations").fetchall() == [(1,)]


def test_undo_of_an_unsent_note_never_sends_it(here: Store) -> None:
    write(here, "mine")
    do(here, lambda db: undo.undo(OutboxTransaction(db, CHANGE_HANDLERS, 101.0)))
    assert seen(here) == []
    assert queue.unsent(here.reading) == []
    do(here, lambda db: undo.redo(OutboxTransaction(db, CHANGE_HANDLERS, 102.0)))
    assert texts(here) == ["mine"]


def test_undo_of_one_note_leaves_a_later_ones_past_alone(here: Store) -> None:
    write(here, "one", "b1", 100.0)
    later = write(here, "two", "b2", 101.0)
    first = queue.of_batch(here.reading, "b1")[0].change_id
    request = undo.UndoRequest(changes=(first,))
    do(here, lambda db: undo.undo(OutboxTransaction(db, CHANGE_HANDLERS, 102.0), request))
    (change,) = queue.unsent(here.reading)
    assert (texts(here), change.base) == (["two"], {later: None})


def test_a_note_is_cleaned_and_an_empty_or_long_one_refused(here: Store) -> None:
    write(here, "  a\x00b\r\n\x1b[31mred \ud800 ")
    assert texts(here) == ["ab\n[31mred"]
    for text in ("", " \n ", "x" * (MAX_LETTERS + 1)):
        with pytest.raises(NotPossible):
            write(here, text)
    assert len(note_body(HERE, {"text": '"\\\n' * (MAX_LETTERS // 3), "mentions": []})) < 50_000


def test_a_mention_calls_until_it_was_seen_and_ones_own_note_never(here: Store) -> None:
    put(here, "n1", 10.0, mentions=[ME])
    put(here, "n2", 11.0, author=ME, mentions=[ME])
    put(here, "n3", 12.0, mentions=["agent-noam"])
    call = notes.calls_for(here.reading, HERE, ME)
    assert call is not None
    assert call.note_id == "n1"
    (news,) = notifications.since(here.reading, [HERE], [], 5.0, ME)
    assert (news.key, news.is_unread, news.assigned, news.says) == ("note n1", True, (ME,), "hello")
    do(here, lambda db: notes.mark_seen(db, HERE, ME, 50.0, receipts=True))
    assert notes.calls_for(here.reading, HERE, ME) is None
    (news,) = notifications.since(here.reading, [HERE], [], 5.0, ME)
    assert not news.is_unread
    assert notifications.since(here.reading, [HERE], [], 5.0, None) == []
    put(here, "n4", 13.0, mentions=[ME])
    assert notes.calls_for(here.reading, HERE, ME) is not None


def test_a_hand_over_gets_one_receipt_from_its_receiver_alone(here: Store) -> None:
    put(here, "n1", 10.0, hand_over_to=ME)
    put(here, "n2", 11.0, hand_over_to="agent-ruth")
    put(here, "n3", 12.0, mentions=[ME])
    call = notes.calls_for(here.reading, HERE, ME)
    assert call is not None
    assert call.note_id == "n1"
    for _ in range(2):
        do(here, lambda db: notes.mark_seen(db, HERE, ME, 50.0, receipts=True))
    assert queue.all_kept(here.reading, notes.RECEIPT) == {"n1": HERE}
    do(here, lambda db: notes.apply(db, receipt_id("n1"), ME, 51.0, receipt_body(HERE, "n1")))
    taken = {each.note_id: each.taken_up_at for each in seen(here)}
    assert taken == {"n1": 51.0, "n2": None, "n3": None}
    do(here, lambda db: queue.forget(db, notes.RECEIPT, "n1"))
    do(here, lambda db: notes.mark_seen(db, HERE, ME, 60.0, receipts=True))
    assert queue.all_kept(here.reading, notes.RECEIPT) == {}


def test_without_receipts_what_is_handed_over_is_only_seen(here: Store) -> None:
    put(here, "n1", 10.0, hand_over_to=ME)
    do(here, lambda db: notes.mark_seen(db, HERE, ME, 50.0, receipts=False))
    assert queue.all_kept(here.reading, notes.RECEIPT) == {}
    assert queue.kept(here.reading, SEEN_MARKER, HERE) == 10.0


def test_a_note_that_is_being_taken_back_is_hidden_and_comes_back_if_that_is_refused(here: Store) -> None:
    put(here, "n1", 10.0, author=ME)
    (note,) = seen(here)
    do(here, lambda db: changes.take_back(db, note, Made("b", "Take back: Note", 20.0)))
    assert seen(here) == []
    (change,) = queue.unsent(here.reading)
    waiting = (ChangeState.QUEUED,)
    do(here, lambda db: queue.move(db, change.change_id, ChangeState.REFUSED, expected=waiting, now=21.0))
    assert texts(here) == ["hello"]


def test_the_filter_finds_who_is_called_until_they_have_seen_it(here: Store) -> None:
    query, profile = filter_words.parse("is:mentioned"), Profile("test", Hosts(*["http://x"] * 5), agent_id=ME)
    wanted = filter_words.wanted(query, profile, 0.0)

    def found() -> list[ConversationId]:
        return conversations.ids(here.reading, ConversationOrder.ACTIVITY, wanted=wanted)

    put(here, "n1", 10.0, mentions=["agent-other"])
    assert found() == []
    put(here, "n2", 11.0, hand_over_to=ME)
    assert found() == [HERE]
    do(here, lambda db: notes.mark_seen(db, HERE, ME, 50.0, receipts=True))
    assert found() == []
    put(here, "n3", 12.0, mentions=[ME])
    assert found() == [HERE]
    assert filter_words.off(query, replace(profile, agent_id=None), has_sla=False)


@pytest.mark.parametrize("line_id", ["L2", ""])
def test_a_note_under_another_line_than_its_conversations_is_refused(here: Store, line_id: str) -> None:
    body = note_body(HERE, {"text": "from elsewhere", "mentions": [ME], "hand_over_to": ""})
    with pytest.raises(ValueError, match="another line"):
        do(here, lambda db: notes.apply(db, "n1", DAN, 1.0, body, line_id))
    do(here, lambda db: notes.apply(db, "n1", DAN, 1.0, body, "L1"))
    assert texts(here) == ["from elsewhere"]


def test_a_receipt_by_anybody_else_than_the_receiver_counts_nothing(here: Store) -> None:
    put(here, "n1", 10.0, hand_over_to=ME)
    do(here, lambda db: notes.apply(db, receipt_id("n1"), "agent-ruth", 11.0, receipt_body(HERE, "n1")))
    assert seen(here)[0].taken_up_at is None
    do(here, lambda db: notes.mark_seen(db, HERE, ME, 50.0, receipts=True))
    assert queue.all_kept(here.reading, notes.RECEIPT) == {"n1": HERE}
