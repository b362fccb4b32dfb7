"""A draft that was kept is the one that was decided, and its request body is what the contract takes."""

import dataclasses
import json
import random
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.draft import (
    PART,
    Draft,
    FromFile,
    FromTags,
    OneCustomer,
    action_key,
    body_size,
    build_body,
    dump_body,
    from_json,
    is_same_campaign,
    make_receipt,
    new_draft,
    recipient_count,
    recipient_digest,
    rename_draft,
    replace_list,
    shorten_body,
    slug,
    split_body,
    to_json,
)
from frontdesk.config.settings import TagLabel
from frontdesk_api.client.request_encoding import encode_json
from frontdesk_api.contract.campaigns import CampaignCreate
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk_lists.models import ColumnMapping, ListedRecipient

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
ID = re.compile(r"[a-z0-9][a-z0-9-]*-20261121-[a-z2-9]{7}")

texts = st.text(max_size=20)
some = st.text(min_size=1, max_size=20)
tags = st.builds(TagLabel, some.map(TagId), texts, texts, st.none() | texts)
columns = st.builds(ColumnMapping, st.integers(0, 99), st.none() | st.integers(0, 99), st.none(), st.booleans())
audiences = st.one_of(
    st.none(),
    st.builds(FromTags, st.lists(tags, max_size=3).map(tuple)),
    st.builds(
        FromFile,
        *(texts, texts, st.none() | columns, texts, texts, st.booleans()),
        *[st.lists(texts, max_size=3).map(tuple)] * 2,
    ),
    st.builds(OneCustomer, st.from_regex(r"[0-9]{8,15}", fullmatch=True), texts),
)
drafts = st.builds(
    Draft,
    draft_id=some,
    campaign_id=some.map(CampaignId),
    made_at=st.floats(0, 4e9),
    name=some,
    description=texts,
    workflow_id=texts.map(WorkflowId),
    workflow_name=texts,
    folder_id=texts.map(FolderId),
    line_id=texts.map(LineId),
    when_words=texts,
    scheduled_at=st.none() | st.floats(0, 4e9),
    country=st.sampled_from(("", "IL", "ES")),
    audience=audiences,
)
kept_names = st.sampled_from(
    ("draft_id", "campaign_id", "made_at", "audience", "tags", "path", "columns", "number")
)
loose = st.recursive(
    st.none() | st.booleans() | st.floats() | texts,
    lambda inner: st.lists(inner) | st.dictionaries(kept_names, inner),
)
# Halves of letters, as a file in a broken encoding may hold them, included.
names = st.text(st.characters(exclude_categories=()), max_size=12)
recipients = st.lists(st.builds(ListedRecipient, some, names, st.sampled_from(("", "IL")), st.just(1)), max_size=8)


@few
@given(drafts, recipients)
def test_whatever_was_decided_the_body_is_one_that_the_contract_takes(
    draft: Draft, listed: list[ListedRecipient]
) -> None:
    body = build_body(draft, listed)
    sent = json.loads(json.dumps(body).encode())
    CampaignCreate.model_validate(sent)
    assert sent == body
    assert ("scheduledAt" in body) == (body["whenToSendMessage"] == "future") == (draft.scheduled_at is not None)
    assert is_same_campaign(body, {**sent, "status": "pending", "sentCount": 0})
    json.loads(shorten_body(body))


def test_a_list_goes_without_a_country_by_which_its_numbers_could_be_read_again() -> None:
    made = dataclasses.replace(new_draft(NOW, random.Random(3), FromFile("x.csv")), country="DE")
    assert "audienceCountry" not in build_body(made, [ListedRecipient("4915123456789", "", "", 1)])
    assert build_body(dataclasses.replace(made, audience=FromTags(())))["audienceCountry"] == "DE"


@few
@given(drafts)
def test_a_draft_comes_back_out_of_json_as_it_was(draft: Draft) -> None:
    assert from_json(json.loads(json.dumps(to_json(draft)))) == draft


