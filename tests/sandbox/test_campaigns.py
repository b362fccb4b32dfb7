"""Creating and reading campaigns (tests/sandbox/rules.md, chapters 2 and 3)."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from api.contract.test_requests import ACCEPTED, LEFT_OUT, REJECTED
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.handlers import COUNTER_COLUMNS as COUNTERS
from sandbox.asking import ACCOUNT, PERSON, TAG, Sandbox, assert_error_body, campaign, tags_campaign


@pytest.mark.rules("21-24 71 72")
@pytest.mark.parametrize("body", [campaign(), tags_campaign()])
def test_both_audiences_are_stored_as_sent(sandbox: Sandbox, body: dict[str, Any]) -> None:
    answer = sandbox.post("/campaigns", body)
    assert answer.status_code == 201
    assert list(answer.json()) == ["message"]
    assert "c1" in answer.json()["message"]
    stored = sandbox.get("/campaigns/c1").json()
    assert stored | body == stored
    assert ("conversationTags" in stored) is (body["source"] == "tags")
    assert ("customerList" in stored) is (body["source"] == "excel")


@pytest.mark.rules("25 26 31 33-40 44 47-55 57-62 64 66")
@pytest.mark.parametrize(
    "body",
    [
        campaign(surprise=1),  # 25
        *(campaign(**{name: 1}) for name in ("status", "created", "associatedTo", "sentCount")),  # 26
        *(
            campaign(**{name: ...})
            for name in (
                "id", "contentType", "workflowId", "workflowName", "folderId", "whenToSendMessage",
                "associatedToBusinessId", "isActive", "source", "customerList",
            )
        ),  # 31-58
        campaign(id=1),
        campaign(contentType="other"),
        campaign(whenToSendMessage="later"),
        campaign(whenToSendMessage="future"),  # 40
        campaign(scheduledAt="soon"),  # 44
        campaign(isActive="yes"),
        campaign(source="csv"),
        campaign(description=5),  # 66
        campaign(description=None),
        campaign(name=7),
        campaign(customerList={}),
        campaign(customerList=[{}]),  # 60
        campaign(customerList=[PERSON | {"email": "x"}]),  # 61
        campaign(customerList=[PERSON | {"customerName": 1}]),  # 62
        campaign(customerList=[PERSON | {"customerName": None}]),
        campaign(conversationTags=[TAG]),  # 64
        tags_campaign(customerList=[PERSON]),  # 57
        tags_campaign(conversationTags=...),
        tags_campaign(conversationTags=[TAG | {"size": 1}]),  # 55
        tags_campaign(conversationTags=[{"id": "tag-vip"}]),  # 53
        tags_campaign(conversationTags=[TAG | {"color": 1}]),  # 54
    ],
)  # fmt: skip
def test_broken_rules_are_refused_and_nothing_is_stored(still: Sandbox, body: dict[str, Any]) -> None:
    assert_error_body(still.post("/campaigns", body), 400)
    assert_error_body(still.get("/campaigns/c1"), 404)


@pytest.mark.rules("25 26 31 33-40 44 47-55 57-62 64 66 67")
def test_what_the_contract_rejects_the_service_refuses(still: Sandbox) -> None:
    """The contract's table of broken rules, over HTTP."""
    for rule, body, changes in REJECTED:
        if rule not in (27, 28):
            sent = {name: value for name, value in (body | changes).items() if value is not LEFT_OUT}
            refused = still.post("/campaigns", sent)
            assert refused.status_code == 400, (rule, changes)
            assert_error_body(refused, 400)
            assert_error_body(still.get(f"/campaigns/{body['id']}"), 404)


@pytest.mark.rules("21 22 29 41-43 45 46 56 63 65-67")
@pytest.mark.parametrize(("rule", "body", "changes"), ACCEPTED)
def test_what_the_contract_accepts_is_stored_as_sent(
    sandbox: Sandbox, rule: int, body: dict[str, Any], changes: dict[str, Any]
) -> None:
    sent = {name: value for name, value in (body | changes).items() if value is not LEFT_OUT}
    assert sandbox.post("/campaigns", sent).status_code == 201
    stored = sandbox.get(f"/campaigns/{body['id']}").json()
    assert stored | sent == stored


@pytest.mark.rules("30")
def test_a_campaign_that_cannot_be_saved_answers_500_and_is_not_there(sandbox: Sandbox) -> None:
    """Storage that takes no writes, as with a full disk."""
    sandbox.world.storage.run("PRAGMA query_only=1")
    assert_error_body(sandbox.post("/campaigns", campaign()), 500)
    sandbox.world.storage.run("PRAGMA query_only=0")
    assert_error_body(sandbox.get("/campaigns/c1"), 404)
    assert sandbox.post("/campaigns", campaign()).status_code == 201


