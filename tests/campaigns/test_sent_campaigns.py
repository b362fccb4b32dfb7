"""The same campaign twice: what of the last days has a draft's name, or its recipients, workflow and line."""

import random
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.campaigns.draft import (
    Draft,
    FromFile,
    FromTags,
    OneCustomer,
    build_body,
    make_receipt,
    new_draft,
    rename_draft,
)
from frontdesk.campaigns.sent_campaigns import REPEAT_SECONDS, describe_repeated, find_repeated, read_sent
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts
from frontdesk.config.settings import TagLabel
from frontdesk.storage.database import Store
from frontdesk_api.client.errors import Ambiguous, Refused
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from sync.scene import Scene

HOME = ZoneInfo("Asia/Jerusalem")
NOW = datetime(2026, 11, 22, 11, tzinfo=HOME)
HOUR, DAY = 3_600.0, 86_400.0
PEOPLE = [ListedRecipient(f"97252000{each:04}", "", "", each + 1) for each in range(3)]


def draft(seed: int = 1, name: str = "Spring sale", **values: Any) -> Draft:
    made = rename_draft(new_draft(NOW, random.Random(seed), FromFile("list.csv")), name)
    ids = {"workflow_id": WorkflowId("w1"), "folder_id": FolderId("f1"), "line_id": LineId("L1")}
    return replace(made, **{**ids, **values})


def keep_sent(store: Store, made: Draft, ago: float, people: list[ListedRecipient] = PEOPLE) -> None:
    """Keep the receipt of a campaign of the command line."""
    at = NOW.timestamp() - ago
    receipt = make_receipt(build_body(made, people), "created", at, at)
    store.write(lambda db: drafts.created(db, made.campaign_id, receipt, "", at)).result()


def load(store: Store, campaign_id: str, **raw: Any) -> None:
    """Store a campaign as the platform has it."""
    store.write(lambda db: campaign_store.put(db, CampaignId(campaign_id), raw, NOW.timestamp())).result()


def repeats(store: Store, made: Draft) -> list[str]:
    body = build_body(made, PEOPLE)
    return [
        *describe_repeated(find_repeated(made, body, read_sent(store.reading, made, NOW.timestamp())), body, NOW)
    ]


def test_it_says_when_how_many_and_how_it_ended(store: Store) -> None:
    earlier = draft()
    keep_sent(store, earlier, DAY)
    title = f'"Spring sale" ({earlier.campaign_id}), same recipients, workflow and line: '
    when = "sent Sat 21 Nov 11:00 IST to 3 recipients; "
    assert repeats(store, draft(2, "Another name")) == [f"{title}{when}not loaded yet"]
    load(
        store,
        earlier.campaign_id,
        status="failed",
        failureReason="no\x1b credit",
        totalRecipients=3,
        sentCount=1,
        failedCount=2,
    )
    assert repeats(store, draft(2)) == [f"{title}{when}failed: no␛ credit, 1 of 3 sent, 2 failed"]


@pytest.mark.parametrize(("changed", "people", "same"), [
    ({}, PEOPLE[:2], "same name"),
    ({"name": "SPRING  sale"}, PEOPLE[:2], "same name"),
    ({"name": "Another"}, PEOPLE, "same recipients, workflow and line"),
    ({"name": "Another"}, PEOPLE[::-1], "same recipients, workflow and line"),
    ({"name": "Another"}, PEOPLE[:2], ""),
    ({"name": "Another", "workflow_id": WorkflowId("w2")}, PEOPLE, ""),
    ({"name": "Another", "line_id": LineId("L2")}, PEOPLE, ""),
])  # fmt: skip
def test_what_is_the_same(store: Store, changed: dict[str, Any], people: list[ListedRecipient], same: str) -> None:
    keep_sent(store, replace(draft(), **changed), HOUR, people)
    found = repeats(store, draft(2))
    assert [same in each for each in found] == ([True] if same else [])