@pytest.mark.slow
@given(loose)
def test_what_is_no_draft_is_none(kept: object) -> None:
    draft = from_json(kept)
    assert draft is None or isinstance(draft, Draft)


@few
@given(st.text(max_size=60), st.text(max_size=60))
def test_an_id_reads_like_the_name_and_stays_the_drafts_own(first: str, second: str) -> None:
    draft = new_draft(NOW, random.Random(3))
    assert ID.fullmatch(draft.campaign_id)
    again = rename_draft(rename_draft(draft, first), second)
    assert ID.fullmatch(again.campaign_id)
    assert len(again.campaign_id) <= 60
    assert (again.draft_id, again.name) == (draft.draft_id, second)
    assert rename_draft(draft, second) == again


@pytest.mark.parametrize(("name", "expected"), [
    ("Spring Sale 2026!", "spring-sale-2026"), ("מבצע אביב", "campaign"), ("  ", "campaign"), ("a" * 99, "a" * 24),
    ("Ünïcode sale", "n-code-sale"), ("--", "campaign"), ("a" * 23 + " b", "a" * 23),
])  # fmt: skip
def test_slugs(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_an_id_that_a_person_chose_is_left_alone() -> None:
    draft = dataclasses.replace(new_draft(NOW, random.Random(3)), campaign_id=CampaignId("mine"))
    assert draft.has_own_id
    assert rename_draft(draft, "Sale").campaign_id == "mine"
    another = rename_draft(new_draft(NOW, random.Random(4)), "Sale")
    assert ID.fullmatch(another.campaign_id)
    assert not another.has_own_id
    assert another.draft_id != draft.draft_id


def body_for(count: int) -> dict[str, object]:
    draft = rename_draft(new_draft(NOW, random.Random(3), FromFile("x.csv")), "Sale")
    return build_body(draft, [ListedRecipient(str(each), f"n{each}", "", each) for each in range(count)])


def test_a_long_list_is_shown_by_its_ends_and_counted_in_a_receipt() -> None:
    body = body_for(10_000)
    text = shorten_body(body)
    assert len(text) < 2_000
    assert "… 9,994 more …" in text
    assert '"phoneNumberId": "9999"' in text
    assert recipient_count(body) == 10_000
    assert replace_list(body)["customerList"] == "10,000 recipients"
    receipt = make_receipt(body, "created", 5.0, 6.0)
    assert (receipt["count"], receipt["sentAt"], receipt["confirmedAt"]) == (10_000, 5.0, 6.0)
    assert "more" not in shorten_body(body_for(6))


@pytest.mark.parametrize("count", [0, 1, PART, PART + 1, 3 * PART])
def test_a_long_list_is_kept_as_it_is_in_parts(count: int) -> None:
    body = body_for(count)
    assert json.loads(dump_body(body)) == body
    assert list(json.loads(dump_body(body))) == list(body)
    assert body_size(dump_body(body)) == len(encode_json(body))
    parts = list(split_body(body))
    assert len(parts) == max(1, -(-count // PART))
    assert [each for part in parts for each in part["customerList"]] == body["customerList"]


def test_another_campaign_under_the_same_id_is_told_apart() -> None:
    body = body_for(5)
    for name, value in (("name", "Other"), ("workflowId", "w9"), ("scheduledAt", 5), ("source", "tags")):
        assert not is_same_campaign(body, {**body, name: value})
    assert not is_same_campaign(body, {**body, "customerList": body_for(4)["customerList"]})
    assert is_same_campaign(body, {"id": body["id"], "name": "Sale"}), "what isn't said is no difference"
    assert recipient_digest(body) != recipient_digest(body_for(4))


def test_a_list_in_another_order_is_the_same_action() -> None:
    body = body_for(5)
    assert action_key({**body, "customerList": body["customerList"][::-1]}) == action_key(body)
    assert action_key({**body, "workflowId": "w9"}) != action_key(body)
