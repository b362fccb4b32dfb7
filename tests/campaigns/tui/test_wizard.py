"""Creating a campaign on the screen: nothing decided is lost, nothing is sent unchecked, and nothing twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
from textual.widgets import Input

import kit
from app.test_sizes import resize
from flows.checks.sample_workflows import node, workflow
from frontdesk.campaigns.changes import drafts_of
from frontdesk.campaigns.draft import FromFile, FromTags, OneCustomer
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.campaigns.tui import wizard_submit
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.campaigns.tui.wizard import CampaignWizard
from frontdesk.campaigns.tui.wizard_submit import PreflightDialog, UncheckedDialog
from frontdesk.campaigns.view import wizard as steps
from frontdesk.config.config_tables import ReplySetting
from frontdesk.config.settings import TagLabel
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState, Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tui import dialog_flow
from frontdesk.tui.dialogs import prompt
from frontdesk.tui.dialogs.due import DueDialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.picker import PickerDialog, TagDialog
from frontdesk.tui.dialogs.prompt import PromptDialog, WaitingDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk.workflows import store as workflow_store
from frontdesk_api.contract.ids import CampaignId, LineId, TagId
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import span
from sample_json import raw_task
from tui.dialogs.test_dialogs import opened
from tui.hosts import text_of, until

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("local_reads")]

NOW = 1_700_040_000.0
WORKFLOWS = [
    {
        "id": "w1",
        "name": "Order update",
        "isActive": True,
        "associatedToBusinessId": "L1",
        "triggerType": "Manual Trigger",
    },
    {"id": "w2", "name": "Old\x1b]52;c;eA==\x07", "isActive": False, "associatedToBusinessId": "L1"},
]
CUSTOMERS_TASK = raw_task(
    1,
    participantsIdentifiers="L1#972522345609",
    customer={"phoneNumberId": "972522345609", "customerName": "Noa Levi", "platform": "whatsapp"},
)
LIST = "name,phone\nDana,+972 52-234-5601\nOmar,+972 52-234-5602\nTwin,+972522345601\nBad,12\n"


class At(kit.At):
    """A running app with a wizard."""

    @property
    def wizard(self) -> CampaignWizard:
        found = next((each for each in self.app.screen_stack if isinstance(each, CampaignWizard)), None)
        assert found is not None
        return found

    async def opens_wizard(self) -> CampaignWizard:
        if not isinstance(self.app.screen, CampaignsScreen):
            await self.goes("3")
        return await self.opens(CampaignWizard, "c")

    async def decides(self, step: str, dialog: type[Any]) -> None:
        await self.opens(CampaignWizard)
        self.wizard.decide(step)
        await self.opens(dialog)

    async def chooses_list(self, path: Path, until_step: Callable[[], object]) -> None:
        await self.decides(steps.AUDIENCE, PickerDialog)
        dialog = await self.opens(FileDialog, "enter")
        await self.types(str(path))
        await until(lambda: dialog.rows.cursor_key == path.name)
        await self.press("enter")
        await self.opens(CampaignWizard)
        await until(until_step)

    async def decides_the_rest(self, name: str = "Spring") -> None:
        await self.decides(steps.WORKFLOW, PickerDialog)
        await self.press("enter")
        await self.decides(steps.FOLDER, PickerDialog)
        await self.types("f-1")
        await self.press("enter")
        await self.decides(steps.NAME, PromptDialog)
        await self.types(name)
        await self.press("enter")
        await self.opens(CampaignWizard)

    def created(self) -> Sequence[object]:
        return [each for each in outbox_queue.recent(self.store.reading) if each.kind is ChangeKind.CAMPAIGN]


Reads = Callable[[apsw.Connection], str]
"""What the engine does about a workflow that is asked for: it stores documents, and says why it couldn't."""


def with_graph(raw: dict[str, Any]) -> dict[str, Any]:
    """The whole document of a listed workflow, in which the check finds nothing."""
    made = workflow(node("n", messageType="custom", message="Hi")) | raw
    made["trigger"]["data"]["eventType"] = "Manual Trigger"
    return made


def sends(*raws: dict[str, Any]) -> Reads:
    """A platform that has these workflows."""

    def read(db: apsw.Connection) -> str:
        listed = [workflow_store.row_fields(raw) for raw in raws]
        workflow_store.put_listing(db, listed, has_more=False, requested_at=NOW, now=NOW)
        workflow_store.put_all_whole(db, [workflow_store.split_document(raw) for raw in raws], NOW, NOW)
        return ""

    return read


