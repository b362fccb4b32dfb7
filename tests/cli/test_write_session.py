"""Commands that write go through the outbox: with an engine and without, cut off, and beside others' changes."""

import json
import os
import re
import signal
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from cli.writing import LINE, NOWHERE, elsewhere, engine, new_task, process, recorded, until, writes
from frontdesk.cli import write_session
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change, ChangeState, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.tasks.cli import update as cli_update
from frontdesk.tasks.delivery import TaskConfirmation, TaskDelivery
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import NotSent
from frontdesk_api.contract.ids import TaskId
from sample_json import campaign_body, raw_task

pytestmark = pytest.mark.usefixtures("frontdesk_store")


def test_a_command_is_a_change_like_any_other(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    typed = frontdesk("tasks", "complete", *tasks, "--json")
    assert (typed.status, typed.err) == (0, "")
    assert [row["statusCase"] for row in typed.rows] == ["completed", "completed"]
    found = recorded(frontdesk)
    assert [(each.label, each.state) for each in found] == [("Status: Completed", ChangeState.CONFIRMED)] * 2
    assert [row["what"] for row in frontdesk("journal", "--json").rows] == ["Status: Completed"] * 2
    assert frontdesk("outbox", "list", "--json").rows == []
    assert frontdesk("tasks", "history", tasks[0], "--json").row["transitions"][0]["after"] == "completed"
    assert frontdesk("undo", "--json").row["count"] == 2
    assert frontdesk("tasks", "update", tasks[0], "--title", "Anew", "--json").row["statusCase"] == "open"


def test_what_has_these_values_already_is_not_sent(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    before = service.ask(f"tasks/{tasks[0]}", method="GET")
    typed = frontdesk("tasks", "update", tasks[0], "--status", "open")
    assert typed.out == f"Nothing changed: New a ({tasks[0]}) already had these values.\n"
    assert frontdesk("tasks", "update", tasks[0], "--status", "open", "--json").row["taskId"] == tasks[0]
    assert service.ask(f"tasks/{tasks[0]}", method="GET") == before
    assert recorded(frontdesk) == []


def test_fields_of_several_kinds_are_one_action(frontdesk: Frontdesk, tasks: list[str]) -> None:
    words = ("--status", "standby", "--assign", "a,b", "--due", "none", "--title", "x", "--viewed-by", "a")
    changed = frontdesk("tasks", "update", tasks[0], *words, "--json").row
    assert (changed["viewedByAgentIds"], changed["assignedAgentIds"]) == (["a"], ["a", "b"])
    (change,) = recorded(frontdesk)
    assert change.label == "Status: In progress, Assign: +a +b, Due: none, Edit title and viewers"
    assert frontdesk("tasks", "update", tasks[0], "--assign", "b,c", "--json").row["assignedAgentIds"] == [
        "b",
        "c",
    ]
    assert frontdesk("undo").status == 0
    assert frontdesk("undo").status == 0
    undone = frontdesk("tasks", "update", tasks[0], "--body", "y", "--json").row
    assert (undone["viewedByAgentIds"], undone["assignedAgentIds"], undone["title"]) == ([], [], "New a")


def test_what_is_refused_is_said_and_waits_for_nobody(frontdesk: Frontdesk, tasks: list[str]) -> None:
    words = frontdesk.fails(1, "tasks", "update", tasks[0], "--status", "no-such-status")
    (change,) = recorded(frontdesk)
    assert (change.state, change.reason) == (ChangeState.DROPPED, words)
    assert frontdesk("outbox", "list", "--json").rows == []


def test_what_a_colleague_changes_meanwhile_is_not_overwritten(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add = cli_update.set_fields

    def changed_first(*given: Any, **options: Any) -> Any:
        service.ask(f"tasks/{tasks[0]}", {"title": "Theirs"}, "PATCH")
        return add(*given, **options)

    monkeypatch.setattr(cli_update, "set_fields", changed_first)
    words = frontdesk.fails(1, "tasks", "update", tasks[0], "--title", "Mine")
    assert words == "someone else changed this in the meantime"
    assert service.ask(f"tasks/{tasks[0]}", method="GET")["task"]["title"] == "Theirs"
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.DROPPED]


def test_what_another_command_sends_meanwhile_is_no_colleagues(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, others = PlatformClient.get_task, [["--title", "First"], ["--status", "standby"]]

    async def overtaken(client: PlatformClient, task_id: TaskId) -> Any:
        found = await read(client, task_id)
        if others:
            other = process(frontdesk, "tasks", "update", tasks[0], *others.pop())
            assert other.communicate(timeout=30)[1] == ""
        return found

    monkeypatch.setattr(PlatformClient, "get_task", overtaken)
    typed = frontdesk("tasks", "update", tasks[0], "--title", "Second", "--json")
    assert (typed.row["title"], typed.row["statusCase"], others) == ("Second", "standby", [])
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.CONFIRMED] * 3
    history = frontdesk("tasks", "history", tasks[0], "--json").row["transitions"]
    titles = [(each["before"], each["after"]) for each in history if each["field"] == "title"]
    assert titles == [("First", "Second"), ("New a", "First")]


def tagged(service: SandboxService) -> int:
    return sum(path.endswith("/tags") for path in service.asked("POST"))


def test_what_a_platform_that_is_down_did_not_get_is_not_sent_later(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    service.faults({"path": "/tags", "kind": "status", "status": 429, "headers": {"Retry-After": "60"}})
    words = ("tags", "assign", f"{LINE}#447700954330", "vip")
    assert "the platform asked for 60 seconds" in frontdesk.fails(4, *words)
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.DROPPED]
    service.faults()
    before = tagged(service)
    assert frontdesk("tasks", "complete", tasks[0]).status == 0
    assert tagged(service) == before
    assert "can't connect to 127.0.0.1:1" in frontdesk.fails(4, *words, FRONTDESK_BASE_URL=NOWHERE)


@pytest.mark.parametrize("fault", ["drop", "truncate"])
def test_an_outcome_that_stays_unknown_is_listed_and_settled_later_without_a_second_request(
    frontdesk: Frontdesk,
    service: SandboxService,
    tasks: list[str],
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": fault, "after": True, "times": 1})
    with monkeypatch.context() as patch:
        patch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
        words = frontdesk.fails(4, "tasks", "update", tasks[0], "--title", "x")
    (listed,) = frontdesk("outbox", "list", "--json").rows
    assert f"checks it when it runs; see change {listed['change_id']} of `frontdesk outbox list`" in words
    assert listed["state"] == "unknown"
    request.getfixturevalue("quick_read_backs")
    assert frontdesk("tasks", "complete", tasks[0], "--json").row["title"] == "x"
    assert writes(service, tasks[0]) == 2
    assert {each.state for each in recorded(frontdesk)} == {ChangeState.CONFIRMED}


@pytest.mark.usefixtures("quick_read_backs")
def test_what_it_waits_for_is_said(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_session, "SAID_SECONDS", 0.0)
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "drop", "after": True})
    typed = frontdesk("tasks", "update", tasks[0], "--title", "x")
    assert typed.status == 0
    assert re.search("broke before.*; checking for up to 1 second whether it went through", typed.err)


def test_other_changes_stay_and_earlier_ones_of_the_task_go_first(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    raws = [service.ask(f"tasks/{each}", method="GET")["task"] for each in tasks]

    def fill(db: Any) -> None:
        task_store.put(db, [*raws, raw_task(1)])
        for task, fields in ((tasks[0], {"title": "Typed"}), (tasks[1], {"title": "Other"})):
            task_changes.change_tasks(db, [task], fields, Made(task, "Edit", time.time()))

    with frontdesk.store() as store:
        store.write(fill).result()
    made_at = time.time()
    assert frontdesk("tasks", "complete", tasks[0], "--json").row["title"] == "Typed"
    assert time.time() >= made_at + task_changes.TASK_HOLD_SECONDS - 0.1, "its undo delay was over first"
    assert {each.target: each.state for each in recorded(frontdesk)} == {
        tasks[0]: ChangeState.CONFIRMED,
        tasks[1]: ChangeState.HELD,
    }
    assert (writes(service, tasks[0]), writes(service, tasks[1])) == (1, 0)


def test_a_store_that_can_not_be_opened_is_said_and_direct_needs_none(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    with frontdesk.store() as store:
        folder = store.folder
    (folder / "outbox.db").unlink()
    (folder / "outbox.db").mkdir()
    assert "to send it without the store, add --direct" in frontdesk.fails(2, "tasks", "complete", tasks[0])
    assert writes(service, tasks[0]) == 0
    assert frontdesk("tasks", "complete", tasks[0], "--direct", "--json").row["statusCase"] == "completed"


@pytest.mark.slow
def test_a_running_engine_sends_it(frontdesk: Frontdesk, service: SandboxService, tasks: list[str]) -> None:
    with engine(frontdesk):
        typed = frontdesk("tasks", "complete", *tasks, "--json")
        assert [row["statusCase"] for row in typed.rows] == ["completed", "completed"], typed
        frontdesk.fails(1, "tasks", "update", tasks[0], "--status", "no-such-status")
        assert frontdesk("outbox", "list", "--json").rows == []
        assert frontdesk("undo").status == 0
        assert service.ask(f"tasks/{tasks[0]}", method="GET")["task"]["statusCase"] == "open"
        service.faults({"path": "/tags", "kind": "status", "status": 429, "headers": {"Retry-After": "60"}})
        tag = ("tags", "assign", f"{LINE}#447700954330", "vip")
        assert "too many requests" in frontdesk.fails(4, *tag)
    assert recorded(frontdesk)[0].state is ChangeState.DROPPED


@pytest.mark.slow
def test_a_read_only_engine_gives_way(frontdesk: Frontdesk, tasks: list[str]) -> None:
    with engine(frontdesk, "--read-only"):
        assert frontdesk("tasks", "complete", tasks[0], "--json").row["statusCase"] == "completed"


def test_what_an_engine_does_not_send_is_taken_back(
    frontdesk: Frontdesk, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_session, "UNSENT_SECONDS", 0.3)
    monkeypatch.setattr(write_session, "SAID_SECONDS", 0.1)
    with elsewhere(frontdesk):
        typed = frontdesk("tasks", "complete", tasks[0])
    assert (typed.status, typed.out) == (4, "")
    assert typed.err.splitlines() == [
        "frontdesk: waiting for the running frontdesk to send it",
        "frontdesk: it couldn't be sent within 0 seconds; nothing was sent",
    ]
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.DROPPED]


@pytest.mark.slow
def test_a_person_can_take_it_back_while_it_waits(frontdesk: Frontdesk, tasks: list[str]) -> None:
    with elsewhere(frontdesk):
        command = process(frontdesk, "tasks", "complete", tasks[0])
        until(lambda: recorded(frontdesk))
        assert frontdesk("undo", "--json").row["count"] == 1
        _, err = command.communicate(timeout=20)
    assert (command.returncode, err) == (1, "frontdesk: it was taken back in frontdesk before it was sent\n")


@pytest.mark.slow
def test_an_engine_that_ends_or_hangs_is_taken_over_from(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    with engine(frontdesk) as running:
        running.send_signal(signal.SIGTSTP)
        try:
            assert frontdesk("tasks", "complete", tasks[0], "--json").row["statusCase"] == "completed"
        finally:
            running.send_signal(signal.SIGCONT)
    assert writes(service, tasks[0]) == 1


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_a_change_that_is_settled_once(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], request: pytest.FixtureRequest
) -> None:
    service.faults({"path": f"/tasks/{tasks[0]}", "method": "PATCH", "kind": "delay", "seconds": 2.0, "times": 1})
    command = process(frontdesk, "tasks", "update", tasks[0], "--title", "x")
    until(lambda: [each.state for each in recorded(frontdesk)] == [ChangeState.SENDING])
    command.kill()
    command.communicate()
    request.getfixturevalue("quick_read_backs")
    assert frontdesk("tasks", "complete", tasks[0], "--json").row["statusCase"] == "completed"
    assert {each.state for each in recorded(frontdesk)} == {ChangeState.CONFIRMED}
    assert service.ask(f"tasks/{tasks[0]}", method="GET")["task"]["title"] == "x"


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_ended_says_whether_it_was_sent(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], sign: signal.Signals
) -> None:
    with elsewhere(frontdesk):
        command = process(frontdesk, "tasks", "complete", tasks[0])
        until(lambda: recorded(frontdesk))
        command.send_signal(sign)
        _, err = command.communicate(timeout=20)
    assert (command.returncode, err) == (128 + sign, "frontdesk: stopped; nothing was sent\n")
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.DROPPED]
    service.faults({"path": "/tasks/", "method": "PATCH", "kind": "hang", "seconds": 10, "times": 1})
    command = process(frontdesk, "tasks", "complete", tasks[0])
    until(lambda: recorded(frontdesk)[0].state is ChangeState.SENDING)
    command.send_signal(sign)
    _, err = command.communicate(timeout=20)
    assert (command.returncode, "stopped while it was being sent" in err) == (128 + sign, True)
    assert recorded(frontdesk)[0].state in (ChangeState.SENDING, ChangeState.UNKNOWN)


