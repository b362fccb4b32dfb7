"""What scripts rely on: every command has --json, and what writes has --dry-run, which changes nothing."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.command_tree import LEAVES, has_option
from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from sample_json import campaign_body, raw_task

WITHOUT_JSON = {
    "demo": "opens the inbox",
    "open": "opens the inbox",
    "sandbox": "serves until it is stopped",
    "sync": "runs until it is stopped",
    "docs": "prints a page of text",
    "completion": "prints a shell script",
    "config path": "prints a path",
    "config edit": "opens an editor; `config check --json` has the problems",
    "web": "serves until it is stopped",
    "login": "asks for secrets; `doctor --json` says whether they work",
    "messages export": "writes Markdown or HTML; `messages list --json` has the messages",
    "conversations export": "writes CSV, Markdown or HTML; `conversations list --json` has the rows",
    "campaigns report": "writes Markdown; `campaigns compare --json` and `samples --json` have the figures",
    "workflows export": "writes JSON as it is",
}
"""By the command's words, why it has no --json."""

READS = frozenset(
    {
        *("doctor", "search", "journal", "stats", "demo", "open", "sandbox", "sync", "docs", "completion", "web"),
        *("tasks list", "tasks show", "tasks history", "messages list", "messages export"),
        *("conversations list", "conversations export", "agents list", "agents show"),
        *("campaigns get", "campaigns list", "campaigns samples", "campaigns compare", "campaigns report"),
        *("campaigns audience", "campaigns failures"),
        *("workflows list", "workflows show", "workflows check", "workflows try", "workflows diff"),
        *("workflows export", "workflows versions", "workflows snapshots"),
        *("config path", "config check", "outbox list", "views list", "macros list", "team status", "team doctor"),
    }
)
"""Commands that change nothing by themselves."""

WITHOUT_DRY_RUN = {
    "login": "asks before it stores anything",
    "config edit": "the editor asks before it saves",
    "logout": "removes what login stores again",
    "team init": "can be repeated: what is there stays",
    "team add": "can be repeated: what isn't named stays",
    "team remove": "`team add` brings the person back",
    "team forget": "refuses without --yes; the database's owner can look first",
}
"""By the command's words, why it writes and has no --dry-run."""


def without(option: str) -> set[str]:
    return {name for name in LEAVES if not has_option(name, option)}


def test_a_command_prints_json_or_a_reason_says_why_not() -> None:
    assert without("--json") == {*WITHOUT_JSON}


def test_a_command_that_writes_has_a_dry_run_or_a_reason_says_why_not() -> None:
    assert without("--dry-run") == {*READS, *WITHOUT_DRY_RUN}


PLATFORM: Mapping[str, Sequence[str]] = {
    "tasks update": ("task-1", "task-2", "--assign=+agent-noa", "--status", "standby"),
    "tasks complete": ("task-1",),
    "tags assign": ("442079460018#447700954330", "vip"),
    "campaigns create": ("--file", "{campaign}"),
    "workflows create": ("wf-new", "--folder", "folder-service", "--file", "{workflow}"),
    "workflows update": ("wf-survey", "--file", "{workflow}", "--despite-errors"),
    "workflows restore": ("wf-survey", "1"),
    "workflows activate": ("{inactive}",),
    "workflows deactivate": ("wf-survey",),
    "workflows reset-analytics": ("wf-survey",),
    "webhooks delete": ("hook-1",),
}
"""By the command's words, what follows them; it would be sent to the platform."""

STORE: Mapping[str, Sequence[str]] = {
    "undo": (),
    "redo": (),
    "tasks snooze": ("t1", "--until", "+3d"),
    "conversations snooze": ("L1#C1", "--until", "until they write"),
    "conversations read": ("L1#C1",),
    "conversations unread": ("L1#C1",),
    "conversations no-answer": ("L1#C1",),
    "conversations note": ("L1#C1", "what is open"),
    "conversations hand-over": ("L1#C1", "agent-dan", "what is open"),
    "conversations take-back": ("L1#C1",),
    "campaigns watch": ("cmp-1", "--add"),
    "campaigns unwatch": ("cmp-0",),
    "campaigns alerts": ("--dismiss",),
    "outbox retry": ("2",),
    "outbox drop": ("2",),
    "views add": ("angry", "tag:vip"),
    "views remove": ("late",),
    "views share": ("angry", "--match", "tag:vip"),
    "macros run": ("Wait", "t1"),
    "forget": ("acme",),
}
"""By the command's words, what follows them; it would change the store."""