HAS_ALL = sends(*map(with_graph, WORKFLOWS))


async def engine(store: Store, reads: Reads) -> None:
    """Answer as the engine does what is asked of workflows."""
    while True:
        for ask in clients.open_requests(store.reading):
            if ask.kind == clients.WORKFLOW_DOCUMENT:
                failed = await store.run(reads)
                await store.run(partial(clients.resolve_request, request_id=ask.request_id, failed=failed))
        await asyncio.sleep(0.01)


@asynccontextmanager
async def running(
    store: Store,
    size: tuple[int, int] = (80, 24),
    workflows: Sequence[dict[str, Any]] = WORKFLOWS,
    clock: kit.Clock | None = None,
    reads: Reads | None = HAS_ALL,
    notifications: bool = False,
) -> AsyncIterator[At]:
    """An app whose store lists these workflows, beside an engine; without `reads` there is none."""
    store.write(lambda db: record_lookup.replace_all(db, record_lookup.WORKFLOW, workflows)).result()
    store.write(lambda db: task_store.put(db, [CUSTOMERS_TASK])).result()
    profile = kit.profile(
        me="me",
        lines={LineId("L1"): "Support"} if workflows else {},
        tags=(TagLabel(TagId("vip"), "VIP", "gold", "acme"),),
    )
    async with kit.running(
        store,
        fills=False,
        as_profile=profile,
        clock=clock or kit.Clock(NOW),
        size=size,
        notifications=notifications,
        wraps=At,
    ) as at:
        answering = asyncio.create_task(engine(store, reads)) if reads is not None else None
        try:
            yield at
        finally:
            if answering is not None:
                answering.cancel()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(LIST)
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("child_reads")
async def test_a_list_is_read_checked_named_and_sent_once(store: Store, people: Path) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.says("2 recipients · 1 skipped · 1 duplicate")
        await at.decides_the_rest()
        assert wizard.rows.cursor_key == steps.CHECK
        await at.opens(PreflightDialog, "enter")
        await at.says("2 recipients")
        await at.press("enter", "enter", "enter")  # nothing is sent by it
        await at.press(*"Sprung", "enter")
        await at.says("The name doesn't match; nothing was sent.")
        assert not at.created()
        await at.types("Spring")
        await at.press("enter", "enter", "enter")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen))
        await at.says("Spring · 2 recipients  sends in a moment")
        assert len(at.created()) == 1
        await at.opens(CampaignWizard, "c")
        assert at.wizard.form.draft.audience is None, "what is on its way is no draft"


@pytest.mark.slow
async def test_a_doubtful_number_of_one_s_own_is_used_once_it_is_confirmed(store: Store, people: Path) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(PromptDialog, "t")
        await at.types("+972 52 123 4567")
        await at.press("enter")
        await at.says("press enter again")
        await at.opens(PreflightDialog, "enter")
        await at.says("972521234567")


@pytest.mark.slow
async def test_a_test_goes_to_one_s_own_number_and_the_draft_stays_open(store: Store, people: Path) -> None:
    async with running(store, size=(120, 36)) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.says("Press t to add your number")
        before = wizard.form.draft
        await at.opens(PromptDialog, "t")
        await at.types("052-1")
        await at.press("enter")
        await at.says("write the whole number")
        await at.types("+972 52-234-5699")
        await at.opens(PreflightDialog, "enter")
        await at.says("972522345699")
        await at.types("Spring")
        await at.press("enter")
        await at.says("The name doesn't match; nothing was sent.")
        assert not at.created()
        await at.types("Spring - test")
        await at.opens(CampaignWizard, "enter")
        await at.says("sends in a moment; to undo")
        assert len(at.created()) == 1
        assert (wizard.form.draft, wizard.form.is_sent) == (before, False)
        (sent,) = outbox_queue.recent(store.reading)
        body = draft_store.body(store.reading, sent.target)
        assert body is not None
        assert body["customerList"][0]["customerName"] == "Dana"
        refused = partial(
            outbox_queue.move,
            change_id=sent.change_id,
            state=ChangeState.REFUSED,
            expected=(ChangeState.HELD,),
            now=NOW,
            reason="no such line",
        )
        store.write(refused).result()
        await at.says("failed: no such line; see Activity")
        await until(lambda: "Test: failed: no such line" in at.toasts)
        await at.opens(PreflightDialog, "t")  # the number isn't asked for again
        await at.opens(CampaignWizard, "escape")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("2 recipients")
        await at.types("Spring")
        await at.press("enter")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen))
        assert len(at.created()) == 2