@pytest.mark.rules("31")
def test_an_id_may_be_any_string_that_can_be_asked_for_again(sandbox: Sandbox) -> None:
    for identity in ("ünï#/ ?", "..", "%2F", "x" * 500):
        assert sandbox.post("/campaigns", campaign(id=identity)).status_code == 201
        assert sandbox.get(f"/campaigns/{quote(identity, safe='').replace('.', '%2E')}").json()["id"] == identity


@pytest.mark.rules("70")
@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_a_campaign_of_another_media_type_is_refused(still: Sandbox, media: str | None) -> None:
    headers = ACCOUNT | ({"Content-Type": media} if media else {})
    content = json.dumps(campaign()).encode()
    assert_error_body(still.ask("POST", "/campaigns", content=content, headers=headers), 400)
    assert_error_body(still.get("/campaigns/c1"), 404)


@pytest.mark.rules("27 28")
@pytest.mark.parametrize("name", [..., ""])
def test_a_name_missing_or_empty_answers_500(still: Sandbox, name: object) -> None:
    assert_error_body(still.post("/campaigns", campaign(name=name)), 500)
    assert_error_body(still.get("/campaigns/c1"), 404)


@pytest.mark.rules("32")
def test_a_used_id_answers_500_and_the_first_stays(sandbox: Sandbox) -> None:
    sandbox.post("/campaigns", campaign(name="First"))
    assert_error_body(sandbox.post("/campaigns", campaign(name="Second")), 500)
    assert sandbox.get("/campaigns/c1").json()["name"] == "First"


@pytest.mark.rules("29 41-43 45 46 56 63 65-67")
@pytest.mark.parametrize(
    "body",
    [
        campaign(),  # 42
        campaign(name="   "),  # 29
        campaign(whenToSendMessage="future", scheduledAt=1_900_000_000_000),  # 41
        campaign(scheduledAt=1_900_000_000_000.5),  # 43
        campaign(whenToSendMessage="future", scheduledAt=5),  # 45, 46
        campaign(customerList=[{"phoneNumberId": "1"}]),  # 63
        campaign(customerList=[]),  # 65
        tags_campaign(conversationTags=[TAG | {"color": "sunset"}]),  # 56
        campaign(audienceCountry="IL", description="x"),
    ],
)
def test_what_is_allowed_or_left_open_is_stored_as_sent(sandbox: Sandbox, body: dict[str, Any]) -> None:
    assert sandbox.post("/campaigns", body).status_code == 201
    stored = sandbox.get("/campaigns/c1").json()
    assert stored | body == stored
    assert "startedAt" not in stored  # 76


@pytest.mark.rules("73-79")
def test_a_stored_campaign_has_status_times_and_counters(still: Sandbox) -> None:
    states = {}
    for identity in fixtures.CAMPAIGN_IDS:
        stored = still.get(f"/campaigns/{identity}").json()
        states[stored["status"]] = stored
        assert stored["associatedTo"] == "acme-home"
        assert stored["created"] > 1e12
        assert stored["lastModified"] >= stored["created"]
        assert all(isinstance(stored[name], int) for name in COUNTERS)
        assert ("startedAt" in stored) is (stored["status"] in ("inProgress", "completed", "stopped"))
        assert ("completedAt" in stored) is (stored["status"] == "completed")
        assert ("failedAt" in stored) is ("failureReason" in stored) is (stored["status"] == "failed")
    assert set(states) == {"pending", "scheduled", "inProgress", "completed", "failed", "stopped"}
    assert states["inProgress"]["id"] == fixtures.RUNNING_CAMPAIGN


@pytest.mark.rules("79")
def test_counters_may_be_absent_before_the_start(sandbox: Sandbox) -> None:
    sandbox.put("/sandbox/settings", {"absent_counters": True})
    assert not set(COUNTERS) & set(sandbox.get("/campaigns/cmp-weekend").json())
    assert set(COUNTERS) <= set(sandbox.get("/campaigns/cmp-early-access").json())


@pytest.mark.rules("80 82 83")
def test_unknown_decoded_and_without_side_effect(sandbox: Sandbox) -> None:
    assert_error_body(sandbox.get("/campaigns/none"), 404)
    sandbox.post("/campaigns", campaign(id="a/b#c"))
    once = sandbox.get("/campaigns/a%2Fb%23c").json()
    assert once["id"] == "a/b#c"
    assert sandbox.get("/campaigns/a%2Fb%23c").json() == once