def test_an_older_one_is_no_warning_and_a_scheduled_one_is(store: Store) -> None:
    keep_sent(store, draft(), REPEAT_SECONDS + 1)
    assert not repeats(store, draft(2))
    keep_sent(store, draft(3, scheduled_at=NOW.timestamp() + 2 * DAY), REPEAT_SECONDS + 1)
    (found,) = repeats(store, draft(2))
    assert "scheduled for Tue 24 Nov 11:00 IST to 3 recipients" in found


def test_one_that_is_only_watched_or_no_longer_is_known_by_what_the_platform_has(store: Store) -> None:
    about = {"workflowId": "w1", "associatedToBusinessId": "L1", "startedAt": (NOW.timestamp() - HOUR) * 1000}
    people = [{"phoneNumberId": each.number, "customerName": "Dana"} for each in PEOPLE]
    load(store, "theirs", name="Theirs", status="stopped", source="excel", customerList=people, **about)
    tag = TagLabel(TagId("vip"), "VIP", "", "a1")
    load(
        store, "tagged", name="Tagged", source="tags", conversationTags=[{"id": "vip"}], totalRecipients=9, **about
    )
    assert ["Theirs" in each and "; stopped" in each for each in repeats(store, draft())] == [True]
    assert [
        "Tagged" in each and "to 9 recipients" in each for each in repeats(store, draft(audience=FromTags((tag,))))
    ] == [True]


@pytest.mark.parametrize(("others", "said"), [
    (3, ["3 of 6 recipients the same, workflow and line"]),
    (4, []),
])  # fmt: skip
def test_a_list_that_shares_half_of_its_people_is_nearly_the_same(
    store: Store, others: int, said: list[str]
) -> None:
    """Where the other list is in the store; a receipt has only its digest."""
    about = {"workflowId": "w1", "associatedToBusinessId": "L1", "startedAt": (NOW.timestamp() - HOUR) * 1000}
    more = [ListedRecipient(f"97254000{each:04}", "", "", 9) for each in range(2 * others)]
    people = [{"phoneNumberId": each.number} for each in (*PEOPLE, *more[:others])]
    load(store, "theirs", name="Theirs", status="completed", source="excel", customerList=people, **about)
    made = draft()
    body = build_body(made, [*PEOPLE, *more[others:]])
    found = find_repeated(made, body, read_sent(store.reading, made, NOW.timestamp()))
    assert [each.split("), ")[1].split(":")[0] for each in describe_repeated(found, body, NOW)] == said


def test_a_test_and_one_template_for_many_customers_are_no_repeats(store: Store) -> None:
    keep_sent(store, draft(audience=OneCustomer("972520000001")), HOUR)
    assert not repeats(store, draft(2, audience=OneCustomer("972520000002")))
    assert repeats(store, draft(2, audience=OneCustomer("972520000001")))
    assert not repeats(store, draft(2, test_of="x", audience=OneCustomer("972520000001")))


def test_what_waits_or_may_have_arrived_counts_and_what_was_undone_or_refused_does_not(scene: Scene) -> None:
    scene.now = NOW.timestamp()
    made = draft()

    def outcomes() -> list[str]:
        return [each.rpartition("; ")[2] for each in repeats(scene.store, draft(2))]

    def send() -> None:
        scene.services.campaigns.create(made, build_body(made, PEOPLE)).result()

    send()
    assert outcomes() == ["waiting to be sent"]
    scene.services.outbox.undo().result()
    assert outcomes() == []
    send()
    scene.fail("post", Refused("too large", status=413))
    scene.send(6)
    assert outcomes() == []
    send()
    scene.fail("post", Ambiguous("the connection broke"))
    scene.send(6)
    assert outcomes() == ["outcome unknown"]
    scene.services.outbox.drop(scene.all()[-1].change_id).result()
    assert outcomes() == ["outcome unknown"]