@pytest.mark.slow
async def test_a_broken_workflow_is_found_in_a_fresh_profile(store: Store, people: Path) -> None:
    broken = with_graph(WORKFLOWS[0])
    broken["trigger"]["connections"]["out"] = ["gone"]
    async with running(store, reads=sends(broken)) as at:
        assert workflow_store.text(store.reading, "w1") is None, "nothing but the list was read before"
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(PreflightDialog, "enter")
        await at.says('Workflow check: "start" leads to "gone"')
        assert at.app.screen.query_one(Input).disabled


@pytest.mark.slow
async def test_a_workflow_that_was_switched_off_since_it_was_chosen_is_not_sent(
    store: Store, people: Path
) -> None:
    has = {"isActive": True}
    async with running(store, reads=lambda db: sends(with_graph({**WORKFLOWS[0], **has}))(db)) as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        has["isActive"] = False
        await at.opens(PreflightDialog, "enter")
        await at.says('The workflow "Order update" is inactive')


@pytest.mark.slow
async def test_what_could_not_be_checked_is_sent_only_once_that_is_confirmed_too(
    store: Store, people: Path
) -> None:
    async with running(store, reads=lambda _: "workflows.example can't be reached") as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(PreflightDialog, "enter")
        await at.says("Workflow not checked: workflows.example can't be reached")
        await at.says("1 check couldn't run")
        await at.types("Spring")
        await at.opens(UncheckedDialog, "enter")
        await at.says("! Workflow not checked: workflows.example")
        await at.press("enter")  # no is the answer that is near
        await at.opens(PreflightDialog)
        assert at.app.screen.query_one(Input).value == "Spring", "the name needn't be typed again"
        assert not at.created()
        await at.opens(UncheckedDialog, "enter")
        await at.press("y")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen))
        assert len(at.created()) == 1


@pytest.mark.slow
async def test_a_read_that_takes_a_while_is_shown_and_can_be_given_up(store: Store, people: Path) -> None:
    async with running(store, reads=None) as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(WaitingDialog, "enter")
        await at.says("Loading workflow Order update…")
        await at.opens(CampaignWizard, "escape")
        await at.opens(WaitingDialog, "enter")
        answering = asyncio.create_task(engine(store, sends(with_graph(WORKFLOWS[0]))))
        await at.opens(PreflightDialog)
        answering.cancel()
        await at.says("To send it, type its name")


@pytest.mark.slow
@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_check_does_not_cover_a_step_that_was_opened_meanwhile_and_says_so(
    store: Store, people: Path, monkeypatch: pytest.MonkeyPatch, *, is_slow: bool
) -> None:
    """Whether the read outlasts the moment before it is shown, or ends within it."""
    if not is_slow:
        monkeypatch.setattr(dialog_flow, "QUIET_SECONDS", 60.0)
    async with running(store, reads=None, notifications=True) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        wizard.submitter.check()
        wizard.decide(steps.NAME)
        await at.opens(PromptDialog)
        answering = asyncio.create_task(engine(store, HAS_ALL)) if not is_slow else None
        await until(lambda: "The check stopped" in at.toasts)
        assert isinstance(at.app.screen, PromptDialog)
        if answering is not None:
            answering.cancel()


@pytest.mark.slow
async def test_who_gives_a_check_up_and_checks_again_waits_for_a_read_of_now(store: Store, people: Path) -> None:
    async with running(store, reads=None) as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(WaitingDialog, "enter")
        begun = [ask.request_id for ask in clients.open_requests(store.reading)]
        await at.opens(CampaignWizard, "escape")
        await at.opens(WaitingDialog, "enter")
        for each in begun:  # the answer to the first check, which left before the second
            store.write(partial(clients.resolve_request, request_id=each)).result()
        await asyncio.to_thread(store.write(lambda _: None).result)
        still_open = clients.open_requests(store.reading)
        assert [each.target for each in still_open] == ["w1"]
        answering = asyncio.create_task(engine(store, sends(with_graph({**WORKFLOWS[0], "isActive": False}))))
        await at.opens(PreflightDialog)
        answering.cancel()
        await at.says('The workflow "Order update" is inactive')


