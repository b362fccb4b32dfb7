"""Undo, redo, macros, hand-overs and resent changes wait for the platform; what goes nowhere needs none of it."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from cli.writing import LINE, elsewhere, engine, new_task, process, recorded, until, writes
from frontdesk import library
from frontdesk.campaigns import changes as campaign_changes
from frontdesk.campaigns.delivery import NOT_SEEN
from frontdesk.cli import write_session
from frontdesk.outbox import batches, queue
from frontdesk.outbox.batches import new_batch
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, ChangeKind, ChangeState, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.tasks.delivery import TaskConfirmation
from sample_json import campaign_body

pytestmark = pytest.mark.usefixtures("frontdesk_store")

CONVERSATION = f"{LINE}#447700954330"
DOWN = {"path": "/tasks/", "method": "PATCH", "kind": "status", "status": 429, "headers": {"Retry-After": "60"}}


@pytest.fixture
def acme(frontdesk: Frontdesk, service: SandboxService) -> Frontdesk:
    """A profile with a team and macros, and credentials in the environment."""
    folder = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f"""
        [profiles.acme]
        base_url = "{service.url}"
        agent_id = "agent-noa"
        [[profiles.acme.agents]]
        id = "agent-dan"
        name = "Dan"
        [[profiles.acme.tags]]
        id = "tag-vip"
        title = "VIP"
        [profiles.acme.team]
        url = "postgresql://noa@db.example.com/frontdesk"
        account = "acme"
        [[macros]]
        name = "Wait"
        key = "B"
        do = ["status standby", "snooze until they write"]
        [[macros]]
        name = "Tag"
        key = "K"
        do = ["tag VIP"]
        """
    )
    frontdesk.environ["FRONTDESK_PROFILE"] = "acme"
    return frontdesk


def status(service: SandboxService, task: str) -> str:
    return str(service.ask(f"tasks/{task}", method="GET")["task"]["statusCase"])


def store_tasks(frontdesk: Frontdesk, service: SandboxService, tasks: list[str]) -> None:
    """Have the store know tasks, and their conversations, as if an engine had read them."""
    raws = [service.ask(f"tasks/{each}", method="GET")["task"] for each in tasks]
    with frontdesk.store() as store:
        store.write(lambda db: task_store.put(db, raws)).result()


def change_by_hand(frontdesk: Frontdesk, service: SandboxService, tasks: list[str], **fields: str) -> None:
    """Change tasks as a screen does, which leaves the sending to an engine."""
    store_tasks(frontdesk, service, tasks)

    def change(db: apsw.Connection) -> None:
        made = Made("by hand", "By hand", time.time())
        task_changes.change_tasks(db, tasks, fields, made)  # type: ignore[arg-type]
        batches.record(db, made)

    with frontdesk.store() as store:
        store.write(change).result()


def test_undo_and_redo_are_sent_by_the_command(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    assert frontdesk("tasks", "complete", *tasks).status == 0
    assert frontdesk("undo").out == "Undone: Status Completed (2 records).\n"
    assert [status(service, each) for each in tasks] == ["open", "open"]
    again = frontdesk("redo", "--json").row
    assert again.keys() == {"action", "count", "dryRun", "problems", "changes"}
    assert (again["count"], again["problems"], again["dryRun"]) == (2, [], False)
    assert {each["state"] for each in again["changes"]} == {"confirmed"}
    assert [status(service, each) for each in tasks] == ["completed", "completed"]
    assert {each.state for each in recorded(frontdesk)} == {ChangeState.CONFIRMED}
    number = str(recorded(frontdesk)[0].change_id)
    assert frontdesk("undo", number).out == "Undone: Status Completed (1 record).\n"
    assert sorted(status(service, each) for each in tasks) == ["completed", "open"]


@pytest.mark.slow
def test_a_running_engine_sends_them_and_needs_no_credentials_of_the_command(
    acme: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine(acme):
        assert acme("tasks", "complete", tasks[0]).status == 0
        for name in ("FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BEARER", "FRONTDESK_BASE_URL"):
            del acme.environ[name]
        monkeypatch.setattr(library, "open_client", lambda **_: pytest.fail("the engine sends it"))
        assert acme("undo").out == "Undone: Status Completed (1 record).\n"
        assert status(service, tasks[0]) == "open"
        assert acme("redo").status == 0
        assert status(service, tasks[0]) == "completed"


def test_what_goes_nowhere_needs_neither_credentials_nor_http(
    acme: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    for name in ("FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BEARER", "FRONTDESK_BASE_URL"):
        del acme.environ[name]
    change_by_hand(acme, service, tasks, title="x")
    before = len(service.control("requests", method="GET"))
    for words in (["tasks", "snooze", tasks[0], "--until", "+3d"], ["undo"], ["redo"], ["undo"], ["undo"]):
        script = f"import sys; from frontdesk.cli.main import run; status = run({words!r})\n"
        script += "print(sorted({'httpx', 'truststore'} & set(sys.modules))); sys.exit(status)"
        ran = subprocess.run([sys.executable, "-c", script], env=acme.environ, capture_output=True, text=True)
        assert (ran.returncode, ran.stderr, ran.stdout.splitlines()[-1]) == (0, "", "[]"), words
    assert len(service.control("requests", method="GET")) == before
    assert {each.state for each in recorded(acme) if each.label == "By hand"} == {ChangeState.UNDONE}


@pytest.mark.parametrize("verb", ["undo", "redo"])
@pytest.mark.parametrize(
    ("fault", "code"), [({}, 4), ({"status": 401}, 3), ({"kind": "drop"}, 4)], ids=["busy", "credentials", "down"]
)
def test_what_can_not_be_sent_is_taken_back_and_tried_again_by_the_next(
    frontdesk: Frontdesk,
    service: SandboxService,
    tasks: list[str],
    verb: str,
    fault: dict[str, Any],
    code: int,
) -> None:
    frontdesk("tasks", "update", tasks[1], "--title", "earlier")
    frontdesk("tasks", "complete", tasks[0])
    if verb == "redo":
        frontdesk("undo")
    before = status(service, tasks[0])
    service.faults(DOWN | fault if fault.get("kind") != "drop" else {**fault, "path": "/tasks/"})
    typed = frontdesk(verb)
    assert (typed.status, typed.out, typed.err.count("\n")) == (code, "", 1), typed
    assert not [each for each in recorded(frontdesk) if each.state in (*UNCONFIRMED, *NEEDS_PERSON)]
    tried = frontdesk(verb, "--json")
    assert (tried.status, tried.row["count"], len(tried.row["problems"])) == (code, 0, 1)
    service.faults()
    assert status(service, tasks[0]) == before
    assert frontdesk(verb, "--json").row["count"] == 1
    assert status(service, tasks[0]) == {"undo": "open", "redo": "completed"}[verb]


def test_missing_credentials_are_said(frontdesk: Frontdesk, service: SandboxService, tasks: list[str]) -> None:
    frontdesk("tasks", "complete", tasks[0])
    words = frontdesk.fails(3, "undo", FRONTDESK_COOKIE="")
    assert "not configured" in words
    assert "frontdesk login" in words
    assert frontdesk("undo").status == 0
    assert status(service, tasks[0]) == "open"


def test_of_several_the_failing_one_is_named_and_the_next_undo_goes_on_with_it(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    frontdesk("tasks", "complete", *tasks)
    service.faults({**DOWN, "path": f"/tasks/{tasks[1]}"})
    typed = frontdesk("undo")
    assert (typed.status, typed.out) == (4, "Undone: Status Completed (1 record).\n")
    assert typed.err.startswith(f"frontdesk: {tasks[1]}: update task: too many requests")
    service.faults()
    assert frontdesk("undo", "--json").row["count"] == 1
    assert [status(service, each) for each in tasks] == ["open", "open"]


def test_an_undo_of_what_a_colleague_has_changed_is_refused_and_waits_for_nobody(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    frontdesk("tasks", "complete", tasks[0])
    service.ask(f"tasks/{tasks[0]}", {"statusCase": "standby"}, "PATCH")
    assert frontdesk.fails(1, "undo") == "someone else changed this in the meantime"
    assert status(service, tasks[0]) == "standby"
    assert frontdesk("outbox", "list", "--json").rows == []
    assert frontdesk("undo", "--json").row["count"] == 0


def test_an_undo_of_an_unknown_outcome_finds_it_out_first(
    frontdesk: Frontdesk,
    service: SandboxService,
    tasks: list[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "drop", "after": True, "times": 1})
    with monkeypatch.context() as patch:
        patch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
        frontdesk.fails(4, "tasks", "complete", tasks[0])
        stuck = frontdesk.fails(4, "undo")
        assert "it is change 1 of `frontdesk outbox list`, and nothing was sent this time" in stuck
    request.getfixturevalue("quick_read_backs")
    assert frontdesk("undo", "--json").row["count"] == 1
    assert status(service, tasks[0]) == "open"
    assert [each.state for each in recorded(frontdesk) if each.undoes is None] == [ChangeState.CONFIRMED]


@pytest.mark.slow
def test_what_an_engine_sends_meanwhile_is_told_although_an_earlier_outcome_is_unknown(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = f"/tasks/{tasks[1]}"
    service.faults({"path": stuck, "method": "PATCH", "kind": "drop", "after": True, "times": 1})
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
    frontdesk.fails(4, "tasks", "complete", *tasks)
    service.faults({"path": stuck, "kind": "status", "status": 503})
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 5.0)
    with engine(frontdesk):
        typed = frontdesk("undo", "--json")
    assert (typed.status, typed.row["count"], len(typed.row["problems"])) == (4, 1, 1)
    words = typed.row["problems"][0]
    assert words.startswith(f"{tasks[1]}: ")
    assert words.endswith("it is change 2 of `frontdesk outbox list`, and this wasn't sent")
    service.faults()
    assert [status(service, each) for each in tasks] == ["open", "completed"]


@pytest.mark.slow
def test_an_outcome_that_was_found_out_does_not_end_the_wait_for_another(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frontdesk("tasks", "complete", *tasks)
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 10.0)
    service.faults(
        {"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "drop", "after": True, "times": 1},
        {"path": f"/tasks/{tasks[1]}", "kind": "delay", "seconds": 6},
    )
    with engine(frontdesk):
        typed = frontdesk("undo", "--json")
    assert (typed.status, typed.row["count"]) == (0, 2), typed


def test_an_undo_whose_outcome_is_unknown_is_listed(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frontdesk("tasks", "complete", tasks[0])
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "drop", "after": True, "times": 1})
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
    words = frontdesk.fails(4, "undo")
    assert "frontdesk checks it when it runs; see change 2 of `frontdesk outbox list`" in words
    assert [row["state"] for row in frontdesk("outbox", "list", "--json").rows] == ["unknown"]


def test_a_disk_that_fails_while_an_undo_is_sent_is_no_wrong_input(
    frontdesk: Frontdesk, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frontdesk("tasks", "complete", tasks[0])

    async def full(*_: Any) -> None:
        raise write_session.StoreUnusable("the disk is full")

    monkeypatch.setattr(TaskConfirmation, "confirm", full)
    words = frontdesk.fails(4, "undo")
    assert words.startswith("the disk is full; stopped while it was being sent")


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_one_that_is_ended_is_taken_back(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], sign: signal.Signals
) -> None:
    frontdesk("tasks", "complete", tasks[0])
    with elsewhere(frontdesk):
        command = process(frontdesk, "undo")
        until(lambda: len(recorded(frontdesk)) == 2)
        command.send_signal(sign)
        _, err = command.communicate(timeout=20)
    assert (command.returncode, err) == (128 + sign, "frontdesk: stopped; nothing was sent\n")
    assert frontdesk("undo", "--json").row["count"] == 1
    assert status(service, tasks[0]) == "open"


def test_another_business_than_the_profiles_is_not_written_to(
    acme: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    assert acme("tasks", "complete", tasks[0]).status == 0
    stored = Path(acme.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "credentials.toml"
    stored.write_text(f'[acme]\napi_key = "another"\norigins = ["{service.url}"]\n')
    stored.chmod(0o600)
    words = acme.fails(2, "undo")
    assert words == "FRONTDESK_API_KEY isn't the key of profile acme, with which frontdesk would send it"
    assert status(service, tasks[0]) == "completed"
    assert not [each for each in recorded(acme) if each.state in UNCONFIRMED]
    assert acme.fails(2, "macros", "run", "wait", tasks[0]) == words
    with acme.store() as store:
        assert not queue.all_kept(store.reading, ChangeKind.SNOOZE_TASK)
    assert acme("tasks", "snooze", tasks[0], "--until", "+3d").status == 0


def refuse_by_hand(frontdesk: Frontdesk, service: SandboxService, task: str, **fields: str) -> str:
    change_by_hand(frontdesk, service, [task], **fields)
    with frontdesk.store() as store:
        change_id = queue.newest(store.reading)
        states = {"expected": tuple(ChangeState), "now": time.time(), "reason": "why"}
        store.write(lambda db: queue.move(db, change_id, ChangeState.REFUSED, **states)).result()  # type: ignore[arg-type]
    return str(change_id)


def test_a_resent_change_is_sent_and_what_fails_waits_for_a_decision_again(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    number = refuse_by_hand(frontdesk, service, tasks[0], statusCase="completed")
    before = frontdesk("outbox", "list").out
    service.faults(DOWN)
    typed = frontdesk("outbox", "retry", number, "--json")
    assert (typed.status, typed.row) == (4, {"change": int(number), "queuedAs": None, "dryRun": False})
    assert "too many requests" in typed.err
    assert f"; see change {number} of `frontdesk outbox list`" in typed.err
    assert frontdesk("outbox", "list").out == before
    service.faults()
    assert status(service, tasks[0]) == "open"
    assert frontdesk("outbox", "retry", number).out == f"change {number} was resent as {int(number) + 2}\n"
    assert status(service, tasks[0]) == "completed"
    assert frontdesk("outbox", "list", "--json").rows == []


def test_a_resent_change_that_is_refused_again_is_still_listed(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    number = refuse_by_hand(frontdesk, service, tasks[0], statusCase="no-such-status")
    words = frontdesk.fails(1, "outbox", "retry", number)
    (listed,) = frontdesk("outbox", "list", "--json").rows
    assert (listed["state"], words) == (
        "refused",
        f"{listed['reason']}; see change {listed['change_id']} of `frontdesk outbox list`",
    )


def leave_campaign(frontdesk: Frontdesk, campaign_id: str, state: ChangeState, reason: str, sends: int = 0) -> str:
    """Have a campaign wait for a decision; return its number."""

    def leave(db: apsw.Connection) -> int:
        made = Made(new_batch(), "", time.time())
        campaign_changes.create(db, None, campaign_body(campaign_id), made, keeps_draft=False)
        change_id = queue.newest(db)
        sent_at = time.time() - 100 if sends else None
        db.execute(
            "UPDATE outbox.changes SET sends = ?, sent_at = ? WHERE change_id = ?", (sends, sent_at, change_id)
        )
        queue.move(db, change_id, state, expected=tuple(ChangeState), now=time.time(), reason=reason)
        return change_id

    with frontdesk.store() as store:
        return str(store.write(leave).result())


def test_the_content_of_a_campaign_that_could_not_be_resent_is_kept(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    number = leave_campaign(frontdesk, "resent", ChangeState.REFUSED, "why")
    service.faults({"path": "/campaigns", "kind": "status", "status": 429})
    frontdesk.fails(4, "outbox", "retry", number)
    service.faults()
    assert frontdesk("outbox", "retry", number).status == 0
    assert frontdesk("campaigns", "get", "resent", "--json").row["id"] == "resent"


def test_a_campaign_that_may_have_been_sent_is_not_called_rejected_after_a_retry(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    number = leave_campaign(frontdesk, "perhaps", ChangeState.CONFLICT, f"no response; {NOT_SEEN}", sends=1)
    (before,) = frontdesk("outbox", "list", "--json").rows
    service.faults({"path": "/campaigns", "kind": "status", "status": 429})
    assert f"see change {number} of" in frontdesk.fails(4, "outbox", "retry", number)
    service.faults()
    (listed,) = frontdesk("outbox", "list", "--json").rows
    names = ("change_id", "state", "reason", "sends", "sent_at", "theirs")
    assert {each: listed[each] for each in names} == {each: before[each] for each in names}


def test_a_macro_is_done_as_a_whole_or_not_at_all(
    acme: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    store_tasks(acme, service, tasks)
    service.faults(DOWN)
    typed = acme("macros", "run", "wait", tasks[0], "--json")
    assert (typed.status, typed.row["count"], len(typed.row["problems"])) == (4, 0, 1)
    assert acme("macros", "run", "wait", tasks[0]).out == ""
    with acme.store() as store:
        assert not queue.all_kept(store.reading, ChangeKind.SNOOZE_TASK)
    service.faults()
    assert acme("redo", "--json").row["count"] == 0
    assert acme("macros", "run", "wait", *tasks).out == "Wait: 2 records.\n"
    assert [status(service, each) for each in tasks] == ["standby", "standby"]
    assert acme("undo").status == 0
    assert [status(service, each) for each in tasks] == ["open", "open"]


def test_a_macro_does_nothing_on_a_record_that_the_platform_refuses(
    acme: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    store_tasks(acme, service, tasks)
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "status", "status": 400})
    typed = acme("macros", "run", "wait", *tasks)
    assert (typed.status, typed.out) == (1, "Wait: 1 record.\n")
    service.faults()
    with acme.store() as store:
        assert [*queue.all_kept(store.reading, ChangeKind.SNOOZE_TASK)] == [tasks[1]]
    assert acme("undo", "--json").row["count"] == 1
    assert [status(service, each) for each in tasks] == ["open", "open"]
    with acme.store() as store:
        assert not queue.all_kept(store.reading, ChangeKind.SNOOZE_TASK)


def test_a_tag_of_a_macro_is_sent_without_the_time_for_an_undo(acme: Frontdesk, service: SandboxService) -> None:
    rows = acme("tasks", "list", "--limit", "300", "--json").rows
    task = next(row for row in rows if row.get("participantsIdentifiers", CONVERSATION) != CONVERSATION)
    store_tasks(acme, service, [task["taskId"]])
    done = acme("macros", "run", "tag", task["participantsIdentifiers"], "--json").row
    assert [each["state"] for each in done["changes"]] == ["confirmed"]


def test_a_hand_over_tells_the_team_only_if_the_task_is_given(acme: Frontdesk, service: SandboxService) -> None:
    task = new_task(service, participantsIdentifiers=CONVERSATION)
    store_tasks(acme, service, [task])
    words = ("conversations", "hand-over", CONVERSATION, "agent-dan", "what is open")
    service.faults(DOWN)
    assert "too many requests" in acme.fails(4, *words)
    assert not [each for each in recorded(acme) if each.state in UNCONFIRMED]
    service.faults()
    typed = acme(*words)
    assert (typed.status, typed.err) == (0, "")
    assigned = 'assigned: "New" for 447700954330. It reaches your team when frontdesk runs.'
    assert typed.out == f"Handed {CONVERSATION} over to Dan; {assigned}\n"
    assert service.ask(f"tasks/{task}", method="GET")["task"]["assignedAgentIds"] == ["agent-dan"]
    assert [each["kind"] for each in acme("outbox", "list", "--json").rows] == ["note"]


def test_what_a_killed_command_left_for_a_day_is_decided_by_a_person(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    change_by_hand(frontdesk, service, [tasks[0]], statusCase="completed")
    with frontdesk.store() as store:
        store.write(
            lambda db: db.execute("UPDATE outbox.changes SET made_at = made_at - 90000, send_after = 0")
        ).result()
    assert frontdesk("tasks", "update", tasks[0], "--title", "x", "--json").row["statusCase"] == "open"
    listed = frontdesk("outbox", "list").out
    assert "not sent, because it waited for over a day" in listed
    assert writes(service, tasks[0]) == 1