@pytest.mark.slow
def test_two_commands_at_once_each_send_their_own_once(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    started = [process(frontdesk, "tasks", "update", tasks[n % 2], "--title", f"t{n}", "--json") for n in range(4)]
    ended = [(*each.communicate(timeout=60), each.returncode) for each in started]
    assert [(err, status) for _, err, status in ended] == [("", 0)] * 4
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.CONFIRMED] * 4
    assert sum(writes(service, each) for each in tasks) <= 4


def on_platform(service: SandboxService, workflow: str) -> Any:
    return next(each for each in service.ask("workflows", {})["result"] if each["id"] == workflow)


@pytest.mark.slow
def test_an_engine_sends_workflows_and_campaigns_and_the_platforms_answer_is_printed(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    with engine(frontdesk):
        made = (
            "workflows",
            "create",
            "by-engine",
            "--folder",
            "folder-service",
            "--file",
            "-",
            "--despite-errors",
        )
        assert frontdesk(*made, "--json", stdin='{"name":"n"}').row.keys() >= {"message", "lastModified"}
        update = ("workflows", "update", "by-engine", "--file", "-", "--json")
        assert frontdesk(*update, stdin='{"name":"Anew"}').row["name"] == "Anew"
        assert frontdesk("workflows", "activate", "by-engine", "--json").row["isActive"] is True
        assert frontdesk("undo", "--json").row["count"] == 1
        assert not on_platform(service, "by-engine")["isActive"]
        text = json.dumps(campaign_body("by-engine"))
        assert "by-engine" in frontdesk("campaigns", "create", "--file", "-", "--json", stdin=text).row["message"]
        hook = service.control("webhooks", {})["webhookId"]
        assert frontdesk("webhooks", "delete", hook, "--yes", "--json").row["deleted"] is True
        assert "Bearer" not in frontdesk.fails(1, "webhooks", "delete", hook, "--yes")
    found = recorded(frontdesk)
    assert [each.state for each in found[1:]] == [ChangeState.CONFIRMED] * 6
    assert found[0].state is ChangeState.DROPPED


def test_what_a_person_has_just_set_is_not_called_done_before_it_is_sent(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    raw, fields = service.ask(f"tasks/{tasks[0]}", method="GET")["task"], {"statusCase": "completed"}

    def fill(db: Any) -> None:
        task_store.put(db, [raw])
        task_changes.change_tasks(db, [tasks[0]], fields, Made("by hand", "Status", time.time()))

    with frontdesk.store() as store:
        store.write(fill).result()
    assert frontdesk("tasks", "complete", tasks[0], "--json").row["statusCase"] == "completed"
    assert service.ask(f"tasks/{tasks[0]}", method="GET")["task"]["statusCase"] == "completed"
    assert writes(service, tasks[0]) == 1


@pytest.mark.parametrize(
    ("fault", "first"),
    [
        ({"kind": "status", "status": 429, "headers": {"Retry-After": "60"}}, "too many requests"),
        ({"kind": "status", "status": 401}, "credentials were refused"),
        ({"kind": "status", "status": 503}, "503"),
    ],
)
def test_after_an_error_the_rest_is_not_sent_and_what_was_done_is_printed(
    frontdesk: Frontdesk,
    service: SandboxService,
    tasks: list[str],
    fault: dict[str, Any],
    first: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
    ids = [*tasks, *(new_task(service) for _ in range(3))]
    before = len(service.asked("PATCH"))
    service.faults({"path": f"/tasks/{ids[1]}", "method": "PATCH", **fault})
    typed = frontdesk("tasks", "complete", "-", "--json", stdin="\n".join(ids))
    assert [each["taskId"] for each in typed.rows] == [ids[0]]
    assert typed.status == (3 if fault["status"] == 401 else 4)
    failed, rest = typed.err.splitlines()
    assert failed.startswith(f"frontdesk: {ids[1]}: ")
    assert first in failed
    assert rest.startswith(f"frontdesk: {', '.join(ids[2:])}: not sent, because one before it failed: ")
    assert len(service.asked("PATCH")) - before == 2


@pytest.mark.parametrize(("sign", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_is_just_being_added_at_a_signal_is_taken_back(
    frontdesk: Frontdesk, tasks: list[str], monkeypatch: pytest.MonkeyPatch, sign: signal.Signals, status: int
) -> None:
    add = cli_update.set_fields

    def interrupted(*given: Any, **options: Any) -> Any:
        os.kill(os.getpid(), sign)
        return add(*given, **options)

    monkeypatch.setattr(cli_update, "set_fields", interrupted)
    typed = frontdesk("tasks", "complete", tasks[0])
    assert (typed.status, typed.out, typed.err) == (status, "", "frontdesk: stopped; nothing was sent\n")
    assert [each.state for each in recorded(frontdesk)] == [ChangeState.DROPPED]


def test_a_disk_that_fails_after_the_request_is_no_wrong_input(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: Any) -> None:
        raise StoreUnusable("the disk is full")

    monkeypatch.setattr(TaskConfirmation, "confirm", full)
    words = frontdesk.fails(4, "tasks", "complete", tasks[0])
    assert re.fullmatch("the disk is full; stopped while it was being sent; .*; see change 1 of .*", words)
    assert writes(service, tasks[0]) == 1


def test_another_business_than_the_profiles_is_not_written_to_through_its_engine(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    folder = Path(frontdesk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'[profiles.acme]\nbase_url = "{service.url}"\n')
    stored = folder / "credentials.toml"
    stored.write_text(f'[acme]\napi_key = "another"\norigins = ["{service.url}"]\n')
    stored.chmod(0o600)
    tag = ("tags", "assign", f"{LINE}#447700954330", "vip")
    before = tagged(service)
    words = frontdesk.fails(2, *tag, FRONTDESK_PROFILE="acme")
    assert words.startswith("FRONTDESK_API_KEY isn't the key of profile acme")
    assert tagged(service) == before
    frontdesk(*tag, "--direct", FRONTDESK_PROFILE="acme")
    assert tagged(service) == before + 1
    stored.write_text(stored.read_text().replace("another", "sandbox-key"))
    frontdesk(*tag, FRONTDESK_PROFILE="acme")
    assert tagged(service) == before + 2


@pytest.mark.slow
def test_many_changes_of_a_command_let_others_have_their_turn(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [new_task(service) for _ in range(12)]
    service.faults({"path": "/tasks/", "method": "PATCH", "kind": "delay", "seconds": 1.0})
    many = process(frontdesk, "tasks", "complete", *ids, "--json")
    until(lambda: any(each.state is ChangeState.SENDING for each in recorded(frontdesk)))
    monkeypatch.setattr(write_session, "UNSENT_SECONDS", 8.0)
    assert frontdesk("tasks", "complete", tasks[0], "--json").row["statusCase"] == "completed"
    assert many.poll() is None, "the one with many isn't done yet"
    out, err = many.communicate(timeout=60)
    assert (many.returncode, err, len(out.splitlines())) == (0, "", 12)


def test_what_could_not_be_taken_back_is_not_called_unsent(
    frontdesk: Frontdesk, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add = cli_update.set_fields

    def half(*given: Any, **options: Any) -> Any:
        add(*given, **options).result()
        failed: Future[None] = Future()
        failed.set_exception(StoreUnusable("the disk is full"))
        return failed

    def full(*_: Any) -> None:
        raise StoreUnusable("the disk is full")

    monkeypatch.setattr(cli_update, "set_fields", half)
    monkeypatch.setattr(write_session, "take_back", full)
    words = frontdesk.fails(4, "tasks", "complete", tasks[0])
    assert words.startswith(
        "the disk is full; couldn't take it back, so frontdesk sends it when it runs; see change 1"
    )


@pytest.mark.slow
def test_what_of_many_was_sent_at_a_signal_is_named(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    service.faults({"path": f"/tasks/{tasks[1]}", "method": "PATCH", "kind": "delay", "seconds": 1.0})
    command = process(frontdesk, "tasks", "complete", *tasks, new_task(service))
    until(lambda: sum(each.sends for each in recorded(frontdesk)) == 2)
    command.send_signal(signal.SIGTERM)
    _, err = command.communicate(timeout=20)
    assert err == f"frontdesk: stopped; 2 of 3 had been sent: {tasks[0]}, {tasks[1]}\n"


@pytest.mark.slow
@pytest.mark.usefixtures("quick_read_backs")
def test_an_outcome_that_can_not_be_read_keeps_no_other_waiting(
    frontdesk: Frontdesk, service: SandboxService, tasks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_back = TaskDelivery.read_back

    async def fail_for_one(self: TaskDelivery, changes: Sequence[Change], *, final: bool) -> None:
        if changes[0].target == tasks[0]:
            raise NotSent("can't connect")
        await read_back(self, changes, final=final)

    with monkeypatch.context() as patch:
        patch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
        for each in tasks:
            service.faults({"path": each, "method": "PATCH", "kind": "drop", "after": True, "times": 1})
            frontdesk.fails(4, "tasks", "update", each, "--title", "x")
    monkeypatch.setattr(TaskDelivery, "read_back", fail_for_one)
    assert "nothing was sent this time" in frontdesk.fails(4, "tasks", "complete", *tasks)
    states = {each.target: each.state for each in recorded(frontdesk)}
    assert states == {tasks[0]: ChangeState.UNKNOWN, tasks[1]: ChangeState.CONFIRMED}