@pytest.mark.slow
@pytest.mark.parametrize("lives", [False, True])
async def test_a_workflow_that_nobody_reads_is_not_checked(
    store: Store, people: Path, monkeypatch: pytest.MonkeyPatch, *, lives: bool
) -> None:
    monkeypatch.setattr(wizard_submit, "MAX_SECONDS_WITHOUT_ENGINE", 0.2)
    monkeypatch.setattr(wizard_submit, "MAX_SECONDS", 0.6)
    if lives:
        store.write(lambda db: clients.write_health(db, Health(Connection.OFFLINE, "no network"))).result()
        store.write(lambda db: clients.write_heartbeat(db, None, NOW)).result()
    async with running(store, reads=None) as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(PreflightDialog, "enter")
        why = "no response within 1 s (no network)" if lives else "frontdesk's background process isn't responding"
        await at.says(f"Workflow not checked: {why}")
        await at.says("1 check couldn't run")


@pytest.mark.slow
async def test_a_draft_outlives_esc_and_a_restart_and_can_be_thrown_away(store: Store, people: Path) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(CampaignsScreen, "escape")
        await at.opens(CampaignWizard, "c")
        assert at.wizard.form.draft == wizard.form.draft
        await at.says("A draft from 09:20")
    async with running(store) as at:
        wizard = await at.opens_wizard()
        assert wizard.form.draft.name == "Spring"
        assert isinstance(wizard.form.draft.audience, FromFile)
        await until(lambda: wizard.form.progress.audience is not None)
        await at.press("D")
        await until(lambda: "discards everything" in at.text)
        await at.press("y")
        await until(lambda: not wizard.form.draft.name)
        await at.opens(CampaignsScreen, "escape")
        assert not drafts_of(store.reading)


