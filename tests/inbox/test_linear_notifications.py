"""What is told while a person reads or types: from the store's feed, in words, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.linear.app import LinearApp
from frontdesk.linear.notifications import Announce
from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.records import ChangeState, Connection, Health
from frontdesk.tasks import store as task_store
from linear.running_session import NOW, Desktop
from sample_json import raw_task

PATIENCE = 30.0


class Listening:
    """A desktop whose news is heard; changes come from another store connection, as the engine's do."""

    def __init__(self, folder: Path):
        self.at = Desktop(folder)
        self.news = LinearApp(self.at.session_services).news
        self.said: list[str] = []
        self.news.start()

    def wait_for(self, words: str) -> str:
        """Listen until a line with these words has come; answers it."""

        def has_come() -> bool:
            self.said += [line.text for line in self.news.pop_lines(everything=True)]
            return any(words in line for line in self.said)

        assert self.news.wait(has_come, PATIENCE), (words, self.said)
        return next(line for line in self.said if words in line)

    def close(self) -> None:
        self.news.stop()
        self.at.store.close()


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Listening]:
    made = Listening(tmp_path / "profile")
    yield made
    made.close()


def settle(heard: Listening, state: ChangeState, reason: str = "", theirs: object = None) -> None:
    """Every change ends in this state, as the sender would have it."""
    ids = [each.change_id for each in queue.recent(heard.at.services.store.reading)]

    def job(db: object) -> None:
        for each in ids:
            queue.move(
                db,  # type: ignore[arg-type]
                each,
                state,
                expected=tuple(ChangeState),
                now=NOW + 1,
                reason=reason,
                theirs=theirs,  # type: ignore[arg-type]
            )

    heard.at.change(job)


def test_a_confirmed_deed_on_several_is_one_line(heard: Listening) -> None:
    heard.at.say("list", "complete 1-3")
    settle(heard, ChangeState.CONFIRMED)
    assert heard.wait_for("Confirmed") == "Confirmed: Status Completed, on Task 1 and 2 more."


def test_a_refusal_says_why_and_what_can_be_done(heard: Listening) -> None:
    heard.at.say("list", "complete 1")
    settle(heard, ChangeState.REFUSED, "the status is not allowed")
    line = heard.wait_for("Rejected")
    assert line.startswith("Rejected: Status Completed, on Task 1, reason: the status is not allowed.")
    assert "To resend it, type retry; to discard it, type drop." in line


def test_a_conflict_says_both_sides_and_how_it_is_decided(heard: Listening) -> None:
    heard.at.say("list", "complete 1")
    settle(heard, ChangeState.CONFLICT, "someone else changed this", {"statusCase": "parked"})
    line = heard.wait_for("Conflict")
    assert "was: Open; theirs: parked; yours: Completed." in line
    assert "To resend yours, type retry; to keep theirs, type drop." in line


def test_of_several_to_decide_each_is_decided_by_its_number(heard: Listening) -> None:
    heard.at.say("list", "complete 1-2")
    settle(heard, ChangeState.REFUSED, "the status is not allowed")
    assert "To resend it, type retry N; to discard it, type drop N." in heard.wait_for("Rejected")
    assert "2 changes need a decision. Type activity, then retry N or drop N." in heard.at.say("drop")
    heard.at.say("activity")
    heard.at.say("1")  # the two of the bulk change
    assert "To resend yours, type retry N. To discard it and keep what is there, type drop N." in heard.at.say("1")


def test_a_message_is_told_once_and_others_tasks_are_left_to_them(heard: Listening) -> None:
    heard.at.thread(1, 1, newest=NOW + 60)
    assert heard.wait_for("New message") == "New message from Customer 01: words 1."
    heard.at.change(lambda db: task_store.put(db, [raw_task(2, title="Another", assignedAgentIds=["noa"])]))
    heard.at.thread(2, 1, newest=NOW + 60)
    heard.at.thread(1, 2, newest=NOW + 120)
    heard.wait_for("words 2")
    assert [line for line in heard.said if "New message" in line] == [
        "New message from Customer 01: words 1.",
        "New message from Customer 01: words 2.",
    ]


def test_what_is_open_is_told_whosever_it_is(heard: Listening) -> None:
    heard.at.change(lambda db: task_store.put(db, [raw_task(2, title="Another", assignedAgentIds=["noa"])]))
    heard.news.reading = "L1#C2"
    heard.at.thread(2, 1, newest=NOW + 60)
    assert "in the open conversation: words 1" in heard.wait_for("New message")


def test_another_state_of_the_connection_is_told_in_words_and_the_same_one_is_not(heard: Listening) -> None:
    for state, reason in (
        (Connection.OFFLINE, "no route"),
        (Connection.OFFLINE, "no route"),
        (Connection.LIVE, ""),
    ):
        heard.at.change(
            lambda db, state=state, reason=reason: clients.write_health(db, Health(state, reason, since=NOW))
        )
        heard.wait_for("offline" if reason else "live")
    assert heard.said == ["Connection: offline, no route.", "Connection: live."]


def test_a_new_task_is_told_and_a_change_of_an_old_one_is_not(heard: Listening) -> None:
    heard.at.change(
        lambda db: task_store.put(db, [raw_task(3, title="Renamed", updatedAt=NOW + 5, createdAt=NOW - 5)])
    )
    heard.at.change(lambda db: task_store.put(db, [raw_task(99, title="Broken leg", createdAt=NOW + 5)]))
    assert heard.wait_for("New task") == "New task about Customer 99: Broken leg."
    assert not any("Renamed" in line for line in heard.said)


def test_a_store_that_is_gone_is_told_and_opened_again_with_the_line_that_was_typed(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile", "list\n")
    at.app.news.is_replaced = True
    said = at.run()
    assert at.app.must_reopen
    assert "Conversations," not in said
    assert at.console.read() == "list"
    at.store.close()


def test_announce_off_keeps_and_now_needs_somebody_at_the_prompt(heard: Listening) -> None:
    heard.news.announce = Announce.NOW
    heard.at.thread(1, 1, newest=NOW + 60)
    # Nobody types here, so it waits as it would for the next prompt.
    assert heard.wait_for("New message")
