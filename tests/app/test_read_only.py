"""A read-only run: whatever is pressed, typed or run, nothing is queued and no write leaves."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.tui_story import At, story
from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk.campaigns.draft import new_draft
from frontdesk.cli import commands as cli_commands
from frontdesk.config.actions import Undo
from frontdesk.config.settings import IS_READ_ONLY, Settings, load_config
from frontdesk.config.tables import ConfigError
from frontdesk.outbox import queue
from frontdesk.registry.actions import ACTIONS, WRITING_COMMANDS
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ReadOnly, Store
from frontdesk.storage.records import ChangeState, Made
from frontdesk_api.contract.ids import CampaignId, ConversationId, StatusId, TagId, TaskId
from frontdesk_lines.textual_compat import key_queue
from kit import SCREEN_KEYS
from linear.running_session import PROFILE, Desktop
from sample_json import campaign_body
from services import Services
from sync.running_engine import Start, run

ENDS = {"app.quit", "app.suspend", "app.privacy", "go.leave", "go.back", "profile.switch"}
"""Actions that lead away from the screen, or hide its texts from all that follow."""
READS = {"/tasks/list", "/getMessages", "/workflows"}
"""The paths of reads that aren't a GET (docs/interface.md)."""


def writes(seen: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(method, path) for method, path in seen if method != "GET" and path not in READS]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Desktop]:
    made = Desktop(tmp_path / "profile", settings=Settings(read_only=True))
    yield made
    made.store.close()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "context"), SCREEN_KEYS.items())
def test_no_key_of_a_screen_queues_or_sends_a_change(
    works: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, context: str
) -> None:
    """The engine is another, writable run's: it would send whatever is queued."""
    monkeypatch.chdir(tmp_path)  # some keys write a file
    monkeypatch.setattr(key_queue, "BURST_SECONDS", 0.0)  # else the next key is for the dialog that doesn't open
    actions = [each for each in KEYMAP if {context, "list", "app"} & set(each.contexts) and each.id not in ENDS]

    async def press_each(at: At) -> None:
        at.it.services.store.settings = Settings(read_only=True)
        for action in actions:
            await at.press(key)
            if action.id.startswith("go."):
                continue
            at.app.clear_toasts()
            await at.press(action.keys[0])
            await at.pilot.pause()
            if action.writes:
                assert at.app.screen is at.app.current_screen, f"{action.id} opened a dialog"
                assert [each.message for each in at.app._notifications] == [f"Nothing was done: {IS_READ_ONLY}."]
            elif at.app.screen is not at.app.current_screen:
                await at.press("down", "enter", "enter")
            await at.close_dialogs()
        await at.pilot.pause()
        at.it.store.write(lambda _: None).result()
        assert queue.recent(at.it.store.reading) == []
        assert writes(at.it.line.seen) == []
        assert "read-only" in at.status

    story(works, press_each)


def commands(at: Desktop) -> dict[str, Callable[[], "Future[Any]"]]:
    """Every command that would queue, undo, resend or drop a change."""
    tasks, inbox, workflows = at.services.tasks, at.services.inbox, at.services.workflows
    one, body = [TaskId("t1")], {"title": "New"}
    draft = new_draft(at.session.now(), Random(1))
    return {
        "status": lambda: tasks.set_status(one, StatusId("standby")),
        "edit": lambda: tasks.edit(one[0], body, {"title": "Task 1"}),
        "tags": lambda: inbox.give_tags([ConversationId("L1#C1")], [TagId("vip")]),
        "campaign": lambda: at.services.campaigns.create(draft, campaign_body("read-only-1")),
        "create": lambda: workflows.create("w", "folder", {"id": "w", "name": "New"}),
        "reset": lambda: workflows.reset_analytics("w"),
        "webhook": lambda: workflows.delete_webhook("h1"),
        "undo": at.services.outbox.undo,
        "drop": lambda: at.services.outbox.drop(1),
        "stop": lambda: at.services.outbox.stop(queue.recent(at.store.reading)[0].batch),
    }


def test_every_command_is_refused_and_what_another_run_queued_stays(at: Desktop) -> None:
    with Store(at.store.folder) as store:
        writable = Services(store, PROFILE)
        writable.tasks.set_status([TaskId("t2")], StatusId("standby")).result()
        before = queue.recent(at.store.reading)
        assert len(before) == 1
        for name, command in commands(at).items():
            with pytest.raises(ReadOnly):
                command().result()
            assert queue.recent(at.store.reading) == before, name
        assert "This run is read-only, 1 change waiting." in at.say("connection")
        assert writable.outbox.undo().result() is not None


def test_marking_as_read_is_local_and_stays_possible(at: Desktop) -> None:
    at.thread(1, 3)
    conversation = ConversationId("L1#C1")
    for mark, unread in ((at.services.inbox.mark_unread, 1), (at.services.inbox.mark_read, 0)):
        mark(conversation)
        at.services.store.flush().result()
        record = record_lookup.conversation(at.store.reading, conversation)
        assert record is not None
        assert bool(record.unread) is bool(unread)
    at.services.campaigns.watch(CampaignId("c1"))
    at.services.store.flush().result()


