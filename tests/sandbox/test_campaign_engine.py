"""Campaigns that run: their counters at every read, their states, and that time alone decides."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from frontdesk_sandbox.campaign_engine import insert_campaign, normalised_number
from frontdesk_sandbox.fixtures import CAMPAIGN_FOLDER, RUNNING_CAMPAIGN
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import Clock, catch_up, open_world
from sandbox.asking import Sandbox, campaign, people, stop_seeded_campaigns, tags_campaign
from sandbox.counters import check_counters


@pytest.mark.rules("73 76-78")
def test_counters_add_up_at_every_read_from_start_to_end(quiet: Sandbox) -> None:
    quiet.post("/campaigns", campaign(customerList=people(200) + people(5)))
    assert quiet.get("/campaigns/c1").json()["status"] == "pending"
    totals, seen = set(), []
    for step in [0.1, 0.2, 0.4, *(0.5,) * 12, 60, 600, 7200, 86_400]:
        quiet.advance(step)
        stored = quiet.get("/campaigns/c1").json()
        check_counters(stored)
        seen.append(stored)
        totals.add(stored["totalRecipients"])
    assert totals <= {0, 205}
    states = list(dict.fromkeys(stored["status"] for stored in seen))
    assert states == ["pending", "inProgress", "completed"]
    assert seen[-1]["duplicateMessageCount"] == 5
    assert seen[-1]["readCount"] > 100
    middle = next(stored for stored in seen if stored["status"] == "inProgress" and stored["sentCount"])
    assert middle["pendingCount"] > 0


@pytest.mark.slow
def test_the_running_campaign_goes_on_for_half_an_hour(tmp_path: Path) -> None:
    # Of its own, and at a time that stands: one seeded when the tests began has run as long as they have.
    clock = Clock(wall=lambda: 1_780_000_000.0, steady=lambda: 0.0)
    world = open_world(SandboxOptions(data=tmp_path, crowd=False), clock)
    with closing(world):
        sandbox = Sandbox(world)
        before = sandbox.get(f"/campaigns/{RUNNING_CAMPAIGN}").json()
        for _ in range(3):
            sandbox.advance(600)
            after = sandbox.get(f"/campaigns/{RUNNING_CAMPAIGN}").json()
            check_counters(after)
            assert after["status"] == "inProgress"
            assert after["sentCount"] > before["sentCount"] + 900
            assert after["readCount"] > before["readCount"]
            before = after
        sandbox.advance(900)
        assert sandbox.get(f"/campaigns/{RUNNING_CAMPAIGN}").json()["status"] == "completed"


@pytest.mark.rules("235")
def test_a_restart_changes_no_counter_and_the_campaign_goes_on(make_sandbox: Callable[..., Sandbox]) -> None:
    first = stop_seeded_campaigns(make_sandbox())
    first.post("/campaigns", campaign(customerList=people(300)))
    first.advance(2)
    before = first.get("/campaigns/c1").json()
    assert before["status"] == "inProgress"
    second = make_sandbox()
    assert second.get("/campaigns/c1").json() == before
    second.advance(30)
    after = second.get("/campaigns/c1").json()
    assert after["status"] == "completed"
    check_counters(after)


def test_rule_7_small_steps_and_one_jump_give_the_same_counters(quiet: Sandbox) -> None:
    storage = quiet.world.storage
    document = campaign(id="same", customerList=people(250))
    results = []
    for steps in (1, 37):
        with storage.writing():
            storage.run("DELETE FROM campaigns")
            storage.run("DELETE FROM recipients")
            storage.run("DELETE FROM executions")
            storage.run("UPDATE lines SET free_at=0")
            storage.run("DELETE FROM campaign_documents")
            insert_campaign(storage, "acme-home", document, "pending", 1000, 1500)
        for step in range(1, steps + 1):
            now = 1000 + step * 400_000 // steps
            quiet.world.clock.now_ms = lambda now=now: now  # type: ignore[method-assign]
            catch_up(quiet.world)
        results += storage.rows(
            "SELECT status, started_at, ended_at, total, pending, in_flight, sent, failed, delivered, read, "
            "modified FROM campaigns"
        )
    assert results[0] == results[1]
    assert results[0][0] == "completed"


@pytest.mark.rules("65 69")
@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"workflowId": "none"}, "Workflow"),
        ({"folderId": "none"}, "Folder"),
        ({"associatedToBusinessId": "none"}, "Line"),
        ({"customerList": []}, "audience"),
    ],
)
def test_what_cannot_run_fails_and_says_why(quiet: Sandbox, changes: dict[str, Any], word: str) -> None:
    quiet.post("/campaigns", campaign(**changes))
    quiet.advance(5)
    stored = quiet.get("/campaigns/c1").json()
    assert stored["status"] == "failed"
    assert word in stored["failureReason"]


@pytest.mark.rules("41 76")
def test_a_future_campaign_waits_for_its_time(quiet: Sandbox) -> None:
    at = quiet.world.clock.now_ms() + 3_600_000
    quiet.post("/campaigns", campaign(whenToSendMessage="future", scheduledAt=at))
    quiet.advance(3500)
    assert quiet.get("/campaigns/c1").json()["status"] == "scheduled"
    quiet.advance(110)
    stored = quiet.get("/campaigns/c1").json()
    assert stored["status"] in ("inProgress", "completed")
    assert stored["startedAt"] >= at


@pytest.mark.rules("45 46")
@pytest.mark.parametrize("at", [5, 1_700_000_000, 0, -1, 1e308, -1e308])
def test_a_time_is_taken_literally_as_milliseconds_and_one_in_the_past_is_due_at_once(
    quiet: Sandbox, at: float
) -> None:
    """1,700,000,000 would be 2023 in seconds; in milliseconds it is January 1970, so it is past as well."""
    sent = campaign(whenToSendMessage="future", scheduledAt=at)
    assert quiet.post("/campaigns", sent).status_code == 201
    assert quiet.get("/campaigns/c1").json()["status"] == "scheduled"
    quiet.advance(3600)
    stored = quiet.get("/campaigns/c1").json()
    assert stored["status"] == ("scheduled" if at > 1e300 else "completed")
    assert stored["scheduledAt"] == at
    assert ("startedAt" in stored) is (at < 1e300)


@pytest.mark.rules("43")
def test_a_time_beside_now_means_nothing(quiet: Sandbox) -> None:
    quiet.post("/campaigns", campaign(scheduledAt=4_000_000_000_000))
    quiet.advance(60)
    assert quiet.get("/campaigns/c1").json()["status"] == "completed"


@pytest.mark.rules("67 68")
def test_the_audiences_country_is_for_numbers_without_a_calling_code(quiet: Sandbox) -> None:
    numbers = ("052-234-5678", "+447400123456", "00447400123457")
    people_of = [{"phoneNumberId": number} for number in numbers]
    quiet.post("/campaigns", campaign(audienceCountry="IL", customerList=people_of))
    quiet.advance(60)
    assert quiet.get("/campaigns/c1").json()["totalRecipients"] == 3
    for customer in ("972522345678", "447400123456", "447400123457"):
        thread = {"phoneNumberId": "972737001200", "targetPhoneNumberId": customer}
        messages = quiet.post("/getMessages", thread).json()["dbObject"]
        assert [each for each in messages if each["initiator"] == "campaign"], customer


def test_more_tags_than_a_statement_takes_stop_no_campaign(quiet: Sandbox) -> None:
    most = quiet.world.storage._connection.limit(apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 40)
    assert most < 40_000, "a request has room for more"
    tags = [{"id": f"t{place}", "title": "", "color": "", "associatedTo": ""} for place in range(50)]
    tags.append({"id": "tag-vip", "title": "VIP", "color": "gold", "associatedTo": "acme-home"})
    assert quiet.post("/campaigns", tags_campaign(conversationTags=tags)).status_code == 201
    quiet.advance(5)
    assert quiet.get("/campaigns/c1").json()["totalRecipients"] > 3


def test_an_inactive_campaign_stays_where_it_is(quiet: Sandbox) -> None:
    quiet.post("/campaigns", campaign(isActive=False))
    quiet.advance(3600)
    assert quiet.get("/campaigns/c1").json()["status"] == "pending"


def test_single_outcomes_can_be_read_in_the_threads(quiet: Sandbox) -> None:
    quiet.post("/campaigns", campaign(customerList=people(120)))
    quiet.advance(86_400)
    stored = quiet.get("/campaigns/c1").json()
    statuses = []
    for person in people(120):
        thread = {"phoneNumberId": "972737001200", "targetPhoneNumberId": person["phoneNumberId"][1:]}
        messages = quiet.post("/getMessages", thread).json()["dbObject"]
        message = next(message for message in messages if message["initiator"] == "campaign")
        statuses.append(message["status"])
        assert ("error" in message) is (message["status"] in ("failed", "tooManyRequests"))
    assert statuses.count("failed") == stored["failedCount"]
    assert statuses.count("read") == stored["readCount"]
    assert statuses.count("tooManyRequests") == stored["tooManyRequestsCount"]


def test_a_tags_audience_is_the_conversations_that_carry_the_tag(quiet: Sandbox) -> None:
    quiet.post("/campaigns", tags_campaign())
    quiet.advance(5)
    before = quiet.get("/campaigns/c1").json()["totalRecipients"]
    assert before > 3
    line, customer = quiet.world.storage.rows(
        "SELECT line, customer FROM conversations WHERE line='972737001200' "
        "AND customer NOT IN (SELECT customer FROM conversation_tags) LIMIT 1"
    )[0]
    path = f"/conversations/{line}%23{customer}/tags"
    assert quiet.post(path, {"tagIds": ["tag-vip"]}).is_success, customer
    quiet.post("/campaigns", tags_campaign(id="c2"))
    quiet.advance(5)
    assert quiet.get("/campaigns/c2").json()["totalRecipients"] == before + 1


def test_stopped_comes_only_through_the_control(sandbox: Sandbox) -> None:
    assert sandbox.post(f"/sandbox/campaigns/{RUNNING_CAMPAIGN}/stop").status_code == 200
    before = sandbox.get(f"/campaigns/{RUNNING_CAMPAIGN}").json()
    sandbox.advance(60)
    after = sandbox.get(f"/campaigns/{RUNNING_CAMPAIGN}").json()
    assert after["status"] == "stopped"
    assert after["pendingCount"] == before["pendingCount"]
    assert sandbox.post(f"/sandbox/campaigns/{RUNNING_CAMPAIGN}/stop").status_code == 404


@pytest.mark.rules("67 68")
@pytest.mark.parametrize(
    ("number", "region", "normal"),
    [
        ("+972 50-123-4567", None, "972501234567"),
        ("00972501234567", "GB", "972501234567"),
        ("052-234-5678", "IL", "972522345678"),
        ("+447400123456", "IL", "447400123456"),
        ("447400123456", "IL", "447400123456"),
        ("not a number", "IL", "not a number"),
    ],
)
def test_numbers_are_compared_in_one_form(number: str, region: str | None, normal: str) -> None:
    assert normalised_number(number, region) == normal


@pytest.mark.rules("67")
@pytest.mark.parametrize(("code", "country"), [("972", None), ("+972", "GB"), ("il", "GB"), ("nonsense", "IL")])
def test_a_recipients_country_is_an_iso_code_or_a_calling_code(
    quiet: Sandbox, code: str, country: str | None
) -> None:
    people = [{"phoneNumberId": "052-234-5678", "countryCode": code}, {"phoneNumberId": "972522345678"}]
    quiet.post("/campaigns", campaign(customerList=people, audienceCountry=country or ...))
    quiet.advance(10)
    stored = quiet.get("/campaigns/c1").json()
    assert (stored["totalRecipients"], stored["duplicateMessageCount"]) == (2, 1)


def test_a_recipient_without_a_digit_is_undeliverable(quiet: Sandbox) -> None:
    people = [{"phoneNumberId": each} for each in ("", "abc", "+", " ")]
    quiet.post("/campaigns", campaign(customerList=people))
    quiet.advance(10)
    stored = quiet.get("/campaigns/c1").json()
    assert (stored["failedCount"], stored["sentCount"], stored["status"]) == (4, 0, "completed")


@pytest.mark.slow
@pytest.mark.parametrize("folder", [CAMPAIGN_FOLDER, "folder-nowhere"], ids=["completed", "failed"])
@pytest.mark.rules("77")
def test_a_campaign_never_ended_before_a_read_that_said_otherwise(tmp_path: Path, folder: str) -> None:
    """The engine is behind its clock: what it does later is dated after what was said meanwhile."""
    now = [1_780_000_000.0]
    clock = Clock(wall=lambda: now[0], steady=lambda: now[0])
    with closing(open_world(SandboxOptions(data=tmp_path, crowd=False), clock)) as world:
        sandbox = stop_seeded_campaigns(Sandbox(world))
        sandbox.post("/campaigns", campaign(customerList=people(3), folderId=folder))
        now[0] += 600
        assert sandbox.get("/campaigns/c1").json()["status"] == "pending"
        said_at = clock.now_ms()
        now[0] += 60
        catch_up(world)
        stored = sandbox.get("/campaigns/c1").json()
    ended_at = stored.get("completedAt", stored.get("failedAt"))
    assert said_at <= ended_at <= clock.now_ms()
    assert stored["lastModified"] >= ended_at


@pytest.mark.slow
@pytest.mark.rules("77")
def test_a_restart_dates_no_end_before_what_an_earlier_process_said(tmp_path: Path) -> None:
    now = [1_780_000_000.0]

    def clock() -> Clock:
        return Clock(wall=lambda: now[0], steady=lambda: now[0])

    with closing(open_world(SandboxOptions(data=tmp_path, crowd=False), clock())) as world:
        sandbox = stop_seeded_campaigns(Sandbox(world))
        sandbox.post("/campaigns", campaign(customerList=people(3)))
        now[0] += 600
        assert sandbox.get("/campaigns/c1").json()["status"] == "pending"
        said_at = world.clock.now_ms()
    with closing(open_world(SandboxOptions(data=tmp_path, crowd=False), clock())) as world:
        now[0] += 60
        catch_up(world)
        assert Sandbox(world).get("/campaigns/c1").json()["completedAt"] >= said_at
