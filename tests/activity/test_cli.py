"""`frontdesk outbox list|retry|drop`: what is listed, in which order, and what it says of mistakes."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from cli.commandline import Frontdesk
from frontdesk.config import settings
from frontdesk.inbox import changes
from frontdesk.outbox import conflicts, queue
from frontdesk.outbox.delivery import MEANWHILE
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.workflows import changes as workflow_changes
from frontdesk.workflows import pending_payloads as kept
from frontdesk_api.contract.ids import ConversationId, TagId
from frontdesk_api.redaction import HIDDEN
from sample_json import raw_task

NOW = 1_700_000_000.0


@pytest.fixture
def store(offline: Frontdesk) -> Iterator[Store]:
    """Three changes: a conflict, a refused one and one that waits."""
    profile = settings.resolve_profile(settings.Config(), offline.environ)
    folder = Path(offline.environ["XDG_DATA_HOME"]) / "frontdesk" / "profiles" / profile.name
    with Store(folder) as opened:
        opened.write(fill).result()
        yield opened


def fill(db: apsw.Connection) -> None:
    task_store.put(db, [raw_task(number) for number in (1, 2, 3)])
    for number in (1, 2, 3):
        task_id = raw_task(number)["taskId"]
        task_changes.change_tasks(db, [task_id], {"statusCase": "completed"}, Made("b", "Status", NOW))
    for number, state in ((1, ChangeState.CONFLICT), (2, ChangeState.REFUSED)):
        theirs = {"statusCase": "standby\x1b[31m"} if number == 1 else None
        queue.move(db, number, state, expected=tuple(ChangeState), now=NOW, reason="why", theirs=theirs)


def test_list_shows_the_oldest_first_and_a_conflict_as_before_theirs_and_yours(
    offline: Frontdesk, store: Store
) -> None:
    typed = offline("outbox", "list")
    assert typed.status == 0
    assert "\x1b" not in typed.out
    lines = typed.out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["1", "2", "3"]
    assert [line.split()[0] for line in lines if line.startswith(" " * 8)][1:] == ["was", "theirs", "yours"]


def test_a_conflict_names_who_made_the_other_change(offline: Frontdesk, store: Store) -> None:
    def note(db: apsw.Connection) -> None:
        queue.move(
            db,
            1,
            ChangeState.CONFLICT,
            expected=tuple(ChangeState),
            now=NOW,
            reason=MEANWHILE,
            theirs={"title": "x"},
        )
        first = queue.change(db, 1)
        assert first is not None
        conflicts.note_author(db, first, "agent-dan", NOW)

    store.write(note).result()
    assert "agent-dan changed this in the meantime" in offline("outbox", "list").out


def test_list_names_what_each_change_is_about_beside_its_id(offline: Frontdesk, store: Store) -> None:
    def add(db: apsw.Connection) -> None:
        base = {"id": "wf-1", "name": "Welcome", "lastModified": 1}
        record_lookup.replace_all(db, record_lookup.WORKFLOW, [base])
        workflow_changes.switch(db, "wf-1", Made("w", "", NOW), active=True, base=base)
        ids = [ConversationId("L1#C2"), ConversationId("L1#unknown")]
        changes.add_tags(db, ids, [TagId("vip")], Made("t", "Tag", NOW))

    store.write(add).result()
    out = offline("outbox", "list").out
    for words in (
        'Customer 1 "Task 1" (t1)',
        "Welcome workflow (wf-1)",
        "Customer 2 (L1#C2)",
    ):
        assert words in out
    assert "  L1#unknown  " in out


def test_json_has_every_field_of_each_change(offline: Frontdesk, store: Store) -> None:
    typed = offline("outbox", "list", "--json")
    assert [row["change_id"] for row in typed.rows] == [1, 2, 3]
    assert typed.rows[0]["theirs"] == {"statusCase": "standby\x1b[31m"}
    assert typed.rows[0]["base"] == {"statusCase": "open"}
    assert typed.rows[2]["state"] == "held"


@pytest.fixture
def numeric_key(offline: Frontdesk) -> None:
    offline.environ["FRONTDESK_API_KEY"] = "4711471147114711"


@pytest.mark.usefixtures("numeric_key")
def test_json_stays_json_where_a_number_is_a_credential(offline: Frontdesk, store: Store) -> None:
    store.write(
        lambda db: queue.move(
            db, 2, ChangeState.CONFLICT, expected=tuple(ChangeState), now=NOW, theirs={"n": 4711471147114711}
        )
    ).result()
    typed = offline("outbox", "list", "--json")
    assert typed.rows[1]["theirs"] == {"n": HIDDEN}


def test_drop_gives_up_and_what_could_not_be_resent_stays(offline: Frontdesk, store: Store) -> None:
    assert "can't connect" in offline.fails(4, "outbox", "retry", "1")
    assert offline("outbox", "drop", "2").status == 0
    left = [(row["change_id"], row["state"]) for row in offline("outbox", "list", "--json").rows]
    assert left == [(1, "conflict"), (3, "held")]


@pytest.mark.parametrize("deed", ["retry", "drop"])
@pytest.mark.parametrize("typed", ["abc", "0", "99999999999999999999", "1.5"])
def test_what_is_no_number_of_a_change_is_said_in_one_line(offline: Frontdesk, deed: str, typed: str) -> None:
    assert "isn't a change number; to list changes, run `frontdesk outbox list`" in offline.fails(
        2, "outbox", deed, typed
    )


@pytest.mark.parametrize(("deed", "number"), [("retry", "77"), ("drop", "77"), ("retry", "3")])
def test_a_change_that_is_not_there_or_needs_no_decision_is_said_in_one_line(
    offline: Frontdesk, store: Store, deed: str, number: str
) -> None:
    assert number in offline.fails(2, "outbox", deed, number)


def test_what_waits_in_the_store_of_another_profile_is_told(offline: Frontdesk, store: Store) -> None:
    with Store(store.folder.parent / "env-elsewhere") as other:
        other.write(fill).result()
    for words in (("outbox", "list"), ("doctor",)):
        typed = offline(*words)
        assert "3 " in typed.out + typed.err
        assert "env-elsewhere" in typed.out + typed.err


def test_theirs_of_a_workflow_is_shown_and_yours_goes_over_it_only_when_told_to(
    offline: Frontdesk, store: Store
) -> None:
    base = {"id": "w1", "name": "Before", "parsedData": [{"id": "n1", "title": "Ask"}], "lastModified": 1}
    body = {"name": "Mine", "parsedData": base["parsedData"], "lastModified": 1}
    theirs = base | {"parsedData": [{"id": "n1", "title": "Ask\x1b[31m again"}], "lastModified": 2}

    def collide(db: apsw.Connection) -> int:
        change = workflow_changes.update(db, "w1", body, base, Made("w", "", NOW))
        held, conflict = (ChangeState.HELD,), ChangeState.CONFLICT
        queue.move(db, change.change_id, conflict, expected=held, now=NOW, theirs={"lastModified": 2})
        kept.set_theirs(db, change.change_id, kept.encode(theirs))
        return change.change_id

    number = str(store.write(collide).result())
    typed = offline("outbox", "retry", number)
    assert typed.status == 2
    assert "\x1b" not in typed.out
    since, _, yours = typed.out.partition("What your version would change now:")
    assert "again" in since
    assert "Mine" in yours
    assert "add --over-theirs" in typed.err
    assert offline("outbox", "retry", number, "--over-theirs").status == 4
    row = next(row for row in offline("outbox", "list", "--json").rows if row["kind"] == "workflow update")
    assert (str(row["change_id"]), row["state"], row["theirs"]) == (number, "conflict", {"lastModified": 2})
    resent = kept.payload(store.reading, queue.newest(store.reading))
    assert kept.parse_document(resent.body) == body | {"lastModified": 2}
    assert kept.parse_document(resent.base) == theirs
    assert "add --over-theirs" in offline("outbox", "retry", number).err
