"""A new draft made of a campaign, and what has to be given again."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.draft import (
    OF_CLONED,
    Audience,
    CampaignClone,
    FromFile,
    FromTags,
    build_body,
    clone_campaign,
    known_fields,
    new_draft,
    rename_draft,
    sent_audience,
)
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import FolderId, LineId, WorkflowId
from services import Services

NOW = datetime(2026, 11, 22, 11, tzinfo=UTC)
FIELDS = {
    "name": "Spring sale",
    "workflowId": "w1",
    "workflowName": "Sale",
    "associatedToBusinessId": "L1",
    "folderId": "f1",
    "audienceCountry": "IL",
    "description": "for regulars",
    "source": "excel",
}
LISTED = FromFile("/lists/people.csv")
TAG = {"id": "vip", "title": "VIP", "color": "gold", "associatedTo": "acme"}


def clone(sent: Audience | None = LISTED, *, is_file: bool = True, **more: Any) -> CampaignClone:
    made = clone_campaign(
        {**FIELDS, **more}, new_draft(NOW, random.Random(1)), sent, NOW.timestamp(), lambda _: is_file
    )
    assert made is not None
    return made


def test_all_that_is_known_is_taken_over_but_the_name_and_the_id() -> None:
    made = clone()
    draft = made.draft
    assert (draft.workflow_id, draft.workflow_name, draft.line_id, draft.folder_id) == ("w1", "Sale", "L1", "f1")
    assert draft.description == "for regulars"
    assert (draft.country, draft.country_reason, draft.is_country_chosen) == ("IL", OF_CLONED, False)
    assert (draft.name, draft.audience, draft.scheduled_at) == ("", LISTED, None)
    assert draft.campaign_id == new_draft(NOW, random.Random(1)).campaign_id
    assert made.wanted == ("the name",)


@pytest.mark.parametrize(("chosen", "country"), [("IL", "IL"), ("none", "")])
def test_the_home_country_of_a_list_is_suggested_from_here(tmp_path: Path, chosen: str, country: str) -> None:
    """The platform isn't told it."""
    sent = replace(
        rename_draft(new_draft(NOW, random.Random(3), LISTED), "Sale"),
        workflow_id=WorkflowId("w1"),
        folder_id=FolderId("f1"),
        line_id=LineId("L1"),
        country=country,
        is_country_chosen=True,
    )
    with Store(tmp_path) as store:
        services = Services(store, demo_profile("http://127.0.0.1:1"), clock=NOW.timestamp)
        CampaignCommands(services.store).create(sent, build_body(sent)).result()
        store.write(lambda db: campaign_store.watch(db, [sent.campaign_id], NOW.timestamp())).result()
        record = campaign_store.watched_record(store.reading, sent.campaign_id)
        assert record is not None
        fields = {**known_fields(store.reading, record), "workflowId": "w1"}
        assert fields["audienceCountry"] == chosen
        made = clone_campaign(
            fields,
            new_draft(NOW, random.Random(1)),
            sent_audience(store.reading, sent.campaign_id),
            0,
            lambda _: True,
        )
    assert made is not None
    assert (made.draft.country, made.draft.is_country_chosen, made.draft.audience) == (country, False, LISTED)
    assert bool(made.draft.country_reason) == bool(country), "to confirm"


def test_tags_are_taken_over_with_their_account() -> None:
    draft = clone(None, conversationTags=[TAG], source="tags").draft
    audience = draft.audience
    assert build_body(draft)["audienceCountry"] == "IL"
    assert "audienceCountry" not in build_body(replace(draft, country_reason=OF_CLONED)), "nobody decided it"
    assert isinstance(audience, FromTags)
    assert [(each.id, each.title, each.color, each.associated_to) for each in audience.tags] == [
        ("vip", "VIP", "gold", "acme")
    ]


@pytest.mark.parametrize(("values", "wanted"), [
    ({"sent": None}, "the audience"),
    ({"is_file": False}, "the list, whose file is gone"),
    ({"folderId": ""}, "the folder"),
    ({"associatedToBusinessId": ""}, "the line"),
    ({"scheduledAt": (NOW.timestamp() - 60) * 1000}, "the time, which has passed"),
])  # fmt: skip
def test_what_must_be_given_again_is_said(values: dict[str, Any], wanted: str) -> None:
    made = clone(**values)
    assert made.wanted == (wanted, "the name")
    assert made.draft.scheduled_at is None


def test_a_time_to_come_is_kept_and_a_campaign_never_read_is_no_draft() -> None:
    at = NOW.timestamp() + 3_600
    assert clone(scheduledAt=at * 1000).draft.scheduled_at == at
    assert clone_campaign({}, new_draft(NOW, random.Random(1)), None, NOW.timestamp(), lambda _: True) is None
