"""Workflows in the linear mode: read, tried, and changed after a question, over a store without an engine."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.storage.records import ChangeKind
from frontdesk.workflows import store as workflow_store
from frontdesk_lines.display_text import set_terminal
from linear.running_session import NOW, Desktop
from workflows.tui.test_actions import workflow


@pytest.fixture(autouse=True)
def terminal() -> Iterator[None]:
    set_terminal(lays_out=False)
    yield
    set_terminal(lays_out=True)


def desktop(folder: Path, lines: str = "", *listed: dict[str, Any]) -> Desktop:
    at = Desktop(folder, lines)
    known = listed or (workflow(),)

    def fill(db: apsw.Connection) -> None:
        workflow_store.put_listing(db, known, has_more=False, requested_at=NOW - 1, now=NOW)
        for each in known:
            workflow_store.put_whole(db, each, NOW)

    at.change(fill)
    at.say("workflows")
    return at


def kinds(at: Desktop) -> list[ChangeKind]:
    return [each.kind for each in queue.recent(at.services.store.reading)]


def test_a_tree_is_read_with_its_levels_and_no_rails(tmp_path: Path) -> None:
    said = desktop(tmp_path).say("tree 1")
    assert "whatsapp" in said
    assert not set("│├└─━") & set(said)


def test_findings_and_drop_offs_are_read(tmp_path: Path) -> None:
    at = desktop(tmp_path)
    assert at.say("check 1")
    assert at.say("worst 1 ever").strip()
    assert "Choose one of: reset, yesterday, update, ever." in at.say("worst 1 never")


def test_the_list_by_loss_says_how_many_and_where(tmp_path: Path) -> None:
    quiet = workflow(id="w0", name="Quiet", analytics=None)
    _, first, second = desktop(tmp_path, "", quiet, workflow()).say("workflows by loss").splitlines()
    assert first.endswith(", 100 dropped (8.3%), most at: ?")
    assert second.startswith("2. Quiet, ")
    assert second.endswith(", ? dropped, not on this plan.")


def test_one_that_is_not_loaded_is_asked_for(tmp_path: Path) -> None:
    at = Desktop(tmp_path)
    at.change(
        lambda db: workflow_store.put_listing(db, [workflow()], has_more=False, requested_at=NOW - 1, now=NOW)
    )
    at.say("workflows")
    assert "try again in a moment" in at.say("tree 1")
    assert at.console.has_failed


def test_a_switch_says_what_it_does_and_asks(tmp_path: Path) -> None:
    at = desktop(tmp_path, "no\nyes\n", workflow(isActive=False))
    assert "Canceled. Nothing was changed." in at.say("switch 1 on")
    assert not kinds(at)
    said = at.say("switch 1 on")
    assert "From then on it starts automatically" in said
    assert "To undo it before then, type undo." in said
    assert kinds(at) == [ChangeKind.WORKFLOW_UPDATE]
    assert "is off already" in at.say("switch 1 off")


def test_switching_off_says_who_depends_on_it(tmp_path: Path) -> None:
    at = desktop(tmp_path, "no\n", workflow(isActive=True))
    said = at.say("switch 1 off")
    assert "Unknown whether running campaigns start it: no campaigns are watched here." in said
    assert "200 customers are in it now (as of" in said


def test_a_reset_needs_the_name(tmp_path: Path) -> None:
    at = desktop(tmp_path, "something\nw1\n")
    assert "Nothing was sent." in at.say("reset 1")
    assert not kinds(at)
    assert "queued" in at.say("reset 1")
    assert kinds(at) == [ChangeKind.ANALYTICS_RESET]


def test_an_update_reads_the_differences_first(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps({**workflow(), "name": "Renamed"}))
    at = desktop(tmp_path / "profile", "yes\n")
    said = at.say(f"update 1 {file}")
    assert "Renamed" in said
    assert kinds(at) == [ChangeKind.WORKFLOW_UPDATE]
    assert "Nothing was sent" in at.say(f"update 1 {tmp_path / 'none.json'}")


def test_an_update_without_a_difference_is_not_sent(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps(workflow()))
    at = desktop(tmp_path / "profile", "yes\n")
    assert "No differences: nothing to send." in at.say(f"update 1 {file}")
    assert not kinds(at)


def test_an_update_with_errors_needs_the_name(tmp_path: Path) -> None:
    file, broken = tmp_path / "w.json", workflow()
    broken["trigger"]["connections"]["out"] = ["gone"]
    file.write_text(json.dumps(broken))
    at = desktop(tmp_path / "profile", "yes\nw1\n")
    said = at.say(f"update 1 {file}")
    assert "The check found 1 error: parts won't run" in said
    assert "Nothing was sent." in said
    assert not kinds(at)
    assert "queued" in at.say(f"update 1 {file}")


def test_a_dry_run_takes_lines_until_its_end(tmp_path: Path) -> None:
    at = desktop(tmp_path, "hello\nback\nend\n")
    said = at.say("try 1")
    assert "nothing is sent" in said
    assert said.rstrip().endswith("The dry run has ended.")


def test_a_snapshot_is_saved_listed_and_compared(tmp_path: Path) -> None:
    at = desktop(tmp_path)
    assert "No snapshots yet." in at.say("snapshots 1")
    said = at.say("snapshots 1 save")
    if "no analytics" in said:
        return
    assert "Snapshot 1: " in at.say("snapshots 1")
    assert "before" in at.say("snapshots 1 1")
    assert "No such snapshot." in at.say("snapshots 1 9")
