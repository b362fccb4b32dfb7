"""What a builder does on the screen: nothing is sent that was not read and confirmed, nothing typed is lost."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from threading import Event
from typing import Any

import apsw
import pytest
from textual.widgets import Input

from app.test_sizes import resize
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Hosts, Profile
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.text.display_text import trusted
from frontdesk.text.glyphs import glyphs
from frontdesk.tui import dialog_flow
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog, TypedConfirmDialog, WaitingDialog
from frontdesk.tui.dialogs.review import RecordDialog, ReviewDialog
from frontdesk.tui.widgets.note import Note
from frontdesk.workflows import pending_payloads, request_body, sent_files
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.tui import actions, file_actions, workflow_flow
from frontdesk.workflows.tui.dialogs import JumpListDialog
from services import Services
from tui.running_app import Running
from tui.screen_text import key_event, send_key, shown_toasts
from tui.widgets.hosts import text_of, until

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000.0
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


class At(Running):
    """A running app on one of its screens."""

    @property
    def services(self) -> Services:
        return Services.of(self.app.app_context.store)

    def text(self) -> str:
        return "\n".join(text_of(self.app))

    async def goes(self, key: str) -> None:
        before = self.app.current_screen
        await self.press(key)
        await until(lambda: self.app.current_screen is not before and self.app.current_screen is not None)
        screen = self.app.current_screen
        assert screen is not None
        await until(lambda: screen.is_ready and screen.is_current)

    async def shows(self, kind: type[Any]) -> Any:
        await until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted)
        await self.pilot.pause()
        return self.app.screen

    async def closed(self) -> None:
        await until(lambda: isinstance(self.app.screen, BaseScreen))

    async def says(self, words: str) -> None:
        await until(lambda: words in self.text() or any(words in each for each in shown_toasts(self.app)))

    async def types(self, words: str) -> None:
        assert isinstance(self.app.screen, Dialog)
        self.app.screen.query(Input).first().value = words
        await self.pilot.pause()

    async def chooses(self, path: Path) -> None:
        dialog = await self.shows(FileDialog)
        await self.types(str(path))
        await until(lambda: dialog.rows.cursor_key == path.name)
        await self.press("enter")

    async def changes(self, kind: ChangeKind) -> list[Change]:
        await until(lambda: any(each.kind is kind for each in queue.recent(self.services.store.reading)))
        return [each for each in queue.recent(self.services.store.reading) if each.kind is kind]

    def noted(self) -> str:
        """What is in sight of the words below what is read or chosen, its lines put together."""
        region = self.app.screen.query_one(Note).region
        lines = text_of(self.app)[region.y : region.bottom]
        return " ".join(line[region.x : region.right].strip() for line in lines)

    def read(self, dialog: ReviewDialog) -> str:
        """All that is to be read in it, whatever is in sight."""
        return "\n".join("".join(part.text.text for part in line) for line in dialog._draw(100))


@asynccontextmanager
async def services(
    store: Store,
    *listed: dict[str, Any],
    size: tuple[int, int] = (100, 30),
    has_bearer: Callable[[], bool] = lambda: True,
) -> AsyncIterator[At]:
    def fill(db: apsw.Connection) -> None:
        workflow_store.put_listing(db, listed, has_more=False, requested_at=NOW - 1, now=NOW)
        for each in listed:
            workflow_store.put_whole(db, each, NOW)

    store.write(fill).result()
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))
    services = Services(store, profile, clock=lambda: NOW)
    app_context = AppContext(
        services.store, services.outbox, glyphs(False), UTC, lambda: NOW, has_bearer=has_bearer, keymap=KEYMAP
    )
    app = FrontdeskApp(app_context)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.current_screen is not None and app.current_screen.focused)
        at = At(app, pilot)
        await at.goes("4")
        yield at


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


async def test_a_workflow_is_created_from_a_file_once_it_was_read(store: Store, tmp_path: Path) -> None:
    file = written(tmp_path / "new.json", {**workflow(id="w2", name="Second"), "isActive": True})
    async with services(store, workflow()) as at:
        await at.press("c")
        await at.chooses(file)
        prompt = await at.shows(PromptDialog)
        assert prompt.query_one(Input).value == "w2"
        await at.press("enter")
        await at.shows(PickerDialog)
        await at.press("enter")
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert "Creates Second" in said
        assert "2 nodes with 0 exits" in said
        assert "It is on in the file, but a new workflow is always switched off." in said
        await at.press("enter")
        assert isinstance(at.app.screen, ReviewDialog)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_CREATE)
        assert change.target == "w2"
        kept = pending_payloads.payload(at.services.store.reading, change.change_id)
        assert json.loads(kept.body) == request_body.create_body(json.loads(file.read_text()))
        await at.says("Create Second: sends in 5 s")


async def test_what_was_decided_of_a_new_workflow_is_there_when_it_is_closed_unsent(
    store: Store, tmp_path: Path
) -> None:
    file = written(tmp_path / "new.json", workflow(id="w2", name="Second"))
    async with services(store, workflow()) as at:
        await at.press("c")
        await at.chooses(file)
        await at.shows(PromptDialog)
        await at.types("w1")
        await at.press("enter")
        await at.says("already exists")
        await at.types("another")
        await at.press("enter")
        await at.shows(PickerDialog)
        await at.press("escape")
        await at.closed()
        await at.press("c")
        dialog = await at.shows(FileDialog)
        assert dialog.query_one(Input).value == str(file)
        await until(lambda: dialog.rows.cursor_key == "new.json")
        await at.press("enter")
        prompt = await at.shows(PromptDialog)
        assert prompt.query_one(Input).value == "another"


async def test_a_file_that_is_no_json_names_line_and_column_and_can_be_chosen_again(
    store: Store, tmp_path: Path
) -> None:
    file = written(tmp_path / "new.json", '{"name": "x",\n  oops}')
    async with services(store, workflow()) as at:
        await at.press("c")
        await at.chooses(file)
        await at.says("line 2, column 3")
        await at.shows(FileDialog)


async def test_errors_are_sent_only_by_typing_the_id(store: Store, tmp_path: Path) -> None:
    broken = workflow(id="w2", name="Broken")
    broken["trigger"]["connections"]["out"] = ["nowhere"]
    file = written(tmp_path / "new.json", broken)
    async with services(store, workflow()) as at:
        await at.press("c")
        await at.chooses(file)
        await at.shows(PromptDialog)
        await at.press("enter")
        await at.shows(PickerDialog)
        await at.press("enter")
        review = await at.shows(ReviewDialog)
        assert "error" in at.read(review)
        await at.press("y", "enter", "y", "enter")
        assert at.app.screen is review
        await at.says("The id doesn't match")
        await at.types("w2")
        await at.press("enter")
        await at.changes(ChangeKind.WORKFLOW_CREATE)


@pytest.mark.slow
async def test_an_update_shows_what_would_differ_before_it_is_sent(store: Store, tmp_path: Path) -> None:
    changed = workflow()
    changed["parsedData"][1]["data"]["message"] = "See you \x1b[31msoon"
    file = written(tmp_path / "w1.json", request_body.export_document(changed))
    async with services(store, workflow(isActive=True)) as at:
        await at.press("e")
        await at.chooses(file)
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert "1 node changed" in said
        assert re.search(r"Against +the workflow as of \d\d:\d\d\. It is loaded again", said)
        assert "It is currently on" in said
        assert "See you" in said
        assert "\x1b" not in at.text()
        await at.press("i")
        await at.says("JSON to send")
        await at.press("escape")
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        kept = pending_payloads.payload(at.services.store.reading, change.change_id)
        assert json.loads(kept.body)["lastModified"] == 1_699_000_000
        assert json.loads(kept.base or "")["isActive"] is True


async def test_a_file_that_changes_nothing_sends_nothing(store: Store, tmp_path: Path) -> None:
    file = written(tmp_path / "w1.json", request_body.export_document(workflow()))
    async with services(store, workflow()) as at:
        await at.press("e")
        await at.chooses(file)
        await at.says("No differences: nothing to send.")
        assert not queue.recent(at.services.store.reading)


async def test_an_older_file_says_what_it_undoes_and_a_newer_one_has_the_workflow_read_again(
    store: Store, tmp_path: Path
) -> None:
    older = written(tmp_path / "older.json", {**workflow(), "notes": "x", "lastModified": 1_698_000_000})
    newer = written(tmp_path / "newer.json", {**workflow(), "notes": "x", "lastModified": 1_699_999_999})
    async with services(store, workflow()) as at:
        await at.press("e")
        await at.chooses(older)
        review = await at.shows(ReviewDialog)
        assert "based on an earlier version" in at.read(review)
        await at.press("escape")
        await at.closed()
        await at.press("e")
        await at.chooses(newer)
        await at.says("on a newer version than the one loaded here")
        await at.closed()


async def test_switching_says_what_it_means_and_what_speaks_against_it(store: Store) -> None:
    broken = workflow()
    broken["trigger"]["connections"]["out"] = ["nowhere"]
    async with services(store, broken) as at:
        await at.press("a")
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert "Messages Created: hi" in said
        assert "starts automatically" in said
        await at.says("1 error: parts won't run")
        await at.press("enter", "escape")
        await at.closed()
        assert not queue.recent(at.services.store.reading)
        await at.press("a")
        await at.shows(ReviewDialog)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        assert change.fields["isActive"] is True
        await until(lambda: at.text().count("⇅ switching on") == 3)  # its row, the tree's title, and the detail
        await at.press("u")
        await until(lambda: "switching on" not in at.text())


async def test_switching_off_tells_of_those_within_it(store: Store) -> None:
    async with services(store, workflow(isActive=True, name=HOSTILE * 40)) as at:
        await at.press("a")
        review = await at.shows(ReviewDialog)
        assert "200 customers are still in it" in at.read(review)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        assert change.fields["isActive"] is False
        await until(lambda: any("…: sends in 5 s, u undo." in each for each in shown_toasts(at.app)))


async def test_an_export_sent_back_changes_nothing_and_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    async with services(store, workflow()) as at:
        await at.press("W")
        await at.shows(PromptDialog)
        there = written(tmp_path / "there.json", "{}")
        await at.types(str(there))
        await at.press("enter")
        await at.says("That file already exists")
        await at.types(str(tmp_path / "out.json"))
        await at.press("enter")
        await at.says("Exported to")
        exported = json.loads((tmp_path / "out.json").read_text())
        assert not request_body.changes_of(workflow(), request_body.update_body(exported, workflow()))
        assert there.read_text() == "{}"
        await at.press("e")
        dialog = await at.shows(FileDialog)
        assert dialog.query_one(Input).value == str(tmp_path / "out.json")
        await at.press("escape")
        await at.closed()
        await at.press("c")
        dialog = await at.shows(FileDialog)
        await until(lambda: "out.json" in dialog.rows.keys)
        assert not dialog.query_one(Input).value


async def test_a_path_that_could_not_be_written_to_is_there_to_be_mended(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_actions, "write_workflow", full)
    async with services(store, workflow()) as at:
        await at.press("W")
        await at.shows(PromptDialog)
        await at.types(str(tmp_path / "mine.json"))
        await at.press("enter")
        await at.says("No space left on device")
        await at.press("W")
        prompt = await at.shows(PromptDialog)
        assert prompt.query_one(Input).value == str(tmp_path / "mine.json")


async def test_analytics_are_zeroed_only_by_typing_the_name(store: Store) -> None:
    async with services(store, workflow(name="Welcome")) as at:
        await at.press("X")
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert "1,200 started, 900 completed" in said
        assert "Also    counters of 1 node, 0 edges and 0 buttons" in said
        assert "saved here just before" in said
        await at.press("y", "enter", "enter")
        assert at.app.screen is review
        await at.types("Welc")
        await at.press("escape")
        await at.closed()
        await at.press("X")
        again = await at.shows(ReviewDialog)
        assert again.query_one(Input).value == "Welc"
        await at.types("Welcome")
        await at.press("enter")
        await at.changes(ChangeKind.ANALYTICS_RESET)


@pytest.mark.slow
async def test_what_was_kept_is_compared_with_what_came_after(store: Store) -> None:
    early = {"totalStarted": 1000, "totalCompleted": 500, "totalDropped": 400}
    async with services(store, workflow(name="Welcome")) as at:
        await at.press("=")
        await at.shows(PickerDialog)
        await at.press("enter")
        await at.says("Snapshot saved")
        at.services.workflows.keep_snapshot("w1", workflow(analytics=early), "before a reset").result()
        await at.press("=")
        dialog = await at.shows(PickerDialog)
        assert len(dialog.rows.keys) == 3
        await at.press("enter")
        await at.shows(RecordDialog)
        await at.says("1,000 started")
        await at.says("+25.0")
        await at.press("escape")
        await at.closed()
        await at.press("=")
        await at.shows(PickerDialog)
        await at.press("down", "enter")
        await until(lambda: isinstance(at.app.screen, PickerDialog) and "now" in at.app.screen.rows.keys)


async def test_without_analytics_it_is_the_plan_that_is_named(store: Store) -> None:
    bare = workflow()
    del bare["analytics"]
    async with services(store, bare) as at:
        await at.press("X")
        review = await at.shows(ReviewDialog)
        assert "This plan has no analytics, which doesn't mean the counters are zero" in at.read(review)
        assert "Expert AI plan" in at.read(review)
        assert "A snapshot is saved" not in at.read(review)
        await at.press("escape")
        await at.closed()
        await at.press("=")
        await at.says("which doesn't mean the counters are zero. Nothing to save")
        assert isinstance(at.app.screen, BaseScreen)
        at.services.workflows.keep_snapshot("w1", workflow(), "before a reset").result()
        await at.press("=")
        dialog = await at.shows(PickerDialog)
        assert len(dialog.rows.keys) == 1


async def test_a_workflow_that_was_not_read_whole_is_asked_for(store: Store) -> None:
    async with services(store, workflow()) as at:
        listed = {**workflow(lastModified=1_699_500_000)}
        at.services.store.write(
            lambda db: workflow_store.put_listing(db, [listed], has_more=False, requested_at=NOW - 1, now=NOW)
        ).result()
        await at.press("a")
        await at.says("isn't fully loaded yet")
        await at.closed()


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
    async with services(store, workflow()) as at:
        body = request_body.update_body(request_body.export_document(mine), workflow())
        change = at.services.workflows.update("w1", body, workflow()).result()
        at.services.store.write(lambda db: conflicting(db, change.change_id, theirs)).result()
        await at.goes("6")
        await at.press("r")
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert said.index("What they have changed") < said.index("What your version would change")
        assert '"theirs"' in said
        assert '"mine"' in said
        await at.press("escape")
        await at.closed()
        await at.press("enter")
        await at.shows(ReviewDialog)
        await at.press(key)
        await at.closed()
        await until(
            lambda: any(
                each.state in (becomes, ChangeState.HELD) for each in queue.recent(at.services.store.reading)
            )
        )
        newest = max(queue.recent(at.services.store.reading), key=lambda each: each.change_id)
        if key == "y":
            kept = pending_payloads.payload(at.services.store.reading, newest.change_id)
            assert json.loads(kept.body)["lastModified"] == 1_699_800_000
            assert json.loads(kept.body)["notes"] == "mine"
        else:
            assert newest.state is ChangeState.DROPPED


@pytest.mark.slow
async def test_a_conflict_of_changes_that_do_not_touch_can_be_merged(store: Store) -> None:
    mine, theirs = workflow(notes="mine"), workflow(platformType="web", lastModified=1_699_800_000)
    async with services(store, workflow()) as at:
        body = request_body.update_body(request_body.export_document(mine), workflow())
        change = at.services.workflows.update("w1", body, workflow()).result()
        at.services.store.write(lambda db: conflicting(db, change.change_id, theirs)).result()
        at.services.store.write(lambda db: workflow_store.put_whole(db, theirs, NOW)).result()
        await at.goes("6")
        await at.press("r")
        sides = await at.shows(JumpListDialog)
        await at.says("Merge: keep theirs and add yours")
        await at.press("j")
        await until(lambda: sides.rows.cursor_index == 1)
        await at.press("k", "enter")
        review = await at.shows(ReviewDialog)
        assert "based on an earlier version" not in at.read(review)
        await at.press("y")
        await at.closed()
        await until(lambda: len(queue.recent(at.services.store.reading)) == 2)
        newest = max(queue.recent(at.services.store.reading), key=lambda each: each.change_id)
        sent = json.loads(pending_payloads.payload(at.services.store.reading, newest.change_id).body)
        assert (sent["notes"], sent["platformType"], sent["lastModified"]) == ("mine", "web", 1_699_800_000)
        before = queue.change(at.services.store.reading, change.change_id)
        assert before is not None
        assert before.state is ChangeState.DROPPED


@pytest.mark.slow
async def test_an_exported_file_that_somebody_was_faster_than_shows_both_sides_and_is_merged(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    theirs = workflow(lastModified=1_699_800_000)
    theirs["parsedData"][1]["title"] = "Farewell"
    async with services(store, workflow()) as at:
        await at.press("W")
        await at.shows(PromptDialog)
        await at.types(str(file))
        await at.press("enter")
        await at.says("Exported to")
        written(file, {**json.loads(file.read_text()), "notes": "mine"})
        at.services.store.write(lambda db: workflow_store.put_whole(db, theirs, NOW)).result()
        await at.press("e")
        await at.chooses(file)
        await at.shows(JumpListDialog)
        await at.press("j", "enter")
        await at.shows(RecordDialog)
        await at.says("Farewell")
        await at.press("escape")
        await at.shows(JumpListDialog)
        await at.press("enter")
        await at.shows(ReviewDialog)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        sent = json.loads(pending_payloads.payload(at.services.store.reading, change.change_id).body)
        assert (sent["notes"], sent["parsedData"][1]["title"]) == ("mine", "Farewell")


@pytest.mark.slow
async def test_a_file_is_edited_and_sent_again_after_an_own_update_of_it(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    async with services(store, workflow()) as at:
        reading, write = at.services.store.reading, at.services.store.write
        await at.press("W")
        await at.shows(PromptDialog)
        await at.types(str(file))
        await at.press("enter")
        await at.says("Exported to")
        mine = json.loads(file.read_text())

        async def send(notes: str) -> Change:
            written(file, {**mine, "notes": notes})
            before = len(queue.recent(reading))
            await at.press("e")
            await at.chooses(file)
            review = await at.shows(ReviewDialog)
            assert "based on an earlier version" not in at.read(review)
            await at.press("y")
            await at.closed()
            await until(lambda: len(queue.recent(reading)) > before)
            change = max(queue.recent(reading), key=lambda each: each.change_id)
            folder = at.services.store.folder / sent_files.FOLDER
            await until(
                lambda: any(f'"change": {change.change_id},' in each.read_text() for each in folder.glob("*.json"))
            )
            return change

        def confirm(change: Change, stored: dict[str, Any]) -> None:
            state = ChangeState.CONFIRMED
            write(lambda db: queue.move(db, change.change_id, state, expected=(change.state,), now=NOW)).result()
            write(lambda db: workflow_store.put_whole(db, stored, NOW)).result()

        confirm(await send("first"), workflow(notes="first", lastModified=1_699_800_000))
        change = await send("second")
        body = json.loads(pending_payloads.payload(reading, change.change_id).body)
        assert (body["notes"], body["lastModified"]) == ("second", 1_699_800_000)
        confirm(change, workflow(notes="second", platformType="web", lastModified=1_699_900_000))
        written(file, {**mine, "notes": "third"})
        await at.press("e")
        await at.chooses(file)
        await at.shows(JumpListDialog)
        await at.says("Someone else has changed it")
        await at.press("enter")
        review = await at.shows(ReviewDialog)
        assert '"second"' in at.read(review), "against what was sent last"


async def test_no_merge_is_offered_if_theirs_has_all_of_yours(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    async with services(store, workflow()) as at:
        write = at.services.store.write
        await at.press("W")
        await at.shows(PromptDialog)
        await at.types(str(file))
        await at.press("enter")
        await at.says("Exported to")
        written(file, {**json.loads(file.read_text()), "notes": "same"})
        theirs = workflow(notes="same", platformType="web", lastModified=1_699_800_000)
        write(lambda db: workflow_store.put_whole(db, theirs, NOW)).result()
        await at.press("e")
        await at.chooses(file)
        await at.shows(JumpListDialog)
        await at.says("Yours over theirs")
        assert "Merge" not in at.text()


@pytest.mark.slow
async def test_a_webhook_is_deleted_by_its_id_typed_twice(store: Store) -> None:
    async with services(store) as at:
        await at.goes("5")
        await at.press("w")
        dialog = await at.shows(TypedConfirmDialog)
        await at.press(*"hook", "enter", *"hoak", "enter")
        await at.says("The two ids don't match")
        await at.press("escape")
        await at.closed()
        await at.press("w")
        dialog = await at.shows(TypedConfirmDialog)
        assert [each.value for each in dialog.query(Input)] == ["hook", ""]
        await at.press("enter", *"hook", "enter")
        (change,) = await at.changes(ChangeKind.WEBHOOK_DELETE)
        assert change.target == "hook"


async def test_without_a_bearer_token_it_is_said_how_to_set_one(store: Store) -> None:
    async with services(store, has_bearer=lambda: False) as at:
        await at.goes("5")
        await at.press("w")
        await at.says("FRONTDESK_BEARER")
        await at.closed()


async def test_a_webhooks_dialog_opens_over_no_other_screen(store: Store) -> None:
    """Before it the token is looked for, which may take its time."""
    held = Event()
    async with services(store, has_bearer=lambda: held.wait(30)) as at:
        await at.goes("5")
        await at.press("w")
        await at.goes("1")
        held.set()
        await until(lambda: not any(each.group.startswith("deed") for each in at.app.workers))
        assert isinstance(at.app.screen, BaseScreen)


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_what_is_read_fits_every_size(store: Store, tmp_path: Path, size: tuple[int, int]) -> None:
    changed = workflow(name=HOSTILE * 20)
    changed["trigger"]["connections"]["out"] = ["nowhere"]
    file = written(tmp_path / "w1.json", changed)
    async with services(store, workflow()) as at:
        await resize(at.app, *size)
        await at.press("e")
        await at.chooses(file)
        await at.shows(ReviewDialog)
        await until(lambda: "esc back" in at.text())
        await until(lambda: "Updates" in at.text())
        assert "type w1" in at.text()
        assert all(len(line) <= size[0] for line in text_of(at.app))


LONG = "Welcome and qualify of those who came by the spring sale of the shop"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(140, 40), (60, 15)])
async def test_what_has_to_be_typed_is_shown_to_its_last_word(store: Store, size: tuple[int, int]) -> None:
    async with services(store, workflow(name=LONG)) as at:
        await resize(at.app, *size)
        await at.press("X")
        await at.shows(ReviewDialog)
        await until(lambda: "esc back" in at.text())
        assert at.noted() == f"To reset, type the workflow's name or id: {LONG}"


@pytest.mark.parametrize("size", [(140, 40), (60, 15)])
async def test_why_shares_are_compared_is_read_to_its_end(store: Store, size: tuple[int, int]) -> None:
    async with services(store, workflow(name=LONG)) as at:
        await resize(at.app, *size)
        await at.press("=")
        await at.shows(PickerDialog)
        assert at.noted().endswith("so shares are compared, not counts.")


async def test_the_end_of_a_long_path_is_in_sight(store: Store) -> None:
    async with services(store, workflow(id="w-" + "1" * 70)) as at:
        await at.press("W")
        prompt = await at.shows(PromptDialog)
        assert prompt.query_one(Input).value.startswith("/")
        await at.says("1111.json")


def burst(at: At, keys: str) -> None:
    """Keys that are all there before the first of them has had its effect."""
    for each in keys:
        send_key(at.app, key_event(each))


async def test_what_is_typed_behind_a_deeds_key_is_the_dialogs_in_its_order(store: Store) -> None:
    async with services(store, workflow(), workflow(id="w2", name="Other")) as at:
        burst(at, "eaway.json")
        dialog = await at.shows(FileDialog)
        await until(lambda: dialog.query_one(Input).value == "away.json")
        assert [type(each) for each in at.app.screen_stack[1:]] == [FileDialog]
        assert not shown_toasts(at.app)


async def test_a_deed_on_its_way_takes_every_key_and_none_of_them_confirms_it(store: Store) -> None:
    first, other = workflow(id="w1", name="A"), workflow(id="w2", name="B")
    async with services(store, first, other) as at:
        burst(at, "ayjea")
        review = await at.shows(ReviewDialog)
        assert [type(each) for each in at.app.screen_stack[1:]] == [ReviewDialog]
        assert at.app.current_screen is not None
        assert "A" in at.read(review)
        await at.press("escape")
        await at.closed()
        await until(lambda: at.app.current_screen is not None and at.app.current_screen.cancel_action is None)
        assert not queue.recent(at.services.store.reading)
        before = at.app.current_screen.record_actions.copied_id()
        await at.press("j")
        assert at.app.current_screen.record_actions.copied_id() != before


async def test_a_deed_given_up_before_it_began_leaves_the_keys_to_the_screen(store: Store) -> None:
    async with services(store, workflow(id="w1", name="A"), workflow(id="w2", name="B")) as at:
        screen = at.app.current_screen
        assert screen is not None
        before = screen.record_actions.copied_id()
        send_key(at.app, key_event("a"))
        send_key(at.app, key_event("escape"))
        await until(lambda: screen.cancel_action is None)
        await at.closed()
        await at.press("j")
        assert screen.record_actions.copied_id() != before


async def test_the_path_of_before_gives_way_to_the_first_letter(store: Store, tmp_path: Path) -> None:
    file = written(tmp_path / "new.json", "{")
    async with services(store, workflow()) as at:
        await at.press("e")
        await at.chooses(file)
        dialog = await at.shows(FileDialog)
        assert dialog.query_one(Input).value == str(file)
        await at.press("m")
        assert dialog.query_one(Input).value == "m"


@pytest.mark.slow
async def test_a_file_that_takes_long_is_said_to_be_read_and_can_be_given_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    monkeypatch.setattr(dialog_flow, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(workflow_flow, "read_workflow", lambda *_: go_on.wait(30) and workflow(name="Other"))
    file = written(tmp_path / "big.json", "{}")
    async with services(store, workflow()) as at:
        try:
            await at.press("e")
            await at.chooses(file)
            await at.shows(WaitingDialog)
            await at.says("Loading big.json…")
            await at.press("escape")
            await at.closed()
            await until(lambda: at.app.current_screen is not None and at.app.current_screen.cancel_action is None)
            await at.press("e")
            await at.chooses(file)
            await at.shows(WaitingDialog)
            go_on.set()
            await at.shows(ReviewDialog)
        finally:
            go_on.set()


async def test_what_is_opened_while_a_workflow_is_read_gets_no_dialog_over_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    monkeypatch.setattr(dialog_flow, "QUIET_SECONDS", 60.0)
    monkeypatch.setattr(actions, "prepare_switch", lambda *_, **__: go_on.wait(30))
    async with services(store, workflow()) as at:
        try:
            await at.press("a")
            over = PromptDialog(trusted("Something else"))
            at.app.push_screen(over)
            await at.shows(PromptDialog)
            go_on.set()
            await at.says("something else was opened in the meantime")
            assert at.app.screen is over
        finally:
            go_on.set()


async def test_a_version_is_compared_and_restored_after_its_differences_were_read(store: Store) -> None:
    first = workflow(lastModified=1_698_000_000)
    first["parsedData"][1]["data"]["message"] = "Farewell"
    store.write(lambda db: workflow_store.put_whole(db, first, NOW - 60)).result()
    async with services(store, workflow(isActive=True)) as at:
        await at.press("d")
        picker = await at.shows(PickerDialog)
        assert "1 setting changed, 1 node chang" in at.text()
        assert "came and went between two loads" in at.noted()
        await at.press("down", "enter")
        await until(lambda: at.app.screen is not picker)
        await at.says("Compare with the current version")
        await at.press("enter")
        compared = await at.shows(RecordDialog)
        assert "Farewell" in "\n".join(text_of(at.app))
        await at.press("escape")
        await until(lambda: at.app.screen is not compared)
        await at.says("Restore this version")
        await at.press(*"restore", "enter")
        review = await at.shows(ReviewDialog)
        said = at.read(review)
        assert "1 node changed" in said
        assert "It stays on or off" in said
        assert not queue.recent(at.services.store.reading)
        await at.press("y")
        (change,) = await at.changes(ChangeKind.WORKFLOW_UPDATE)
        body = json.loads(pending_payloads.payload(at.services.store.reading, change.change_id).body)
        assert body["lastModified"] == 1_699_000_000
        assert body["parsedData"][1]["data"]["message"] == "Farewell"
        assert "isActive" not in body


async def test_a_single_version_says_that_nothing_before_it_is_known(store: Store) -> None:
    async with services(store, workflow()) as at:
        await at.press("d")
        await at.shows(PickerDialog)
        assert "the oldest kept" in at.text()
        await at.press("enter")
        await at.says("Restore this version")
        assert "Compare" not in at.text()
        await at.press("enter")
        await at.says("No differences: nothing to send.")


async def test_a_workflow_without_last_modified_has_no_versions(store: Store) -> None:
    async with services(store, workflow(lastModified=None)) as at:
        await at.press("d")
        await at.says("No versions saved yet")
