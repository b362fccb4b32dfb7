"""Notes in the linear mode: written, spoken in the thread, handed over and taken back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frontdesk.config.settings import Settings
from frontdesk.config.team import TeamSettings
from frontdesk.inbox.store import notes
from frontdesk.inbox.store.notes import TeamNote, note_body
from frontdesk.storage import record_lookup
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.privacy import set_private
from linear.running_session import NOW, PROFILE, Desktop
from sample_json import raw_task

HERE = ConversationId("L1#C1")
TEAM = replace(PROFILE, team=TeamSettings("postgresql://me@db/frontdesk", "acme"))


@pytest.fixture
def team_desk(tmp_path: Path) -> Any:
    made = Desktop(tmp_path / "profile", profile=TEAM)
    made.thread(1, 2)
    yield made
    made.store.close()


def written(at: Desktop) -> list[TeamNote]:
    return notes.of_conversation(at.store.reading, HERE, AgentId("me"))


def theirs(at: Desktop, text: str, **content: object) -> None:
    body = note_body(HERE, {"text": text, "mentions": [], "hand_over_to": "", **content})
    at.change(lambda db: notes.apply(db, "n1", "noa", NOW - 60, body))


def test_a_note_is_written_spoken_and_undone(team_desk: Desktop) -> None:
    team_desk.say("open L1 C1")
    said = team_desk.say("note ask @Noa about 2 boxes")
    assert "Note saved about Customer 01; only your team sees it." in said
    assert "To undo, type undo." in said
    assert [(each.text, each.mentions) for each in written(team_desk)] == [("ask @Noa about 2 boxes", ("noa",))]
    said = team_desk.say("thread")
    assert "team note by you, not shared yet, waiting for the team's relay: ask @Noa about 2 boxes" in said
    team_desk.say("undo")
    assert written(team_desk) == []


def test_a_colleagues_note_is_spoken_and_named_in_the_list(team_desk: Desktop) -> None:
    theirs(team_desk, "please\ncall back", mentions=["me"])
    assert "Customer 01, a note mentions you" in team_desk.say("list")
    said = team_desk.say("open L1 C1")
    assert "team note by Noa: please" in said
    assert "call back" in said
    assert "mentions you" not in team_desk.say("list")


def test_the_next_mention_is_opened_by_a_command(team_desk: Desktop) -> None:
    assert "No hand-overs or mentions are waiting for you." in team_desk.say("mention")
    theirs(team_desk, "please call back", mentions=["me"])
    assert "team note by Noa: please call back" in team_desk.say("mention")
    assert "No hand-overs or mentions" in team_desk.say("@")


def test_a_hand_over_assigns_the_task_and_is_one_undo(team_desk: Desktop) -> None:
    team_desk.say("open L1 C1")
    said = team_desk.say("hand Noa due tomorrow 9am: the refund, @Omar knows")
    assert "Handed Customer 01 over to Noa, due tomorrow" in said
    (note,) = written(team_desk)
    assert (note.text, note.hand_over_to, note.mentions) == ("the refund, @Omar knows", "noa", ("omar",))
    (task,) = record_lookup.tasks_of_conversation(team_desk.store.reading, HERE)
    assert "noa" in task.assigned
    assert task.due_at is not None
    team_desk.say("undo")
    assert written(team_desk) == []
    (task,) = record_lookup.tasks_of_conversation(team_desk.store.reading, HERE)
    assert ("noa" in task.assigned, task.due_at) == (False, None)


def test_a_hand_over_assigns_the_task_that_was_named(team_desk: Desktop) -> None:
    """As that of the row that it was opened from, whichever is due first."""
    team_desk.say("list", "me 1")
    first = raw_task(77, dueDate=NOW - 60, participantsIdentifiers="L1#C1", assignedAgentIds=["omar"])
    team_desk.change(lambda db: task_store.put(db, [first]))
    assert "commands work on Task 1 " in team_desk.say("list mine", "1")
    assert "Handed Customer 01 over to Noa" in team_desk.say("hand Noa: the refund")
    assigned = {
        each.task_id: each.assigned for each in record_lookup.tasks_of_conversation(team_desk.store.reading, HERE)
    }
    assert assigned == {"t1": ("noa",), "t77": ("omar",)}
    team_desk.say("complete")
    said = team_desk.say("hand Omar: the rest")
    assert "its task is completed, so it wasn't assigned" in said


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("hand", "Hand over to whom?"),
        ("hand Noa the refund", "Hand over to whom?"),
        ("hand nobody: x", "nobody"),
        ("hand Noa due 99 99: x", "isn't"),
        ("hand Noa:", "Type the note first"),
        ("note", "Which note?"),
        ("takeback", "You have no note"),
    ],
)
def test_what_is_missing_is_said_and_nothing_done(team_desk: Desktop, line: str, answer: str) -> None:
    team_desk.say("open L1 C1")
    assert answer in team_desk.say(line)
    assert written(team_desk) == []


def test_the_last_note_of_ones_own_is_taken_back(team_desk: Desktop) -> None:
    team_desk.say("open L1 C1", "note one", "note two")
    assert "Note taken back: two." in team_desk.say("takeback")
    assert [each.text for each in written(team_desk)] == ["one"]


def test_without_a_team_notes_need_one(at: Desktop) -> None:
    at.say("open L1 C1")
    for line in ("note x", "hand Noa: x", "takeback"):
        assert "Notes need a team" in at.say(line)


def test_a_read_only_run_writes_none(tmp_path: Path) -> None:
    at = Desktop(tmp_path / "profile", profile=TEAM, settings=Settings(read_only=True))
    theirs(at, "yours", hand_over_to="me")
    at.say("open L1 C1")
    assert "Nothing was done" in at.say("note never")
    assert "Nothing was done" in at.say("hand Noa: never")
    assert [each.text for each in written(at)] == ["yours"]
    assert written(at)[0].taken_up_at is None
    at.store.close()


def test_a_thread_without_messages_speaks_its_notes(team_desk: Desktop) -> None:
    team_desk.say("open L1 C2", "note first word")
    said = team_desk.say("thread")
    assert "team note by you" in said
    assert "first word" in said


def test_privacy_hides_what_notes_say(team_desk: Desktop) -> None:
    theirs(team_desk, "secret words")
    set_private(True)
    try:
        said = team_desk.say("open L1 C1")
    finally:
        set_private(False)
    assert "secret" not in said
    assert "Noa" not in said
    assert "team note by Agent" in said