def test_each_dry_run_is_tried() -> None:
    assert {*PLATFORM, *STORE} == LEAVES.keys() - without("--dry-run")


def test_each_command_that_sends_can_send_without_a_store() -> None:
    assert {name for name in LEAVES if has_option(name, "--direct")} == {*PLATFORM}


@pytest.fixture
def acme(frontdesk: Frontdesk, service: SandboxService) -> Frontdesk:
    """A profile with a team, a macro and a watched campaign, and a store with two changes, one of them refused."""
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
        [profiles.acme.team]
        url = "postgresql://noa@db.example.com/frontdesk"
        account = "acme"
        [[settings.views]]
        name = "late"
        match = "waiting>2h"
        [[macros]]
        name = "Wait"
        key = "B"
        do = ["status standby", "assign +me", "snooze until they write"]
        """
    )
    frontdesk.environ["FRONTDESK_PROFILE"] = "acme"

    def fill(db: Any) -> None:
        task_store.put(db, [raw_task(number) for number in (1, 2)])
        for number in (1, 2):
            task_changes.change_tasks(db, [f"t{number}"], {"title": "x"}, Made(f"b{number}", "Edit", 1.0))
        queue.move(db, 2, ChangeState.REFUSED, expected=tuple(ChangeState), now=2.0, reason="why")

    with frontdesk.store() as store:
        store.write(fill).result()
    assert frontdesk("conversations", "note", "L1#C1", "a note").status == 0
    assert frontdesk("campaigns", "watch", "cmp-0", "--add").status == 0
    return frontdesk


def rows_of(store: Store) -> list[Any]:
    """Return all that a person did, and what waits to be sent."""
    return [
        store.reading.execute(f"SELECT * FROM outbox.{table} ORDER BY 1, 2").fetchall()
        for table in ("changes", "deeds", "kept")
    ]


def test_a_dry_run_says_what_it_would_change_and_leaves_the_store_alone(acme: Frontdesk) -> None:
    with acme.store() as store:
        before = rows_of(store)
        for name, given in STORE.items():
            words = (*name.split(), *given, "--dry-run")
            assert "othing was changed" in acme(*words).out, name
            typed = acme(*words, "--json")
            assert typed.row["dryRun"] is True, name
            assert typed.status == 0, typed
            assert rows_of(store) == before, name


def test_what_a_dry_run_would_change_is_what_is_changed_then(
    acme: Frontdesk, service: SandboxService, tasks: list[str]
) -> None:
    raw = service.ask(f"tasks/{tasks[0]}", method="GET")["task"]
    with acme.store() as store:
        store.write(lambda db: task_store.put(db, [raw])).result()
    words = ("macros", "run", "wait", tasks[0], "--json")
    tried, done = acme(*words, "--dry-run").row, acme(*words).row
    assert (done["action"], done["count"], done["problems"]) == ("Macro: Wait", 1, [])
    assert [each["kind"] for each in tried["changes"]] == [each["kind"] for each in done["changes"]]
    assert done["changes"][0]["fields"] == {
        "statusCase": "standby",
        "assignedAgentIds": {"add": ["agent-noa"], "remove": []},
    }
    undone = acme("undo", "--json").row
    assert (undone["action"], undone["count"]) == ("Macro: Wait", 1)
    assert acme("redo", "--json").row["count"] == 1


@pytest.fixture
def files(tmp_path: Path, frontdesk: Frontdesk) -> dict[str, str]:
    """Names of files, and of a workflow that is off."""
    workflows = frontdesk("workflows", "list", "--json").rows
    whole = frontdesk("workflows", "export", "wf-survey").out
    paths = {"campaign": json.dumps(campaign_body("cmp-dry")), "workflow": whole}
    for name, text in paths.items():
        (tmp_path / f"{name}.json").write_text(text)
    inactive = next(each["id"] for each in workflows if not each["isActive"])
    return {name: str(tmp_path / f"{name}.json") for name in paths} | {"inactive": inactive}


def test_a_dry_run_prints_the_request_and_sends_none(
    frontdesk: Frontdesk, service: SandboxService, files: dict[str, str]
) -> None:
    ids = [each["taskId"] for each in frontdesk("tasks", "list", "--limit", "2", "--json").rows]
    values = files | {"task-1": ids[0], "task-2": ids[1]}
    for name, words in PLATFORM.items():
        given = [values.get(each, each).format(**files) for each in words]
        before = len(writes(service))
        typed = frontdesk(*name.split(), *given, "--dry-run", "--json")
        if name == "workflows restore":  # nothing has been kept yet
            assert typed.status == 2
        else:
            assert typed.status == 0, typed
            if name != "workflows update":  # it prints the differences
                assert {row["dryRun"] for row in typed.rows} == {True}, name
                assert {row["method"] for row in typed.rows} <= {"POST", "PUT", "PATCH", "DELETE"}, name
                assert "Would send " in frontdesk(*name.split(), *given, "--dry-run").out, name
        assert len(writes(service)) == before, name


def writes(service: SandboxService) -> list[Any]:
    """Return the requests that change something."""
    reads = ("/tasks/list", "/getMessages", "/workflows", "/sandbox")
    asked = service.control("requests", method="GET")
    return [one for one in asked if one["method"] != "GET" and not one["path"].partition("?")[0].endswith(reads)]


def test_wrong_input_is_refused_in_a_dry_run_without_asking_the_platform(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    before = len(service.control("requests", method="GET"))
    frontdesk.fails(2, "tasks", "update", "t1", "--due", "1795190400000", "--dry-run")
    frontdesk.fails(2, "tasks", "complete", "..", "--dry-run")
    frontdesk.fails(2, "campaigns", "create", "--file", "-", "--dry-run", stdin="{}")
    assert len(service.control("requests", method="GET")) == before


def test_a_dry_run_is_allowed_in_a_read_only_run(acme: Frontdesk) -> None:
    assert acme("--read-only", "tasks", "complete", "t1", "--dry-run").status == 0
    assert acme("--read-only", "tasks", "snooze", "t1", "--until", "+3d", "--dry-run").status == 0
    acme.fails(2, "--read-only", "tasks", "snooze", "t1", "--until", "+3d")


def test_tasks_are_read_from_standard_input_and_a_refused_one_stops_no_other(
    frontdesk: Frontdesk, service: SandboxService
) -> None:
    made = [service.control("tasks", {"title": f"n{n}", "phoneNumberId": "442079460018"}) for n in range(2)]
    ids = [str(each.get("taskId") or each["task"]["taskId"]) for each in made]
    typed = frontdesk("tasks", "complete", "-", "--json", stdin=f"{ids[0]}\n\nnone\n{ids[1]}\n")
    assert [(row["taskId"], row["statusCase"]) for row in typed.rows] == [(each, "completed") for each in ids]
    assert typed.status == 1
    assert typed.err.startswith("frontdesk: none: ")
    assert frontdesk("tasks", "complete", "-", stdin="\n").status == 0


def test_people_are_added_and_removed_and_others_stay(acme: Frontdesk, service: SandboxService) -> None:
    made = service.control(
        "tasks", {"title": "n", "phoneNumberId": "442079460018", "assignedAgentIds": ["a", "b"]}
    )
    task = str(made.get("taskId") or made["task"]["taskId"])
    changed = acme("tasks", "update", task, "--assign=-a,+me", "--json").row
    assert changed["assignedAgentIds"] == ["b", "agent-noa"]
    assert "before none" in acme.fails(2, "tasks", "update", task, "--assign", "a,+b")