def test_the_linear_mode_says_so_and_changes_nothing(at: Desktop) -> None:
    at.say("list")
    writing = {each for each in at.session.commands.values() if each.writes or each.undo is not Undo.NEVER}
    assert {each.id for each in ACTIONS if each.writes} - NOT_TYPED <= {each.id for each in writing}
    assert "Board, 15 tasks." in at.say("board")
    for command in writing:
        assert at.say(f"{command.names[0]} 1 x").endswith(f"Nothing was done: {IS_READ_ONLY}.\n")
    for line in WRITING_COMMANDS:
        assert IS_READ_ONLY in at.say(f"frontdesk {line} x")
    assert "No macros yet" in at.say("macro")
    assert "This run is read-only." in at.say("connection")
    assert queue.recent(at.store.reading) == []


NOT_TYPED = {"bulk.stop", "change.merge", "card.left", "card.right", "webhook.delete", "workflow.create"}
"""Actions that the linear mode has under another name, as commands of the command line, or not at all."""


def test_a_read_only_engine_leaves_the_outbox_as_it_is(works: Start) -> None:
    async def leave() -> None:
        async with works(read_only=True, is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            db = it.store.reading
            (task_id,) = next(iter(db.execute("SELECT task_id FROM tasks LIMIT 1")))
            await it.store.run(
                lambda db: queue.add(
                    db,
                    Made("b", "Edit", it.services.store.clock()),
                    kind=queue.ChangeKind.TASK,
                    target=task_id,
                    fields={"title": "New"},
                    base={},
                )
            )
            await it.engine.flush(1.0)
            assert await it.engine._send_once() > 1.0
            assert [each.state for each in queue.recent(db)] == [ChangeState.QUEUED]
            assert writes(it.line.seen) == []

    run(leave)


LINES = {
    "campaigns create": "--file gone.json",
    "conversations hand-over": "L#C noa text",
    "conversations no-answer": "L#C",
    "conversations note": "L#C text",
    "conversations snooze": "L#C --until nonsense",
    "conversations take-back": "L#C",
    "macros run": "gone L#C",
    "outbox drop": "7",
    "outbox retry": "7",
    "redo": "",
    "tags assign": "L#C tag-vip",
    "tasks complete": "-",
    "tasks snooze": "t1 --until nonsense",
    "tasks update": "t1 --due nonsense",
    "undo": "",
    "views share": "late",
    "webhooks delete": "hook-1",
    "workflows activate": "wf-early-access",
    "workflows create": "w-new --folder folder-service --file gone.json",
    "workflows deactivate": "wf-early-access",
    "workflows reset-analytics": "wf-early-access",
    "workflows restore": "wf-early-access 1",
    "workflows update": "wf-early-access --file gone.json",
}
"""Command lines that the command refuses as soon as it asks, reads a file or parses a value."""


LOCAL = {"campaigns alerts", "campaigns unwatch", "campaigns watch", "conversations read", "conversations unread"}
LOCAL |= {"forget", "views add", "views remove"}
"""Commands that change what is on this machine alone."""


def test_every_command_that_can_be_rehearsed_writes_or_is_local() -> None:
    rehearsed = set[str]()

    def collect(command: Any, words: str) -> None:
        for name, each in getattr(command, "commands", {}).items():
            collect(each, f"{words} {name}".strip())
        if any(each.name == "dry_run" for each in command.params):
            rehearsed.add(words)

    collect(cli_commands._command(), "")
    assert rehearsed == WRITING_COMMANDS | LOCAL


def test_commands_refuse_before_they_ask_or_read_anything(frontdesk: Frontdesk, service: SandboxService) -> None:
    assert LINES.keys() == WRITING_COMMANDS
    before = len(service.control("requests", method="GET"))
    for name, rest in LINES.items():
        why = frontdesk.fails(2, "--read-only", *name.split(), *rest.split())
        assert why == f"{IS_READ_ONLY}; nothing was changed", name
    assert len(service.control("requests", method="GET")) == before
    assert "gone.json" in frontdesk.fails(
        2, "--read-only", "campaigns", "create", "--file", "gone.json", "--dry-run"
    )


def test_the_environment_beats_the_setting_and_a_misspelt_value_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[settings]\nread_only = true\n")
    assert load_config(path, {}).settings.read_only
    assert not load_config(path, {"FRONTDESK_READ_ONLY": "0"}).settings.read_only
    assert load_config(tmp_path / "none.toml", {"FRONTDESK_READ_ONLY": "yes"}).settings.read_only
    with pytest.raises(ConfigError, match="expected 1 or 0"):
        load_config(path, {"FRONTDESK_READ_ONLY": "ture"})
