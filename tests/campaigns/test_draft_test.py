"""A test of a draft: to one's own number, with the first row's name, beside the draft that stays as it is."""

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from frontdesk.campaigns.changes import CampaignCommands, drafts_of
from frontdesk.campaigns.draft import (
    EXAMPLE_NUMBER,
    Draft,
    FromFile,
    NotOwnNumber,
    OneCustomer,
    build_body,
    from_json,
    make_test_draft,
    new_draft,
    own_number,
    read_own_number,
    to_json,
)
from frontdesk.campaigns.store import drafts as draft_store
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState
from frontdesk_api.contract.ids import FolderId, LineId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from services import Services

NOW = datetime(2026, 11, 23, 14, tzinfo=UTC)
NUMBER = "972522345699"


def draft(name: str = "Spring") -> Draft:
    return replace(
        new_draft(NOW, random.Random(1), FromFile("/lists/people.csv")),
        name=name,
        description="d",
        workflow_id=WorkflowId("w1"),
        workflow_name="Offers",
        folder_id=FolderId("f-1"),
        line_id=LineId("L1"),
        country="IL",
        scheduled_at=NOW.timestamp() + 86_400,
        when_words="tomorrow",
    )


def own(made: Draft) -> Draft:
    return make_test_draft(made, NUMBER, ListedRecipient("972522345601", "Dana", "", 2), NOW, random.Random(2))


def test_it_is_the_same_campaign_to_one_number_now_under_a_name_and_id_of_its_own() -> None:
    made = draft()
    test, body = own(made), build_body(own(made))
    same = {name: body[name] for name in ("workflowId", "workflowName", "folderId", "associatedToBusinessId")}
    assert {**build_body(made), **same} == build_body(made)
    assert (body["name"], body["whenToSendMessage"], "scheduledAt" in body) == ("Spring - test", "now", False)
    assert body["customerList"] == [{"phoneNumberId": NUMBER, "customerName": "Dana"}]
    assert test.campaign_id != made.campaign_id
    assert test.campaign_id.startswith("spring-test-20261123-")
    assert (test.draft_id != made.draft_id, test.test_of) == (True, made.draft_id)
    assert from_json(to_json(test)) == test


def test_without_a_name_or_a_list_it_has_the_workflow_s_name_and_no_customer_s() -> None:
    made = make_test_draft(replace(draft(""), audience=None), NUMBER, None, NOW, random.Random(2))
    assert (made.name, made.audience) == ("Offers - test", OneCustomer(NUMBER))
    one = replace(draft(), audience=OneCustomer("972521111111", "Omar"))
    assert make_test_draft(one, NUMBER, None, NOW, random.Random(2)).audience == OneCustomer(NUMBER, "Omar")


@pytest.mark.parametrize(
    ("typed", "country"), [("+972 52-234-5699", ""), ("00972522345699", ""), ("052-2345699", "IL")]
)
def test_a_number_is_read_as_people_write_it(typed: str, country: str) -> None:
    assert read_own_number(typed, country).digits == NUMBER


def test_the_example_of_a_number_is_valid_and_a_doubtful_one_says_why() -> None:
    assert not read_own_number(EXAMPLE_NUMBER, "").doubt
    doubtful = read_own_number("+972 52 123 4567", "")
    assert doubtful.digits == "972521234567"
    assert doubtful.doubt == "right length for IL (+972), but in an unused number range"


@pytest.mark.parametrize("typed", ["", "12", "Dana", "052-2345699", "+972 52 234", "+972522345699;+1212", NUMBER])
def test_what_is_no_number_is_refused_and_says_how_to_write_one(typed: str) -> None:
    with pytest.raises(NotOwnNumber, match=re.escape(f"such as {EXAMPLE_NUMBER}")):
        read_own_number(typed, "")


def test_a_number_with_two_readings_is_refused_with_both() -> None:
    with pytest.raises(NotOwnNumber, match=r"could be \+5551987654321 or \+51987654321; write the whole number"):
        read_own_number("51987654321", "BR")
    with pytest.raises(
        NotOwnNumber, match=r"not a number in US, but \+20155102734 may be one in EG \(\+20\); write"
    ):
        read_own_number("20155102734", "US")


def test_it_goes_through_the_outbox_and_its_draft_is_not_kept(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        services = Services(store, demo_profile("http://127.0.0.1:1"), clock=NOW.timestamp)
        commands, made = CampaignCommands(services.store), draft()
        assert own_number(store.reading) == ""
        commands.keep_own_number(NUMBER).result()
        assert own_number(store.reading) == NUMBER
        commands.keep_draft(made).result()
        test = own(made)
        change = commands.create(test, build_body(test)).result()
        assert draft_store.latest_test(store.reading, made.draft_id) == change
        assert change.state is ChangeState.HELD
        assert drafts_of(store.reading) == (made,)
        assert draft_store.latest_test(store.reading, "other") is None
