"""The recipes of docs/command-line.md, as they stand there, each run by a shell against the sandbox."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import frontdesk as package
from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService, running_sandbox
from docs_checks.pages import DOCS, code_blocks, headings, section
from frontdesk.inbox.store import threads
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message

PAGE = DOCS / "command-line.md"
NEEDS_JQ = pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")

pytestmark = pytest.mark.slow

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tasks(frontdesk: Frontdesk, service: SandboxService) -> list[dict[str, Any]]:
    """Three new tasks of new conversations, and a store with them, in which the first is overdue and waits."""
    made = []
    for number in range(3):
        service.control(
            "messages",
            {
                "messageId": f"script-{number}",
                "sender": f"new{number}",
                "receiver": "442079460018",
                "message": "hello",
                "messageDirection": "incoming",
                "createdAt": 1_790_000_000_000,
            },
        )
        pair = {"participantsIdentifiers": f"442079460018#new{number}", "phoneNumberId": "442079460018"}
        due = {"dueDate": 0 if number else 1_700_000_000}
        sent = service.control("tasks", {"title": f"New {number}", "statusCase": "open", **due, **pair})
        made.append(sent.get("task", sent))
    raws = [frontdesk("tasks", "show", each["taskId"], "--json").row for each in made]
    at = ConversationId(raws[0]["participantsIdentifiers"])

    def fill(db: Any) -> None:
        task_store.put(db, raws)
        page = [raw_message(1_700_000_000, messageDirection="incoming")]
        threads.put_page(db, at, page, start=None, has_more=False, now=1_700_000_100.0)

    with frontdesk.store() as store:
        store.write(fill).result()
    return raws


@pytest.fixture
def shell(frontdesk: Frontdesk, tmp_path: Path) -> Shell:
    """Runs the code below a heading of the page, or a program of it, as a shell script."""
    source = Path(package.__file__).parents[1]
    program = tmp_path / "bin" / "frontdesk"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m frontdesk "$@"\n')
    program.chmod(0o700)
    environ = frontdesk.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def run(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-c", text, "sh", *arguments],
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def recipe(heading: str) -> str:
    (block,) = code_blocks(section(PAGE, heading))
    return block


def shown(frontdesk: Frontdesk, task: dict[str, Any]) -> Any:
    return frontdesk("tasks", "show", task["taskId"], "--json").row


@NEEDS_JQ
def test_who_waits_longest(tasks: list[dict[str, Any]], shell: Shell) -> None:
    ran = shell(recipe("Who waits longest"))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") == 1
    assert re.match(r"\d\d \w{3} \d\d:\d\d\t", ran.stdout)


@NEEDS_JQ
def test_a_look_before_a_change(frontdesk: Frontdesk, tasks: list[dict[str, Any]], shell: Shell) -> None:
    frontdesk("tasks", "update", tasks[0]["taskId"], "--assign", "agent-daniel,agent-x")
    ran = shell(recipe("Look before you change"))
    assert ran.returncode == 0, ran.stderr
    assert f"/tasks/{tasks[0]['taskId']}\n" in ran.stdout
    assert '"assignedAgentIds":["agent-x","agent-noa"]' in ran.stdout
    assert shown(frontdesk, tasks[0])["assignedAgentIds"] == ["agent-daniel", "agent-x"]


@NEEDS_JQ
def test_what_a_filter_finds_is_completed(frontdesk: Frontdesk, tasks: list[dict[str, Any]], shell: Shell) -> None:
    ran = shell(recipe("Complete what a filter finds"))
    assert (ran.returncode, ran.stdout) == (0, f"{tasks[0]['taskId']} completed\n"), ran.stderr
    assert [shown(frontdesk, each)["statusCase"] for each in tasks] == ["completed", "open", "open"]


@NEEDS_JQ
def test_five_conversations_are_given(frontdesk: Frontdesk, tasks: list[dict[str, Any]], shell: Shell) -> None:
    ran = shell(recipe("Give five conversations to somebody by Friday"))
    assert ran.returncode == 0, ran.stderr
    for each in tasks:
        now = shown(frontdesk, each)
        assert now["assignedAgentIds"] == ["agent-daniel"]
        assert now["dueDate"] > now["updatedAt"]


@NEEDS_JQ
def test_each_conversation_of_a_list_is_tagged(
    service: SandboxService, tasks: list[dict[str, Any]], shell: Shell
) -> None:
    ran = shell(recipe("Tag each conversation of a list"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    tagged = [path for path in service.asked("POST") if path.endswith("/tags")][: len(tasks)]
    assert {path.split("/")[-2].replace("%23", "#") for path in tagged} == {
        each["participantsIdentifiers"] for each in tasks
    }


@NEEDS_JQ
def test_what_can_wait_is_snoozed(frontdesk: Frontdesk, tasks: list[dict[str, Any]], shell: Shell) -> None:
    ran = shell(recipe("Snooze what can wait"))
    assert ran.returncode == 0, ran.stderr
    assert frontdesk("conversations", "list", "--json").rows == []
    assert frontdesk("undo").status == 0
    assert len(frontdesk("conversations", "list", "--json").rows) == len(tasks)


@pytest.mark.usefixtures("tasks")
def test_numbers_by_cron(shell: Shell, tmp_path: Path) -> None:
    line = recipe("Numbers every night")
    found = re.fullmatch(r"(?:[\d*]+ ){5}(.*)\n", line)
    assert found is not None
    assert not re.search(r"(?<!\\)%", line), "cron ends the command at a bare percent sign"
    ran = shell(found[1].replace("\\%", "%"))
    assert ran.returncode == 0, ran.stderr
    (written,) = tmp_path.glob("numbers-????-??-??.csv")
    assert len(written.read_text().splitlines()) > 10


@pytest.mark.parametrize(
    ("before", "campaign", "words"),
    [
        ("", "cmp-back-in-stock", ""),
        ("", "cmp-none", "Campaign cmp-none failed, was stopped or isn't there"),
        ("export FRONTDESK_BASE_URL=http://127.0.0.1:9\n", "cmp-x", "Campaign cmp-x can't be watched"),
    ],
)
def test_a_message_when_a_campaign_fails(
    shell: Shell, tmp_path: Path, before: str, campaign: str, words: str
) -> None:
    curl = tmp_path / "bin" / "curl"
    curl.write_text('#!/bin/sh\necho "$3"\n')
    curl.chmod(0o700)
    ran = shell(before + recipe("A message when a campaign fails"), campaign)
    assert (ran.returncode, ran.stdout.strip()) == (0, words), ran.stderr


@NEEDS_JQ
def test_a_script_stops_when_something_is_wrong(shell: Shell, frontdesk: Frontdesk) -> None:
    text = recipe("Stop when something is wrong")
    ran = shell(text)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
    broken = shell(f"export FRONTDESK_COOKIE=token=wrong\n{text}")
    assert (broken.returncode, broken.stdout) == (1, "")


@NEEDS_JQ
def test_the_recipes_find_something_in_a_sandbox_that_nobody_has_prepared(
    seeded: Path, filled_store: Path, tmp_path: Path, frontdesk: Frontdesk, shell: Shell
) -> None:
    with running_sandbox(seeded, tmp_path / "sandbox") as service:
        frontdesk.environ["FRONTDESK_BASE_URL"] = service.url
        with frontdesk.store() as store:
            folder = store.folder
        shutil.copytree(filled_store, folder, dirs_exist_ok=True)
        told = {each: shell(f"export FRONTDESK_BASE_URL={service.url}\n{recipe(each)}") for each in FINDING}
    assert {each: (ran.returncode, bool(ran.stdout)) for each, ran in told.items()} == dict.fromkeys(
        FINDING, (0, True)
    ), {each: ran.stderr for each, ran in told.items()}


FINDING = (
    "Who waits longest",
    "Look before you change",
    "Complete what a filter finds",
    "Give five conversations to somebody by Friday",
    "Tag each conversation of a list",
    "Snooze what can wait",
)
"""The recipes that choose tasks or conversations, in the order of the page."""


def test_each_recipe_is_tried() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    tried = [heading for heading in headings(section(PAGE, "Recipes")) if heading not in text]
    assert tried == []
