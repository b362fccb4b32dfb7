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

from frontdesk.campaigns.draft import FromFile, named, new_draft
from frontdesk.campaigns.findings import Severity
from frontdesk.campaigns.preflight import Summary, preflight
from frontdesk.cli.demo import demo_profile
from frontdesk.contract.ids import CampaignId, FolderId, LineId, WorkflowId
from frontdesk.desk.campaign_creation import parse_when
from frontdesk.desk.desk import Desk
from frontdesk.desk.due import DueNotUnderstood
from frontdesk.store import campaigns, documents, workflows
from frontdesk.store.store import Store

NOW = datetime(2026, 11, 22, 11, tzinfo=ZoneInfo("Asia/Jerusalem"))
RAN: dict[str, Any] = {
    "id": "c1", "name": "Last week", "associatedToBusinessId": "L1", "status": "completed", "totalRecipients": 600,
    "startedAt": 1_000_000_000_000, "completedAt": 1_000_000_060_000,
}  # fmt: skip
FLOW = {
    "id": "w1",
    "name": "Sale",
    "isActive": True,
    "associatedToBusinessId": "L1",
    "triggerType": "Manual Trigger",
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Store(tmp_path) as store:
        yield Desk(store, demo_profile("http://127.0.0.1:1"), clock=NOW.timestamp)


@pytest.mark.parametrize(("words", "at"), [
    ("", None), ("Now", None), (" at once ", None), ("tomorrow 9am", datetime(2026, 11, 23, 9)),
    ("12:30", datetime(2026, 11, 22, 12, 30)), ("2026-12-24 10:00", datetime(2026, 12, 24, 10)),
])  # fmt: skip
def test_words_for_a_time(words: str, at: datetime | None) -> None:
    expected = None if at is None else at.replace(tzinfo=NOW.tzinfo).timestamp()
    assert parse_when(words, NOW).at == expected


@pytest.mark.parametrize(
    "words", ["1795330800", "1795330800000", "1.7953308e12", "-1795330800", "0", "none", "soon-ish"]
)
def test_a_bare_number_is_no_time(words: str) -> None:
    with pytest.raises(DueNotUnderstood):
        parse_when(words, NOW)


def test_what_the_store_knows_beside_a_draft(desk: Desk, tmp_path: Path) -> None:
    def fill(db: apsw.Connection) -> None:
        campaigns.watch(db, [CampaignId("c1")], 1.0)
        campaigns.put(db, CampaignId("c1"), RAN, 2.0)
        documents.replace_all(db, documents.WORKFLOW, [FLOW, {**FLOW, "id": "w2", "parsedData": []}])

    with Store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(
        named(new_draft(NOW, random.Random(1), FromFile("x.csv")), "Sale"),
        workflow_id=WorkflowId("w1"), line_id=LineId("L1"), folder_id=FolderId("f"),
    )  # fmt: skip
    known = desk.campaign_facts(draft, Summary(30), NOW).result()
    assert (known.paces, known.used_ids, known.checked) == ((10.0,), frozenset({"c1"}), ())
    found = preflight(draft, known)
    assert found.can_be_sent, found.errors
    assert found.duration == pytest.approx((30 / 12.5, 30 / 7.5))
    flawed = desk.campaign_facts(replace(draft, workflow_id=WorkflowId("w2")), Summary(30), NOW).result()
    assert any(each.severity is Severity.ERROR and "workflow check" in each.words.text for each in flawed.checked)


def test_what_the_line_is_sending_and_how_much_of_it_is_left(desk: Desk, tmp_path: Path) -> None:
    sending = {**RAN, "id": "c2", "status": "inProgress", "sentCount": 350, "pendingCount": 200}

    def fill(db: apsw.Connection) -> None:
        for raw in (RAN, sending):
            campaigns.watch(db, [CampaignId(raw["id"])], 1.0)
            campaigns.put(db, CampaignId(raw["id"]), raw, 2.0)

    with Store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(new_draft(NOW, random.Random(1)), line_id=LineId("L1"))
    known = desk.campaign_facts(draft, None, NOW).result()
    assert (known.busy, known.busy_left) == (("Last week",), 250.0)
    elsewhere = desk.campaign_facts(replace(draft, line_id=LineId("L2")), None, NOW).result()
    assert (elsewhere.busy, elsewhere.busy_left) == ((), 0.0)


def test_the_whole_document_of_a_listed_workflow_is_checked(desk: Desk, tmp_path: Path) -> None:
    def fill(db: object) -> None:
        documents.replace_all(db, documents.WORKFLOW, [{"id": "w2", "name": "Two", "lastModified": 1}])  # type: ignore[arg-type]
        workflows.put_whole(db, {**FLOW, "id": "w2", "parsedData": [], "lastModified": 1}, 2.0)  # type: ignore[arg-type]

    with Store(tmp_path) as store:
        store.write(fill).result()
    draft = replace(new_draft(NOW, random.Random(1), FromFile("x.csv")), workflow_id=WorkflowId("w2"))
    flawed = desk.campaign_facts(draft, Summary(30), NOW).result()
    assert any(each.severity is Severity.ERROR and "workflow check" in each.words.text for each in flawed.checked)


def test_the_id_of_a_campaign_that_is_no_longer_watched_is_used_all_the_same(desk: Desk) -> None:
    desk.keep_receipt(CampaignId("c9"), {"campaignId": "c9"}).result()
    desk.unwatch_campaign(CampaignId("c9"))
    desk.written().result()
    assert not desk.reads.campaigns()
    known = desk.campaign_facts(new_draft(NOW, random.Random(1)), None, NOW).result()
    assert known.used_ids == frozenset({"c9"})


def test_a_draft_that_is_not_kept_is_told(desk: Desk, tmp_path: Path) -> None:
    told: list[str] = []
    desk.when_refused = told.append
    for each in tmp_path.glob("*.db*"):
        each.rename(each.with_name(f"gone-{each.name}"))
    assert desk.keep_draft(new_draft(NOW, random.Random(1))).exception() is not None
    desk.written().exception()
    assert len(told) == 1