@pytest.mark.slow
async def test_columns_are_turned_with_the_arrows_and_the_list_is_read_again(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("mobile,work\n+972522345601,+97239999999\n+972522345602,+97239999998\n")
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(path, lambda: wizard.form.progress.audience is not None)
        assert wizard.form.progress.columns is not None
        first = wizard.form.progress.columns.number
        wizard.rows.move_to(steps.NUMBERS)
        await at.press("right")
        await until(lambda: not wizard.form.progress.is_busy and wizard.form.progress.audience is not None)
        assert wizard.form.progress.columns.number == 1 - first
        assert wizard.form.progress.columns.name is None
        assert isinstance(wizard.form.draft.audience, FromFile)
        assert wizard.form.draft.audience.columns == wizard.form.progress.columns
        await at.press("left")
        await until(lambda: not wizard.form.progress.is_busy and wizard.form.progress.audience is not None)
        assert wizard.form.progress.columns.number == first


@pytest.mark.slow
async def test_a_column_that_competes_is_chosen_and_chosen_again_for_another_file(
    store: Store, tmp_path: Path
) -> None:
    path, rows = tmp_path / "two.csv", "Dana,+972522345601,+972522345611\nOmar,+972522345602,+972522345612\n"
    path.write_text(f"name,phone,mobile\n{rows}")
    async with running(store, size=(140, 40)) as at:
        wizard = await at.opens_wizard()
        form = wizard.form

        def needs(step: str) -> bool:
            missing = wizard.missing()
            is_read = form.progress.audience is not None and not form.progress.is_busy
            return is_read and (missing.key if missing else steps.CHECK) == step

        await at.chooses_list(path, lambda: needs(steps.NUMBERS))
        await at.says("column B · phone or column C · mobile? Choose one")
        await at.decides_the_rest()
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("Choose the column with the phone numbers")
        await at.says("1 error prevents sending")
        await at.press("escape")
        await at.decides(steps.NUMBERS, PickerDialog)
        await at.press("enter")
        await until(lambda: needs(steps.CHECK))
        chosen = form.draft.audience
        assert isinstance(chosen, FromFile)
        assert chosen.confirmed == ("number",)
        path.write_text(f"name,mobile,phone\n{rows}")
        form.read_list(chosen)
        await until(lambda: needs(steps.NUMBERS))
        assert form.draft.audience == FromFile(str(path))


@pytest.mark.slow
async def test_a_home_country_is_chosen_or_confirmed_before_digits_alone_are_sent(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "digits.csv"
    path.write_text("name,phone\nDana,51987654321\nOmar,51987654322\n")
    async with running(store) as at:
        wizard = await at.opens_wizard()
        form = wizard.form
        await at.chooses_list(path, lambda: form.progress.audience is not None)
        await at.says("choose one or none")
        assert form.progress.audience is not None
        assert form.progress.audience.recipients == ()
        await at.decides(steps.COUNTRY, PromptDialog)
        await at.press("enter")
        await at.says("Use two letters, such as IL, US or DE, or none.")
        await at.types("none")
        await at.press("enter")
        await at.says("2 recipients")
        assert [each.number for each in form.progress.audience.recipients] == ["51987654321", "51987654322"]
        await at.decides(steps.COUNTRY, PromptDialog)
        assert at.app.screen.query_one(Input).value == "none"
        await at.types("BR")
        await at.press("enter")
        await until(lambda: form.draft.country == "BR" and not form.progress.is_busy)
        await at.says("2 recipients")
        assert [each.number for each in form.progress.audience.recipients] == ["5551987654321", "5551987654322"]


@pytest.mark.slow
async def test_a_bad_file_says_what_to_do_and_nothing_can_be_sent(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "bad.xlsx"
    path.write_bytes(b"PK\x03\x04 no workbook")
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(path, lambda: wizard.form.progress.problem)
        missing = wizard.missing()
        assert missing is not None
        assert missing.key == steps.LIST
        await at.decides_the_rest()
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("1 error prevents sending")
        assert at.app.screen.query_one(Input).disabled
        await at.opens(CampaignWizard, "enter", "tab", "enter", "escape")
        assert not at.created()


@pytest.mark.slow
async def test_rows_left_out_are_listed_by_line(store: Store, people: Path) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides(steps.LIST, RecordDialog)
        await at.says("Left out: 1")
        await at.says("line 5  12")
        await at.says("line 4  +972522345601")


@pytest.mark.slow
async def test_tags_are_picked_and_how_many_they_reach_is_not_known(store: Store) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.decides(steps.AUDIENCE, PickerDialog)
        await at.opens(TagDialog, "down", "enter")
        await at.opens(CampaignWizard, "enter")
        assert isinstance(wizard.form.draft.audience, FromTags)
        assert wizard.form.draft.audience.tags[0].associated_to == "acme"
        wizard.rows.move_to(steps.AUDIENCE)
        await at.says("The number of recipients is unknown")
        await at.decides_the_rest()
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("because the number of recipients is unknown")


@pytest.mark.slow
async def test_a_time_that_passes_while_the_preflight_is_read_sends_nothing(store: Store, people: Path) -> None:
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.decides(steps.WHEN, DueDialog)
        await at.types("in 2 hours")
        await at.opens(CampaignWizard, "enter")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        at.clock.now += 3 * 3600
        await at.types("Spring")
        await at.press("enter")
        await until(lambda: "time has passed" in at.toasts)
        assert not at.created()


@pytest.mark.slow
async def test_what_was_checked_long_ago_is_not_sent(store: Store, people: Path) -> None:
    """A machine that slept over it would write to everybody at night, without the warning."""
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        at.clock.now += 2 * 3600
        await at.types("Spring")
        await at.press("enter")
        await until(lambda: "Check again" in at.toasts)
        assert not at.created()


@pytest.mark.slow
async def test_a_path_is_typed_and_a_time_is_words(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, gone = tmp_path / "spring list.csv", tmp_path / "gone"
    path.write_text("phone,name\n972522345609,Noa\n")
    gone.mkdir()
    async with running(store) as at:
        await at.opens_wizard()
        await at.decides(steps.AUDIENCE, PickerDialog)
        with monkeypatch.context() as patch:
            patch.chdir(gone)
            gone.rmdir()
            await at.opens(FileDialog, "enter")  # though the folder of the start is gone
        await at.opens(CampaignWizard, "escape")
        assert at.wizard.form.draft.audience is None
        await at.chooses_list(path, lambda: at.wizard.form.draft.audience == FromFile(str(path)))

        wizard = at.wizard
        await at.decides(steps.WHEN, DueDialog)
        await at.types("1700100000")
        await at.press("enter")
        await at.says("a plain number could be seconds or milliseconds")
        await at.types("tomorrow 11am")
        await at.opens(CampaignWizard, "enter")
        assert wizard.form.draft.when_words == "tomorrow 11am"
        assert wizard.form.draft.scheduled_at == 1_700_132_400
        await at.decides(steps.WHEN, DueDialog)
        await at.types("0")
        await at.opens(CampaignWizard, "enter")
        assert wizard.form.draft.scheduled_at is None


@pytest.mark.slow
async def test_a_workflow_for_one_customer_is_a_campaign_with_one_recipient(store: Store) -> None:
    """A reply opens it with workflow and folder chosen."""
    one, name = OneCustomer("972522345609", "Noa Levi"), "Order update: Noa Levi"
    async with running(store) as at:
        await until(lambda: at.inbox.list.cursor is not None)
        profile_store = at.app.app_context.store
        reply = ReplySetting("Order", workflow=WORKFLOWS[0]["id"], folder="f-7")
        profile_store.profile = replace(profile_store.profile, replies=(reply,))
        await at.opens(PickerDialog, "E")
        wizard = await at.opens(CampaignWizard, "enter")
        draft = wizard.form.draft
        assert (draft.audience, draft.name) == (one, name)
        assert (draft.workflow_id, draft.folder_id) == (WORKFLOWS[0]["id"], "f-7")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("This is a campaign with one recipient.")
        assert not outbox_queue.unsettled(store.reading, ChangeKind.CAMPAIGN)
        await at.opens(CampaignWizard, "escape")
        await at.press("escape")
        await at.back()

        await at.opens(PickerDialog, "C")
        wizard = await at.opens(CampaignWizard, "enter")
        assert (wizard.form.draft.audience, wizard.form.draft.name) == (one, name)
        await at.says("A campaign with one recipient")
        await at.decides(steps.FOLDER, PickerDialog)
        await at.types("f-1")
        await at.opens(CampaignWizard, "enter")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.types(name)
        await at.press("enter", "enter")
        await until(lambda: isinstance(at.app.screen, InboxScreen))
        (change,) = outbox_queue.unsettled(store.reading, ChangeKind.CAMPAIGN)
        assert change.state is ChangeState.HELD


@pytest.mark.slow
async def test_workflows_of_one_name_show_their_ids_and_are_found_by_them(store: Store) -> None:
    twins = [{**WORKFLOWS[0], "id": each} for each in ("65f0c2a19b7d4e0012aa01f7", "65f0c2a19b7d4e0012aa99c3")]
    async with running(store, workflows=twins, reads=sends(*map(with_graph, twins))) as at:
        wizard = await at.opens_wizard()
        await at.decides(steps.WORKFLOW, PickerDialog)
        await at.says("…12aa01f7")
        await at.says("…12aa99c3")
        await at.types("99c3")
        await at.opens(CampaignWizard, "enter")
        assert wizard.form.draft.workflow_id == twins[1]["id"]
        await at.says("…12aa99c3")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        await at.says("Runs the workflow 65f0c2a19b7d4e0012aa99c3.")


async def test_a_clone_begins_with_what_is_known_of_the_campaign(store: Store) -> None:
    raw = {"id": "c-1", "name": "Spring", "workflowId": "w1", "workflowName": "Order update", "folderId": "f-1"}
    raw |= {"associatedToBusinessId": "L1", "conversationTags": [{"id": "vip", "title": "VIP"}]}
    async with running(store) as at:
        await store.run(lambda db: campaign_store.watch(db, [CampaignId("c-1")], NOW))
        await store.run(lambda db: campaign_store.put(db, CampaignId("c-1"), raw, NOW))
        await at.press("3")
        await until(
            lambda: isinstance(at.app.screen, CampaignsScreen) and at.app.screen.record_at_cursor is not None
        )
        await at.opens(CampaignWizard, "C")
        assert (at.wizard.form.draft.workflow_id, at.wizard.form.draft.folder_id) == ("w1", "f-1")
        await at.says("Still to give: the name.")
        assert at.wizard.rows.cursor_key == steps.NAME


async def test_a_fresh_profile_reads_its_workflows_when_the_wizard_opens(store: Store) -> None:
    async with running(store, workflows=(), reads=None) as at:
        wizard = await at.opens_wizard()
        wizard.rows.move_to(steps.WORKFLOW)
        await at.says("Workflows aren't loaded yet")
        answering = asyncio.create_task(engine(store, HAS_ALL))
        await until(wizard.form.read_workflows)
        answering.cancel()
        await at.decides(steps.WORKFLOW, PickerDialog)
        await at.says("Order update")


async def test_nothing_known_is_said_and_ids_can_be_typed(store: Store) -> None:
    async with running(store, workflows=(), reads=sends()) as at:
        wizard = await at.opens_wizard()
        wizard.rows.move_to(steps.WORKFLOW)
        await at.says("The account has no workflows.")
        await at.decides(steps.FOLDER, PickerDialog)
        await at.says("Nothing to choose from yet. Type an id.")
        await at.types("f-9")
        await at.opens(CampaignWizard, "enter")
        assert wizard.form.draft.folder_id == "f-9"


@pytest.mark.slow
async def test_any_order_of_sizes_is_lived_through_on_every_page(store: Store, people: Path) -> None:
    sizes = [(1, 1), (200, 60), (60, 15), (30, 8), (80, 24), (100, 30)]
    async with running(store) as at:
        wizard = await at.opens_wizard()
        await at.chooses_list(people, lambda: wizard.form.progress.audience is not None)
        for width, height in sizes:
            await resize(at.app, width, height)
        await at.says("people.csv")
        assert wizard.styles.background.a == 1, "the screen below would be composed with each frame"
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        for width, height in sizes:
            await resize(at.app, width, height)
        await at.says("errors prevent sending")
        await at.opens(CampaignsScreen, "escape", "escape")


@pytest.mark.slow
async def test_strangers_names_are_words(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "evil\x1b]52;c;eA==\x07.csv"
    path.write_text("phone,\x1b[2Jname\n+972522345601,\x1b]0;x\x07\u202eDana\n")
    async with running(store) as at:
        wizard = await at.opens_wizard()
        wizard.form.choose_file(str(path))
        await until(lambda: wizard.form.progress.audience is not None)
        await at.decides(steps.WORKFLOW, PickerDialog)
        assert not {"\x1b", "\x07", "\u202e"} & set(at.text)
        await at.press("escape")
        wizard.decide(steps.CHECK)
        await at.opens(PreflightDialog)
        assert not {"\x1b", "\x07", "\u202e"} & set(at.text)


@pytest.mark.slow
@pytest.mark.parametrize("has_changed", [False, True])
async def test_errors_of_the_last_read_outlast_a_failing_network(
    store: Store, people: Path, *, has_changed: bool
) -> None:
    broken = with_graph({**WORKFLOWS[0], "lastModified": 1})
    broken["trigger"]["connections"]["out"] = ["gone"]
    answers = [sends(broken)]

    def fail(db: apsw.Connection) -> str:
        if has_changed:
            listed = [workflow_store.row_fields({**broken, "lastModified": 2})]
            workflow_store.put_listing(db, listed, has_more=False, requested_at=NOW, now=NOW)
        return "list workflows: the platform failed"

    async with running(store, reads=lambda db: answers[-1](db)) as at:
        await at.opens_wizard()
        await at.chooses_list(people, lambda: at.wizard.form.progress.audience is not None)
        await at.decides_the_rest()
        await at.opens(PreflightDialog, "enter")
        assert at.app.screen.query_one(Input).disabled
        await at.opens(CampaignWizard, "escape")
        answers.append(fail)
        await at.opens(PreflightDialog, "enter")
        await at.says('When last loaded: workflow check: "start" leads to "gone"')
        if not has_changed:
            await at.says("sending: press esc and fix")
            assert at.app.screen.query_one(Input).disabled
            return
        await at.types("Spring")
        await at.opens(UncheckedDialog, "enter")
        await at.says("changed and hasn't been checked since")
        await at.says('! When last loaded: workflow check: "start"')


async def test_a_wait_says_for_how_long_it_has_been_trying_and_when_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prompt, "STEP_SECONDS", 0.05)
    clock = kit.Clock(0.0)
    dialog = WaitingDialog(trusted("Check"), (span("Reading"),), max_seconds=50.0, clock=clock)
    async with opened(dialog) as (app, _, _answers):
        await until(lambda: "At most 50 s" in "\n".join(text_of(app)))
        clock.now = 9.0
        await until(lambda: "9 s so far, at most 50 s" in "\n".join(text_of(app)))
