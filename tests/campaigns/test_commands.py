"""When to send, out of words, and what the store knows beside a draft."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import pytest

from flows.checks.sample_workflows import node, workflow
from frontdesk.campaigns.draft import FromFile, new_draft, rename_draft
from frontdesk.campaigns.preflight import preflight
from frontdesk.campaigns.preflight_facts import (
    AudienceSummary,
    PreflightFacts,
    PreflightSeverity,
    WorkflowFacts,
    facts_for,
    parse_when,
    read_facts,
)
from frontdesk.campaigns.store import campaigns, drafts
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.registry.campaign_workflows import CampaignWorkflows
from frontdesk.storage import record_lookup
from frontdesk.storage.records import DocumentRecord
from frontdesk.tasks import store as task_store
from frontdesk.text.due_parser import DueNotUnderstood
from frontdesk.workflows import store as workflow_store
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, WorkflowId
from new_store import open_store
from sample_json import raw_task
from services import Services

NOW = datetime(2026, 11, 22, 11, tzinfo=ZoneInfo("Asia/Jerusalem"))
RAN: dict[str, Any] = {
    "id": "c1", "name": "Last week", "associatedToBusinessId": "L1", "status": "completed", "totalRecipients": 600,
    "startedAt": 1_000_000_000_000, "completedAt": 1_000_000_060_000,
}  # fmt: skip
FLOW: dict[str, Any] = {
    "id": "w1",
    "name": "Sale",
    "isActive": True,
    "associatedToBusinessId": "L1",
    "triggerType": "Manual Trigger",
}
WHOLE: dict[str, Any] = workflow(node("n", messageType="custom", message="Hi")) | FLOW
WHOLE["trigger"]["data"]["eventType"] = "Manual Trigger"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_store(tmp_path) as store:
        yield Services(store, demo_profile("http://127.0.0.1:1"), clock=NOW.timestamp)


def errors(facts: PreflightFacts) -> list[str]:
    return [each.words.text for each in facts.workflows.findings if each.severity is PreflightSeverity.ERROR]


@pytest.mark.parametrize(("words", "at"), [
    ("", None), ("Now", None), (" at once ", None), ("tomorrow 9am", datetime(2026, 11, 23, 9)),
    ("12:30", datetime(2026, 11, 22, 12, 30)), ("2026-12-24 10:00", datetime(2026, 12, 24, 10)),
])  # fmt: skip
def test_words_for_a_time(words: str, at: datetime | None) -> None:
    expected = None if at is None else at.replace(tzinfo=NOW.tzinfo).timestamp()
    assert parse_when(words, NOW).at == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["1795330800", "1795330800000", "1.7953308e12", "-1795330800", "0", "none", "soon-ish"]
)
def test_a_bare_number_is_no_time(words: str) -> None:
    with pytest.raises(DueNotUnderstood):
        parse_when(words, NOW)


def test_what_the_store_knows_beside_a_draft(services: Services, tmp_path: Path) -> None:
    def fill(db: apsw.Connection) -> None:
        campaigns.watch(db, [CampaignId("c1")], 1.0)
        campaigns.put(db, CampaignId("c1"), RAN, 2.0)
        workflow_store.put_whole(db, WHOLE, 1.0)
        workflow_store.put_whole(db, {**FLOW, "id": "w2", "parsedData": []}, 1.0)

    with open_store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(
        rename_draft(new_draft(NOW, random.Random(1), FromFile("x.csv")), "Sale"),
        workflow_id=WorkflowId("w1"), line_id=LineId("L1"), folder_id=FolderId("f"),
    )  # fmt: skip
    known = read_facts(services.store, CampaignWorkflows(), draft, AudienceSummary(30), NOW).result()
    assert (known.paces, known.used_ids, known.workflows.problem) == ((10.0,), frozenset({"c1"}), "")
    assert {each.severity for each in known.workflows.findings} <= {PreflightSeverity.NOTE}
    found = preflight(draft, known)
    assert not found.errors
    assert found.duration == pytest.approx((30 / 12.5, 30 / 7.5))
    flawed = read_facts(
        services.store, CampaignWorkflows(), replace(draft, workflow_id=WorkflowId("w2")), AudienceSummary(30), NOW
    ).result()
    assert any("workflow check" in each for each in errors(flawed))


def test_what_the_line_is_sending_and_how_much_of_it_is_left(services: Services, tmp_path: Path) -> None:
    sending = {**RAN, "id": "c2", "status": "inProgress", "sentCount": 350, "pendingCount": 200}

    def fill(db: apsw.Connection) -> None:
        for raw in (RAN, sending):
            campaigns.watch(db, [CampaignId(raw["id"])], 1.0)
            campaigns.put(db, CampaignId(raw["id"]), raw, 2.0)

    with open_store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(new_draft(NOW, random.Random(1)), line_id=LineId("L1"))
    known = read_facts(services.store, CampaignWorkflows(), draft, None, NOW).result()
    assert (known.busy, known.busy_left) == (("Last week",), 250.0)
    elsewhere = read_facts(
        services.store, CampaignWorkflows(), replace(draft, line_id=LineId("L2")), None, NOW
    ).result()
    assert (elsewhere.busy, elsewhere.busy_left) == ((), 0.0)


def test_the_whole_document_of_a_listed_workflow_is_checked(services: Services, tmp_path: Path) -> None:
    def fill(db: object) -> None:
        record_lookup.replace_all(db, record_lookup.WORKFLOW, [{"id": "w2", "name": "Two", "lastModified": 1}])  # type: ignore[arg-type]
        workflow_store.put_whole(db, {**FLOW, "id": "w2", "parsedData": [], "lastModified": 1}, 2.0)  # type: ignore[arg-type]

    with open_store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(new_draft(NOW, random.Random(1), FromFile("x.csv")), workflow_id=WorkflowId("w2"))
    flawed = read_facts(services.store, CampaignWorkflows(), draft, AudienceSummary(30), NOW).result()
    assert any("workflow check" in each for each in errors(flawed))


def test_the_id_of_a_campaign_that_is_no_longer_watched_is_used_all_the_same(services: Services) -> None:
    receipt = {"campaignId": "c9"}
    services.store.write(lambda db: drafts.created(db, CampaignId("c9"), receipt, "", 1.0)).result()
    services.campaigns.unwatch(CampaignId("c9"))
    services.store.flush().result()
    assert not campaigns.watched(services.store.reading)
    known = read_facts(services.store, CampaignWorkflows(), new_draft(NOW, random.Random(1)), None, NOW).result()
    assert known.used_ids == frozenset({"c9"})


def test_an_id_that_is_watched_and_that_no_campaign_has_can_be_used(services: Services) -> None:
    services.campaigns.watch(CampaignId("mistyped"))
    services.store.flush().result()
    known = read_facts(services.store, CampaignWorkflows(), new_draft(NOW, random.Random(1)), None, NOW).result()
    assert known.used_ids == frozenset()


def test_a_draft_that_is_not_kept_is_told(services: Services, tmp_path: Path) -> None:
    told: list[str] = []
    services.store.on_refused = told.append
    for each in tmp_path.glob("*.db*"):
        each.rename(each.with_name(f"gone-{each.name}"))
    assert services.campaigns.keep_draft(new_draft(NOW, random.Random(1))).exception() is not None
    services.store.flush().exception()
    assert len(told) == 1


SALE = replace(
    rename_draft(new_draft(NOW, random.Random(1), FromFile("x.csv")), "Sale"),
    workflow_id=WorkflowId("w1"), line_id=LineId("L1"), folder_id=FolderId("f"),
)  # fmt: skip


def checked_against(tmp_path: Path, services: Services, fill: Any, not_read: str = "") -> PreflightFacts:
    with open_store(tmp_path) as store:
        store.write(fill).result()
    return read_facts(services.store, CampaignWorkflows(), SALE, AudienceSummary(30), NOW, not_read).result()


def listed(db: apsw.Connection, changed: float = 1.0, *, has_more: bool = False) -> None:
    raws = [{**FLOW, "lastModified": changed}]
    workflow_store.put_listing(db, raws, has_more=has_more, requested_at=changed, now=changed)


def test_a_workflow_whose_document_was_never_read_is_not_checked(services: Services, tmp_path: Path) -> None:
    found = checked_against(tmp_path, services, listed)
    assert (found.workflows.findings, found.workflows.problem) == ((), "it hasn't been loaded yet")


def test_a_fresh_profile_knows_no_workflow_and_an_account_without_any_does(
    services: Services, tmp_path: Path
) -> None:
    assert checked_against(tmp_path, services, lambda _: None).workflows.records is None

    def none(db: apsw.Connection) -> None:
        workflow_store.put_listing(db, [], has_more=False, requested_at=1.0, now=1.0)

    assert checked_against(tmp_path, services, none).workflows.records == []


def test_an_older_document_is_no_check_and_what_is_wrong_in_it_is_told(services: Services, tmp_path: Path) -> None:
    def fill(db: apsw.Connection) -> None:
        workflow_store.put_whole(db, {**FLOW, "parsedData": [], "lastModified": 1}, 1.0)
        listed(db, 2.0)

    found = checked_against(tmp_path, services, fill)
    assert found.workflows.problem == "its stored copy is out of date"
    assert found.workflows.findings[0].words.text.startswith("when last loaded: workflow check: ")
    findings = found.workflows.findings
    assert [each.is_outdated for each in findings if each.severity is PreflightSeverity.ERROR] == [True]
    assert preflight(SALE, found).can_be_confirmed, "it may be fixed by now"


def test_what_was_wrong_when_last_read_holds_until_a_read_shows_it_fixed(
    services: Services, tmp_path: Path
) -> None:
    broken = {**FLOW, "parsedData": [], "lastModified": 1}
    found = checked_against(tmp_path, services, lambda db: workflow_store.put_whole(db, broken, 1.0), "offline")
    assert preflight(SALE, found).errors
    assert not preflight(SALE, found).can_be_confirmed


def test_a_workflow_that_was_off_when_last_read_stays_so_while_it_can_not_be_read(
    services: Services, tmp_path: Path
) -> None:
    def fill(db: apsw.Connection) -> None:
        listed(db)
        workflow_store.put_all_whole(db, [workflow_store.split_document({**WHOLE, "isActive": False})], 2.0, 2.0)

    found = checked_against(tmp_path, services, fill, "offline")
    assert not preflight(SALE, found).can_be_confirmed


def test_a_document_that_could_not_be_read_again_is_no_check(services: Services, tmp_path: Path) -> None:
    found = checked_against(tmp_path, services, lambda db: workflow_store.put_whole(db, WHOLE, 1.0), "offline")
    assert found.workflows.problem == "offline"


@pytest.mark.parametrize("text", ["{", "[]", "null"])
def test_a_stored_document_that_is_no_document_is_no_check(services: Services, tmp_path: Path, text: str) -> None:
    def fill(db: apsw.Connection) -> None:
        workflow_store.put_whole(db, WHOLE, 1.0)
        db.execute("UPDATE workflow_texts SET raw = ?", (text,))

    assert checked_against(tmp_path, services, fill).workflows.problem == "its stored copy can't be read"


def test_what_the_whole_document_says_counts_and_not_an_older_list(services: Services, tmp_path: Path) -> None:
    def fill(db: apsw.Connection) -> None:
        listed(db)
        workflow_store.put_all_whole(db, [workflow_store.split_document({**WHOLE, "isActive": False})], 2.0, 2.0)

    found = checked_against(tmp_path, services, fill)
    assert found.workflows.records is not None
    assert found.workflows.records[0].raw["isActive"] is False


def test_a_pointer_to_a_workflow_that_is_not_listed_is_unchecked_where_more_exist(
    services: Services, tmp_path: Path
) -> None:
    raw = workflow(node("n", "workflowPointer", workflowId="far")) | FLOW

    def fill(db: apsw.Connection) -> None:
        workflow_store.put_whole(db, raw, 1.0)
        listed(db, has_more=True)

    found = checked_against(tmp_path, services, fill)
    assert found.workflows.problem == ""
    (missing,) = [each for each in found.workflows.findings if each.is_unchecked]
    assert '"far", which isn\'t listed (1 listed; more exist)' in missing.words.text


def test_how_many_a_busy_line_has_left_is_not_summed_where_one_is_not_known(
    services: Services, tmp_path: Path
) -> None:
    def fill(db: apsw.Connection) -> None:
        for raw in (
            {**RAN, "id": "c2", "status": "inProgress", "sentCount": 350, "pendingCount": 200},
            {"id": "c3", "associatedToBusinessId": "L1", "status": "inProgress", "startedAt": 1_000_000_000_000},
        ):
            campaigns.watch(db, [CampaignId(str(raw["id"]))], 1.0)
            campaigns.put(db, CampaignId(str(raw["id"])), raw, 2.0)

    assert checked_against(tmp_path, services, fill).busy_left is None


def test_a_workflow_that_came_whole_without_a_graph_is_checked_as_one_without(services: Services) -> None:
    draft = replace(new_draft(NOW, random.Random(1)), workflow_id=WorkflowId("w1"))
    came = WorkflowFacts([DocumentRecord("w1", "Sale", FLOW)], more_exist=False)
    store = services.store
    known = CampaignWorkflows().listed(store.reading, draft.workflow_id, came)
    found = facts_for(draft, None, NOW, store.reading, store.catalogue, known)
    assert found.workflows.problem == ""
    assert any("trigger" in each for each in errors(found))


@pytest.mark.parametrize(
    "words", ["12345", " 1795330800 ", "+1795330800", "-1795330800.5", "1.7953308e12", "1,7E9", "99999."]
)
def test_a_plain_number_is_refused_since_its_unit_is_not_known(words: str) -> None:
    with pytest.raises(DueNotUnderstood) as refused:
        parse_when(words, NOW)
    assert str(refused.value) == (
        "a plain number could be seconds or milliseconds; try tomorrow 9am or 2026-12-24 09:00"
    )


@pytest.mark.parametrize("words", ["0", " None", "never"])
def test_words_for_no_time_are_none_of_a_campaign(words: str) -> None:
    with pytest.raises(DueNotUnderstood) as refused:
        parse_when(words, NOW)
    assert str(refused.value) == (
        f"{words.strip()!r} isn't a recognized time; try now, tomorrow 9am or 2026-12-24 09:00"
    )


def test_what_the_clocks_do_at_a_time_is_told() -> None:
    change = NOW.replace(month=3, day=26)
    assert parse_when("2026-03-27 02:30", change).note == "clocks skip 02:30 that night; using 03:30"
    assert parse_when("now", NOW).note == parse_when("tomorrow 9am", NOW).note == ""


def test_the_paces_of_a_line_are_those_of_its_last_three_campaigns_that_have_one(
    services: Services, tmp_path: Path
) -> None:
    """A campaign of 600 to whom so many were sent a second; one that was never started has none."""

    def ran(name: str, started: float, pace: float, line: str = "L1") -> dict[str, Any]:
        at = 1_000_000_000 + started
        return {**RAN, "id": name, "associatedToBusinessId": line, "startedAt": at * 1000,
                "completedAt": (at + 600 / pace) * 1000}  # fmt: skip

    found = [
        ran("c1", 0, 1.0), ran("c2", 4_000, 2.0), ran("c3", 3_000, 3.0), ran("c4", 2_000, 4.0),
        ran("c5", 9_000, 5.0, "L2"), {**ran("c6", 9_000, 6.0), "startedAt": None},
        {**ran("c7", 8_000, 7.0), "totalRecipients": 5, "sentCount": 5},
    ]  # fmt: skip

    def fill(db: apsw.Connection) -> None:
        task_store.put(db, [raw_task(1)])
        for raw in found:
            campaigns.watch(db, [CampaignId(raw["id"])], 1.0)
            campaigns.put(db, CampaignId(raw["id"]), raw, 2.0)

    with open_store(tmp_path) as store:
        store.write(fill).result()
    unlisted = WorkflowFacts([])
    db, catalogue = services.store.reading, services.store.catalogue

    def facts_of(line: str) -> PreflightFacts:
        draft = replace(new_draft(NOW, random.Random(1)), line_id=LineId(line))
        return facts_for(draft, None, NOW, db, catalogue, unlisted)

    assert facts_of("L1").paces == pytest.approx((2.0, 3.0, 4.0))
    assert facts_of("L2").paces == pytest.approx((5.0,))
    assert facts_of("").paces == ()
    assert facts_of("L1").used_ids == {each["id"] for each in found}
    assert facts_of("L1").lines.keys() == {*catalogue.lines, "L1"}, "those of the config, and those of tasks"
    assert facts_of("L1").workflows is unlisted
