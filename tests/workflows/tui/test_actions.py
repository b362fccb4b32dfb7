"""What a builder does on the screen: nothing is sent that was not read and confirmed, nothing typed is lost."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from threading import Event
from typing import Any

import apsw
import pytest
from textual.widgets import Input

import kit
from app.test_sizes import resize
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.storage.sql import rows
from frontdesk.tui import dialog_flow
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import TypedConfirmDialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog, WaitingDialog
from frontdesk.tui.dialogs.review import RecordDialog, ReviewDialog
from frontdesk.workflows import pending_payloads, request_body, reviews
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.tui import file_actions
from frontdesk.workflows.tui.dialogs import JumpListDialog
from frontdesk_lines.display_text import trusted
from frontdesk_lines.widgets.note import Note
from tui.hosts import text_of, until
from tui.screen_text import key_event, send_key

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000.0
LONG = "Welcome and qualify of those who came by the spring sale of the shop"
HOSTILE = "Wel\x1b]52;c;eA==\x07come [red]"


def node(node_id: str, *to: str, **more: Any) -> dict[str, Any]:
    return {
        **{"id": node_id, "type": "whatsapp", "category": "Action", "title": node_id.title()},
        **{"data": {"messageType": "custom", "message": f"I am {node_id}"}, "connections": {"out": list(to)}},
        "subNodes": [],
        **more,
    }


def workflow(**more: Any) -> dict[str, Any]:
    """A workflow in which the check finds no error."""
    drawn = [{"id": each, "type": "whatsapp", "position": {"x": 0, "y": 0}} for each in ("t", "ask", "bye")]
    lines = [{"id": "e1", "source": "t", "target": "ask"}, {"id": "e2", "source": "ask", "target": "bye"}]
    return {
        **{"id": "w1", "name": HOSTILE, "folderId": "f1", "isActive": False, "lastModified": 1_699_000_000},
        **{"platformType": "whatsapp", "associatedToBusinessId": "L1", "triggerType": "Messages Created"},
        "trigger": {
            **{"id": "t", "type": "whatsapp", "category": "Trigger", "title": "Start"},
            **{"data": {"eventType": "Messages Created", "keywords": ["hi"]}, "connections": {"out": ["ask"]}},
        },
        "parsedData": [node("ask", "bye"), node("bye")],
        "data": {"nodes": drawn, "edges": lines},
        "analytics": {
            **{"totalStarted": 1200, "totalCompleted": 900, "totalDropped": 100},
            **{"nodeStats": {"ask": {"enteredCount": 1200}}, "edgeStats": {}, "buttonStats": {}},
        },
        **more,
    }


class At(kit.At):
    """A running app on one of its screens."""

    async def chooses(self, path: Path) -> None:
        dialog = await self.opens(FileDialog)
        await self.types(str(path))
        await until(lambda: dialog.rows.cursor_key == path.name)
        await self.press("enter")

    async def exports(self, path: Path) -> Any:
        """Export the workflow under the cursor, and return what was written."""
        await self.opens(PromptDialog, "W")
        await self.types(str(path))
        await self.press("enter")
        await self.says("Exported to")
        return read_json(path)

    async def changes(self, kind: ChangeKind) -> list[Change]:
        await until(lambda: any(each.kind is kind for each in queue.recent(self.store.reading)))
        return [each for each in queue.recent(self.store.reading) if each.kind is kind]

    def body(self, change: Change) -> Any:
        """What is sent of a change."""
        return json.loads(pending_payloads.payload(self.store.reading, change.change_id).body)

    def burst(self, *keys: str) -> None:
        """Keys that are all there before the first of them has had its effect."""
        for each in keys:
            send_key(self.app, key_event(each))

    def is_free(self) -> bool:
        """Whether no deed is on its way."""
        return self.app.current_screen is not None and self.app.current_screen.cancel_action is None

    def copied_id(self) -> str:
        assert self.app.current_screen is not None
        return self.app.current_screen.record_actions.copied_id()

    def noted(self) -> str:
        """What is in sight of the words below what is read or chosen, its lines put together."""
        region = self.app.screen.query_one(Note).region
        lines = text_of(self.app)[region.y : region.bottom]
        return " ".join(line[region.x : region.right].strip() for line in lines)


def read(dialog: ReviewDialog) -> str:
    """All that is to be read in it, whatever is in sight."""
    return "\n".join(map(kit.plain, dialog._draw(100)))


def typed(dialog: Dialog[Any]) -> list[str]:
    return [each.value for each in dialog.query(Input)]


def opened(
    store: Store,
    *listed: dict[str, Any],
    size: tuple[int, int] = (100, 30),
    screen: str = "4",
    has_bearer: Callable[[], bool] = lambda: True,
) -> AbstractAsyncContextManager[At]:
    def fill(db: apsw.Connection) -> None:
        workflow_store.put_listing(db, listed, has_more=False, requested_at=NOW - 1, now=NOW)
        for each in listed:
            workflow_store.put_whole(db, each, NOW)

    store.write(fill).result()
    return kit.running(store, size=size, screen=screen, fills=False, wraps=At, context={"has_bearer": has_bearer})


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def put_whole(store: Store, raw: dict[str, Any]) -> None:
    store.write(lambda db: workflow_store.put_whole(db, raw, NOW)).result()


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.slow
async def test_a_workflow_is_created_from_a_file_once_it_was_read(store: Store, tmp_path: Path) -> None:
    """A file that is no JSON can be chosen again, and what was decided is there after closing it unsent."""
    bad = written(tmp_path / "bad.json", '{"name": "x",\n  oops}')
    file = written(tmp_path / "new.json", {**workflow(id="w2", name="Second"), "isActive": True})
    async with opened(store, workflow()) as at:
        await at.press("c")
        await at.chooses(bad)
        await at.says("line 2, column 3")
        again = await at.opens(FileDialog)
        assert typed(again) == [str(bad)]
        await at.press("m")
        assert typed(again) == ["m"], "the path of before gives way to the first letter"
        await at.chooses(file)
        prompt = await at.opens(PromptDialog)
        assert typed(prompt) == ["w2"]
        await at.types("w1")
        await at.press("enter")
        await at.says("already exists")
        await at.types("another")
        await at.opens(PickerDialog, "enter")
        await at.press("escape")
        await at.back()
        dialog = await at.opens(FileDialog, "c")
        assert typed(dialog) == [str(file)]
        await until(lambda: dialog.rows.cursor_key == "new.json")
        prompt = await at.opens(PromptDialog, "enter")
        assert typed(prompt) == ["another"]
        await at.opens(PickerDialog, "enter")
        review = await at.opens(ReviewDialog, "enter")
        said = read(review)
        assert "Creates Second" in said
        assert "2 nodes with 0 exits" in said
        assert "It is on in the file, but a new workflow is always switched off." in said
        await at.press("enter")
        assert at.app.screen is review
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_CREATE)
        assert change.target == "another"
        assert at.body(change) == request_body.create_body(read_json(file))
        await at.says("Create Second: sends in 5 s")


async def test_errors_are_seen_at_every_size_and_sent_only_by_typing_the_id(store: Store, tmp_path: Path) -> None:
    broken = workflow(name=HOSTILE * 20)
    broken["trigger"]["connections"]["out"] = ["nowhere"]
    file = written(tmp_path / "w1.json", broken)
    async with opened(store, workflow()) as at:
        await at.press("e")
        await at.chooses(file)
        review = await at.opens(ReviewDialog)
        for size in ((140, 40), (80, 24), (60, 15)):
            await resize(at.app, *size)
            await at.sees("esc back", "Updates", "type w1")
            await until(lambda size=size: all(len(line) <= size[0] for line in text_of(at.app)))
        assert "error" in read(review)
        await at.press("y", "enter", "y", "enter")
        assert at.app.screen is review
        await at.says("The id doesn't match")
        await at.types("w1")
        await at.press("enter")
        await at.changes(ChangeKind.WORKFLOW_UPDATE)


async def test_a_file_is_sent_only_if_it_changes_what_was_read_last(store: Store, tmp_path: Path) -> None:
    same = written(tmp_path / "same.json", request_body.export_document(workflow()))
    older = written(tmp_path / "older.json", {**workflow(), "notes": "x", "lastModified": 1_698_000_000})
    newer = written(tmp_path / "newer.json", {**workflow(), "notes": "x", "lastModified": 1_699_999_999})
    async with opened(store, workflow()) as at:
        await at.press("e")
        await at.chooses(same)
        await at.says("No differences: nothing to send.")
        await at.press("e")
        await at.chooses(older)
        review = await at.opens(ReviewDialog)
        assert "based on an earlier version" in read(review)
        await at.press("escape")
        await at.back()
        await at.press("e")
        await at.chooses(newer)
        await at.says("on a newer version than the one loaded here")
        await at.back()
        assert not queue.recent(store.reading)


async def test_switching_says_what_it_means_and_what_speaks_against_it(store: Store) -> None:
    broken, on = workflow(name="A"), workflow(id="w2", isActive=True, name="B" + HOSTILE * 40)
    broken["trigger"]["connections"]["out"] = ["nowhere"]
    async with opened(store, broken, on, workflow(id="w3", name="C")) as at:
        review = await at.opens(ReviewDialog, "a")
        said = read(review)
        assert "Messages Created: hi" in said
        assert "starts automatically" in said
        await at.says("1 error: parts won't run")
        await at.press("enter", "escape")
        await at.back()
        assert not queue.recent(store.reading)
        await at.opens(ReviewDialog, "a")
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        assert change.fields["isActive"] is True
        await until(lambda: at.text.count("⇅ switching on") == 3)  # its row, the tree's title, and the detail
        await at.press("u")
        await until(lambda: "switching on" not in at.text)
        await at.press("j")
        review = await at.opens(ReviewDialog, "a")
        assert "200 customers are in it now (as of" in read(review)
        await at.press("y")
        await until(lambda: "…: sends in 5 s, u undo." in at.toasts)
        (change,) = [each for each in await at.changes(ChangeKind.WORKFLOW_UPDATE) if each.target == "w2"]
        assert change.fields["isActive"] is False
        listed = workflow(id="w3", name="C", lastModified=1_699_500_000)
        store.write(
            lambda db: workflow_store.put_listing(db, [listed], has_more=False, requested_at=NOW - 1, now=NOW)
        ).result()
        await at.press("j")
        assert at.copied_id() == "w3"
        await at.press("a")
        await at.says("isn't fully loaded yet")
        await at.back()


async def test_an_export_sent_back_changes_nothing_and_overwrites_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    there, out = written(tmp_path / "there.json", "{}"), tmp_path / "out.json"
    stored = workflow(id="w-" + "1" * 70)
    async with opened(store, stored) as at:
        prompt = await at.opens(PromptDialog, "W")
        assert typed(prompt)[0].startswith("/")
        await at.says("1111.json")  # the end of a long path is in sight
        await at.types(str(there))
        await at.press("enter")
        await at.says("That file already exists")
        await at.types(str(out))
        with monkeypatch.context() as patch:
            patch.setattr(file_actions, "write_workflow", full)
            await at.press("enter")
            await at.says("No space left on device")
        prompt = await at.opens(PromptDialog, "W")
        assert typed(prompt) == [str(out)], "to be mended"
        await at.press("enter")
        await at.says("Exported to")
        exported = read_json(out)
        assert not request_body.changes_of(stored, request_body.update_body(exported, stored))
        assert there.read_text() == "{}"
        dialog = await at.opens(FileDialog, "e")
        assert typed(dialog) == [str(out)]
        await at.press("escape")
        await at.back()
        dialog = await at.opens(FileDialog, "c")
        await until(lambda: "out.json" in dialog.rows.keys)
        assert typed(dialog) == [""]


@pytest.mark.slow
async def test_analytics_are_zeroed_only_by_typing_the_name(store: Store) -> None:
    bare = workflow(id="w2", name="Zero")
    del bare["analytics"]
    async with opened(store, workflow(name=LONG), bare) as at:
        review = await at.opens(ReviewDialog, "X")
        said = read(review)
        assert "1,200 started, 900 completed" in said
        assert "Also    counters of 1 node, 0 edges and 0 buttons" in said
        assert "saved here just before" in said
        await at.press("y", "enter", "enter")
        assert at.app.screen is review
        await at.types("Welc")
        await at.press("escape")
        await at.back()
        again = await at.opens(ReviewDialog, "X")
        assert typed(again) == ["Welc"]
        for size in ((140, 40), (60, 15)):
            await resize(at.app, *size)
            await until(lambda: at.noted() == f"To reset, type the workflow's name or id: {LONG}")
        await at.types(LONG)
        await at.press("enter")
        await at.changes(ChangeKind.ANALYTICS_RESET)
        await at.back()
        await at.opens(PickerDialog, "=")
        for size in ((140, 40), (60, 15)):
            await resize(at.app, *size)
            await until(lambda: at.noted().endswith("so shares are compared, not counts."))
        await resize(at.app, 100, 30)
        await at.press("escape", "j")
        review = await at.opens(ReviewDialog, "X")
        assert "This plan has no analytics, which doesn't mean the counters are zero" in read(review)
        assert "Expert AI plan" in read(review)
        assert "A snapshot is saved" not in read(review)
        await at.press("escape")
        await at.back()
        await at.press("=")
        await at.says("which doesn't mean the counters are zero. Nothing to save")
        await at.back()
        at.services.workflows.keep_snapshot("w2", workflow(id="w2"), "before a reset").result()
        dialog = await at.opens(PickerDialog, "=")
        assert len(dialog.rows.keys) == 1


async def test_a_webhooks_dialog_needs_a_token_and_opens_over_no_other_screen(store: Store) -> None:
    """Before it the token is looked for, which may take its time."""
    held, has_bearer = Event(), [True]
    async with opened(store, screen="5", has_bearer=lambda: held.wait(30) and has_bearer[0]) as at:
        await at.press("w")
        await at.goes("1")
        held.set()
        await until(lambda: not any(each.group.startswith("deed") for each in at.app.workers))
        await at.back()
        has_bearer[0] = False
        await at.goes("5")
        await at.press("w")
        await at.says("FRONTDESK_BEARER")
        await at.back()


async def test_keys_typed_ahead_are_the_dialogs_in_their_order_and_confirm_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store, workflow(id="w1", name="A"), workflow(id="w2", name="B")) as at:
        at.burst(*"eaway.json")
        dialog = await at.opens(FileDialog)
        await until(lambda: typed(dialog) == ["away.json"])
        assert [type(each) for each in at.app.screen_stack[1:]] == [FileDialog]
        assert not at.toasts
        await at.press("escape")
        await at.back()

        at.burst(*"ayjea")  # a deed on its way takes every key
        review = await at.opens(ReviewDialog)
        assert [type(each) for each in at.app.screen_stack[1:]] == [ReviewDialog]
        assert "A" in read(review)
        await at.press("escape")
        await at.back()
        await until(at.is_free)
        assert not queue.recent(store.reading)
        assert at.copied_id() == "w1"
        await at.press("j")
        assert at.copied_id() == "w2"

        at.burst("a", "escape")  # given up before it began
        await until(at.is_free)
        await at.back()
        await at.press("k")
        assert at.copied_id() == "w1"

        go_on = Event()
        monkeypatch.setattr(dialog_flow, "QUIET_SECONDS", 60.0)
        plan = reviews.plan_switch
        monkeypatch.setattr(reviews, "plan_switch", lambda *given: go_on.wait(30) and plan(*given))
        try:
            await at.press("a")
            over = PromptDialog(trusted("Something else"))
            at.app.push_screen(over)
            await at.opens(PromptDialog)
            go_on.set()
            await at.says("something else was opened in the meantime")
            assert at.app.screen is over
        finally:
            go_on.set()


@pytest.mark.slow
async def test_a_version_is_compared_and_restored_after_its_differences_were_read(store: Store) -> None:
    first = workflow(name="A", lastModified=1_698_000_000)
    first["parsedData"][1]["data"]["message"] = "Farewell"
    store.write(lambda db: workflow_store.put_whole(db, first, NOW - 60)).result()
    single, none = workflow(id="w2", name="B"), workflow(id="w3", name="C", lastModified=None)
    async with opened(store, workflow(isActive=True, name="A"), single, none) as at:
        picker = await at.opens(PickerDialog, "d")
        assert "1 setting changed, 1 node chang" in at.text
        assert "came and went between two loads" in at.noted()
        await at.press("down", "enter")
        await until(lambda: at.app.screen is not picker)
        await at.says("Compare with the current version")
        compared = await at.opens(RecordDialog, "enter")
        await at.sees("Farewell")
        await at.press("escape")
        await until(lambda: at.app.screen is not compared)
        await at.says("Restore this version")
        review = await at.opens(ReviewDialog, *"restore", "enter")
        said = read(review)
        assert "1 node changed" in said
        assert "It stays on or off" in said
        assert not queue.recent(store.reading)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        body = at.body(change)
        assert body["lastModified"] == 1_699_000_000
        assert body["parsedData"][1]["data"]["message"] == "Farewell"
        assert "isActive" not in body
        await at.back()

        await at.press("j")
        await at.opens(PickerDialog, "d")
        assert "the oldest kept" in at.text
        await at.press("enter")
        await at.says("Restore this version")
        assert "Compare" not in at.text
        await at.press("enter")
        await at.says("No differences: nothing to send.")
        await at.close_dialogs()
        await at.press("j", "d")
        await at.says("No versions saved yet")


@pytest.mark.slow
async def test_an_update_shows_what_would_differ_before_it_is_sent(store: Store, tmp_path: Path) -> None:
    changed = workflow()
    changed["parsedData"][1]["data"]["message"] = "See you \x1b[31msoon"
    file = written(tmp_path / "w1.json", request_body.export_document(changed))
    async with opened(store, workflow(isActive=True)) as at:
        await at.press("e")
        await at.chooses(file)
        review = await at.opens(ReviewDialog)
        said = read(review)
        assert "1 node changed" in said
        assert re.search(r"Against +the workflow as of \d\d:\d\d\. It is loaded again", said)
        assert "It is currently on" in said
        assert "See you" in said
        assert "\x1b" not in at.text
        await at.press("i")
        await at.says("JSON to send")
        await at.press("escape")
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        kept = pending_payloads.payload(store.reading, change.change_id)
        assert json.loads(kept.body)["lastModified"] == 1_699_000_000
        assert json.loads(kept.base or "")["isActive"] is True


@pytest.mark.slow
async def test_what_was_kept_is_compared_with_what_came_after(store: Store) -> None:
    early = {"totalStarted": 1000, "totalCompleted": 500, "totalDropped": 400}
    async with opened(store, workflow(name="Welcome")) as at:
        await at.opens(PickerDialog, "=")
        await at.press("enter")
        await at.says("Snapshot saved")
        at.services.workflows.keep_snapshot("w1", workflow(analytics=early), "before a reset").result()
        dialog = await at.opens(PickerDialog, "=")
        assert len(dialog.rows.keys) == 3
        await at.opens(RecordDialog, "enter")
        await at.says("1,000 started")
        await at.says("+25.0")
        await at.press("escape")
        await at.back()
        await at.opens(PickerDialog, "=")
        await at.press("down", "enter")
        await until(lambda: isinstance(at.app.screen, PickerDialog) and "now" in at.app.screen.rows.keys)


def conflicting(db: apsw.Connection, change_id: int, theirs: dict[str, Any]) -> None:
    pending_payloads.set_theirs(db, change_id, pending_payloads.encode(theirs))
    queue.move(
        db,
        change_id,
        ChangeState.CONFLICT,
        expected=tuple(ChangeState),
        now=NOW,
        reason="somebody was faster",
        theirs={"isActive": False, "lastModified": theirs["lastModified"]},
    )


@pytest.mark.slow
@pytest.mark.parametrize(("key", "becomes"), [("y", ChangeState.QUEUED), ("x", ChangeState.DROPPED)])
async def test_a_conflict_is_decided_once_both_were_read(store: Store, key: str, becomes: ChangeState) -> None:
    mine, theirs = workflow(notes="mine"), workflow(notes="theirs", lastModified=1_699_800_000)
    async with opened(store, workflow()) as at:
        body = request_body.update_body(request_body.export_document(mine), workflow())
        change = at.services.workflows.update("w1", body, workflow()).result()
        store.write(lambda db: conflicting(db, change.change_id, theirs)).result()
        await at.goes("6")
        review = await at.opens(ReviewDialog, "r")
        said = read(review)
        assert said.index("What they have changed") < said.index("What your version would change")
        assert '"theirs"' in said
        assert '"mine"' in said
        await at.press("escape")
        await at.back()
        await at.opens(ReviewDialog, "enter")
        await at.press(key)
        await at.back()
        await until(lambda: any(each.state in (becomes, ChangeState.HELD) for each in queue.recent(store.reading)))
        newest = max(queue.recent(store.reading), key=lambda each: each.change_id)
        if key == "y":
            assert (at.body(newest)["lastModified"], at.body(newest)["notes"]) == (1_699_800_000, "mine")
        else:
            assert newest.state is ChangeState.DROPPED


@pytest.mark.slow
async def test_a_conflict_of_changes_that_do_not_touch_can_be_merged(store: Store) -> None:
    mine, theirs = workflow(notes="mine"), workflow(platformType="web", lastModified=1_699_800_000)
    async with opened(store, workflow()) as at:
        body = request_body.update_body(request_body.export_document(mine), workflow())
        change = at.services.workflows.update("w1", body, workflow()).result()
        store.write(lambda db: conflicting(db, change.change_id, theirs)).result()
        put_whole(store, theirs)
        await at.goes("6")
        sides = await at.opens(JumpListDialog, "r")
        await at.says("Merge: keep theirs and add yours")
        await at.press("j")
        await until(lambda: sides.rows.cursor_index == 1)
        await at.press("k", "enter")
        review = await at.opens(ReviewDialog)
        assert "based on an earlier version" not in read(review)
        await at.press("y")
        await at.back()
        await until(lambda: len(queue.recent(store.reading)) == 2)
        newest = max(queue.recent(store.reading), key=lambda each: each.change_id)
        sent = at.body(newest)
        assert (sent["notes"], sent["platformType"], sent["lastModified"]) == ("mine", "web", 1_699_800_000)
        before = queue.change(store.reading, change.change_id)
        assert before is not None
        assert before.state is ChangeState.DROPPED


@pytest.mark.slow
async def test_an_exported_file_that_somebody_was_faster_than_shows_both_sides_and_is_merged(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    theirs = workflow(lastModified=1_699_900_000)
    theirs["parsedData"][1]["title"] = "Farewell"
    async with opened(store, workflow()) as at:
        mine = await at.exports(file)
        written(file, {**mine, "notes": "same"})
        put_whole(store, workflow(notes="same", platformType="web", lastModified=1_699_800_000))
        await at.press("e")
        await at.chooses(file)
        await at.opens(JumpListDialog)
        await at.sees("Yours over theirs")
        assert "Merge" not in at.text, "theirs has all of yours"
        await at.press("escape")
        await at.back()
        written(file, {**mine, "notes": "mine"})
        put_whole(store, theirs)
        await at.press("e")
        await at.chooses(file)
        await at.opens(JumpListDialog)
        await at.press("j", "enter")
        await at.opens(RecordDialog)
        await at.says("Farewell")
        await at.opens(JumpListDialog, "escape")
        await at.opens(ReviewDialog, "enter")
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        sent = at.body(change)
        assert (sent["notes"], sent["parsedData"][1]["title"]) == ("mine", "Farewell")


@pytest.mark.slow
async def test_a_file_is_edited_and_sent_again_after_an_own_update_of_it(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    async with opened(store, workflow()) as at:
        reading, write = store.reading, store.write
        mine = await at.exports(file)

        async def send(notes: str) -> Change:
            written(file, {**mine, "notes": notes})
            before = len(queue.recent(reading))
            await at.press("e")
            await at.chooses(file)
            review = await at.opens(ReviewDialog)
            assert "based on an earlier version" not in read(review)
            await at.press("y")
            await at.back()
            await until(lambda: len(queue.recent(reading)) > before)
            change = max(queue.recent(reading), key=lambda each: each.change_id)
            sql = "SELECT 1 FROM outbox.workflow_versions WHERE kind = 'sent' AND change_id = ?"
            await until(lambda: rows(reading, sql, (change.change_id,)) != [])
            return change

        def confirm(change: Change, stored: dict[str, Any]) -> None:
            state = ChangeState.CONFIRMED
            write(lambda db: queue.move(db, change.change_id, state, expected=(change.state,), now=NOW)).result()
            put_whole(store, stored)

        confirm(await send("first"), workflow(notes="first", lastModified=1_699_800_000))
        change = await send("second")
        body = at.body(change)
        assert (body["notes"], body["lastModified"]) == ("second", 1_699_800_000)
        confirm(change, workflow(notes="second", platformType="web", lastModified=1_699_900_000))
        written(file, {**mine, "notes": "third"})
        await at.press("e")
        await at.chooses(file)
        await at.opens(JumpListDialog)
        await at.says("Someone else has changed it")
        review = await at.opens(ReviewDialog, "enter")
        assert '"second"' in read(review), "against what was sent last"


@pytest.mark.slow
async def test_a_webhook_is_deleted_by_its_id_typed_twice(store: Store) -> None:
    async with opened(store) as at:
        await at.goes("5")
        await at.opens(TypedConfirmDialog, "w")
        await at.press(*"hook", "enter", *"hoak", "enter")
        await at.says("The two ids don't match")
        await at.press("escape")
        await at.back()
        dialog = await at.opens(TypedConfirmDialog, "w")
        assert typed(dialog) == ["hook", ""]
        await at.press("enter", *"hook", "enter")
        (change,) = await at.changes(ChangeKind.WEBHOOK_DELETE)
        assert change.target == "hook"


@pytest.mark.slow
async def test_a_file_that_takes_long_is_said_to_be_read_and_can_be_given_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    monkeypatch.setattr(dialog_flow, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(file_actions, "read_workflow", lambda *_: go_on.wait(30) and workflow(name="Other"))
    file = written(tmp_path / "big.json", "{}")
    async with opened(store, workflow()) as at:
        try:
            await at.press("e")
            await at.chooses(file)
            await at.opens(WaitingDialog)
            await at.says("Loading big.json…")
            await at.press("escape")
            await at.back()
            await until(at.is_free)
            await at.press("e")
            await at.chooses(file)
            await at.opens(WaitingDialog)
            go_on.set()
            await at.opens(ReviewDialog)
        finally:
            go_on.set()
