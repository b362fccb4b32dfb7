"""A new draft made of a campaign, and what has to be given again."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.campaigns.campaign_clone import CampaignClone, clone_campaign
from frontdesk.campaigns.draft import Audience, FromFile, FromTags, new_draft

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
    assert (draft.country, draft.is_country_chosen, draft.description) == ("IL", True, "for regulars")
    assert (draft.name, draft.audience, draft.scheduled_at) == ("", LISTED, None)
    assert draft.campaign_id == new_draft(NOW, random.Random(1)).campaign_id
    assert made.wanted == ("the name",)


def test_tags_are_taken_over_with_their_account() -> None:
    audience = clone(None, conversationTags=[TAG], source="tags").draft.audience
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
