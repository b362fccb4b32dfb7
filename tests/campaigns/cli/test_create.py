"""`frontdesk campaigns create` from options: the preflight in print, then sent once."""

import io
import json
import re
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.commandline import Frontdesk, Typed
from cli.sandbox_service import SEEDED, SandboxService
from frontdesk.campaigns.cli import requests
from frontdesk.campaigns.cli.create import confirm_name
from frontdesk.campaigns.draft import action_key
from frontdesk.campaigns.store import drafts
from frontdesk.cli import write_session
from frontdesk.cli.errors import CommandFailed
from frontdesk.outbox import queue
from frontdesk_api.client import transport
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import NotSent
from sample_json import campaign_body

pytestmark = pytest.mark.usefixtures("local_reads", "frontdesk_store", "quick_read_backs")

LIST = "Phone,Name\n+972 52-000-0001,Dana\n052-000-0002,Omar\n+972520000001,Dana again\nnobody,\n"


@pytest.fixture
def workflow() -> Any:
    """One that a campaign may run."""
    return next(each for each in SEEDED if each["id"] == "wf-survey")


@pytest.fixture
def words(workflow: Any, tmp_path: Path) -> list[str]:
    """The command with everything that it needs."""
    file = tmp_path / "list.csv"
    file.write_text(LIST)
    return [
        "campaigns", "create", "--name", "Spring sale", "--workflow", workflow["id"],
        "--line", workflow["associatedToBusinessId"], "--folder", workflow["folderId"],
        "--list", str(file), "--country", "IL", "--at", "tomorrow 11am",
    ]  # fmt: skip


def posted(service: SandboxService) -> int:
    return service.asked("POST").count("/campaigns")


def sent_as(typed: Typed) -> str:
    """The id that it says it creates."""
    return next(line for line in typed.err.splitlines() if "creating " in line).split()[-1]


def test_a_trial_prints_exactly_what_would_be_sent_and_sends_nothing(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    before = posted(service)
    typed = frontdesk(*words, "--dry-run")
    assert typed.status == 0, typed
    body = json.loads(typed.out)
    assert body["customerList"] == [
        {"phoneNumberId": "972520000001", "customerName": "Dana"},
        {"phoneNumberId": "972520000002", "customerName": "Omar"},
    ]
    assert (body["whenToSendMessage"], body["source"]) == ("future", "excel")
    assert body["scheduledAt"] > 1e12
    assert body["id"].startswith("spring-sale-")
    assert "warning: 1 number in the list can't be used and is skipped" in typed.err
    assert "note: 1 row is a duplicate" in typed.err
    assert "numbers: column 1, Phone; names: column 2, Name; countries: none" in typed.err
    assert posted(service) == before


@pytest.mark.parametrize(("answer", "rows"), [("y\n", 150), ("n\n", 0), ("", 0)])
def test_a_trial_of_many_says_the_sums_and_asks_before_it_prints_rows_on_a_terminal(
    frontdesk: Frontdesk, words: list[str], monkeypatch: pytest.MonkeyPatch, answer: str, rows: int
) -> None:
    people = [f"+97252{number:07d},Customer {number}\n" for number in range(150)]
    Path(words[words.index("--list") + 1]).write_text("".join(["Phone,Name\n", *people]))
    assert frontdesk(*words, "--dry-run").out.count("phoneNumberId") == 150, "a pipe isn't asked"
    terminal, stdin = (SimpleNamespace(isatty=lambda is_one=each: is_one) for each in (True, bool(answer)))
    monkeypatch.setattr(requests, "sys", SimpleNamespace(stdout=terminal, stdin=stdin))
    typed = frontdesk(*words, "--dry-run", stdin=answer)
    assert typed.status == 0, typed
    assert "to: 150 " in typed.err
    assert "workflow: " in typed.err
    assert ("Print the request with all 150 recipients?" in typed.err) is bool(answer)
    assert ("not printed: 150 recipients" in typed.err) is (rows == 0)
    assert typed.out.count("phoneNumberId") == rows
    assert frontdesk(*words, "--dry-run", "--yes").out.count("phoneNumberId") == 150


@pytest.mark.usefixtures("child_reads")
def test_it_is_sent_once_and_kept_with_a_receipt(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    before = posted(service)
    typed = frontdesk(*words, "--yes")
    assert typed.status == 0, typed
    assert posted(service) == before + 1
    campaign_id = sent_as(typed)
    assert campaign_id in typed.out
    assert frontdesk("campaigns", "get", campaign_id, "--json").row["status"] == "scheduled"


def test_a_large_one_says_that_it_is_on_its_way(frontdesk: Frontdesk, words: list[str]) -> None:
    rows = [f"+97252{number:07d},A customer with a name of some length {number}\n" for number in range(1_500)]
    Path(words[words.index("--list") + 1]).write_text("".join(["Phone,Name\n", *rows]))
    typed = frontdesk(*words, "--yes")
    assert typed.status == 0, typed
    assert re.search(
        r"sending 1,500 recipients \(1\d\d\.\d kB\) since \d\d:\d\d:\d\d; this can take a while", typed.err
    )


@pytest.mark.parametrize("fault", [
    {"kind": "truncate"}, {"kind": "drop", "after": True}, {"kind": "status", "status": 500, "after": True},
])  # fmt: skip
def test_a_lost_answer_is_settled_by_reading_back(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], fault: dict[str, Any]
) -> None:
    service.faults({"path": "/campaigns$", "times": 1, **fault})
    before = posted(service)
    typed = frontdesk(*words, "--yes")
    assert typed.status == 0, typed
    assert "the platform has the campaign" in typed.out
    assert posted(service) == before + 1


def test_a_file_whose_first_outcome_was_unknown_is_found_done(
    frontdesk: Frontdesk, service: SandboxService, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, text = ("campaigns", "create", "--file", "-", "--json"), json.dumps(campaign_body("from-a-file"))
    service.faults(
        {"path": "/campaigns$", "times": 1, "kind": "drop", "after": True},
        {"path": "/campaigns/from-a-file", "kind": "status"},
    )
    with monkeypatch.context() as patch:
        patch.setattr(write_session, "READ_BACK_SECONDS", 0.0)
        assert frontdesk(*words, stdin=text).status == 4
    service.faults()
    assert frontdesk(*words, stdin=text).row["id"] == "from-a-file"


def test_one_that_was_found_there_is_no_failure_if_it_can_not_be_read_again(
    frontdesk: Frontdesk, service: SandboxService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> Any:
        raise NotSent("can't connect")

    monkeypatch.setattr("frontdesk.campaigns.cli.requests.read_stored", fail)
    service.faults({"path": "/campaigns$", "times": 1, "kind": "drop", "after": True})
    text = json.dumps(campaign_body("read-once"))
    typed = frontdesk("campaigns", "create", "--file", "-", stdin=text)
    assert (typed.status, typed.out) == (0, "The platform has the campaign read-once\n")


@pytest.mark.slow
def test_what_an_earlier_version_left_in_doubt_is_looked_up_first(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    campaign_id = sent_as(frontdesk(*words, "--yes"))

    def leave_in_doubt(db: Any) -> None:
        fields = queue.recent_of(db, campaign_id, limit=1)[0].fields
        queue.keep(db, drafts.IN_DOUBT, action_key(fields, fields["digest"]), campaign_id, 0.0)
        queue.forget(db, drafts.RECEIPT, campaign_id)
        db.execute("DELETE FROM outbox.changes")

    before = posted(service)
    with frontdesk.store() as store:
        store.write(leave_in_doubt).result()
    assert frontdesk(*words, "--yes", "--id", campaign_id).status == 0
    again = frontdesk(*words, "--yes")
    assert (again.status, f"already sent as {campaign_id}; to send it again" in again.err) == (2, True)
    assert posted(service) == before


@pytest.mark.slow
def test_what_is_in_doubt_is_not_sent_under_another_id_by_itself(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    """Nobody is written to twice; a new id would hide from the platform that it is the same."""
    service.faults(
        {"path": "/campaigns$", "times": 1, "kind": "drop"},
        {"path": "/campaigns/", "kind": "status", "status": 503},
    )
    typed = frontdesk(*words, "--yes")
    assert typed.status == 4, typed
    campaign_id = sent_as(typed)
    blind = frontdesk(*words, "--yes", "--again")
    assert (blind.status, f"already sent as {campaign_id}, outcome unknown, and" in blind.err) == (4, True)
    service.faults()
    before = posted(service)
    again = frontdesk(*words, "--yes")
    assert (again.status, f"already sent as {campaign_id}" in again.err) == (2, True)
    assert posted(service) == before
    assert frontdesk(*words, "--yes", "--id", campaign_id).status == 0
    assert posted(service) == before + 1
    assert frontdesk(*words, "--yes", "--again").status == 0, "what became of it is known"


def test_the_same_campaign_is_sent_twice_only_with_again(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    campaign_id = sent_as(frontdesk(*words, "--yes"))
    before = posted(service)
    again = frontdesk(*words, "--yes")
    assert again.status == 2, again
    assert "warning: already sent or scheduled within 7 days: 1 campaign like this one" in again.err
    assert f'"Spring sale" ({campaign_id}), same recipients, workflow and line: scheduled for' in again.err
    assert "to 2 recipients; scheduled" in again.err
    assert f"already sent as {campaign_id}; to send it again, add --again; nothing was sent" in again.err
    assert frontdesk(*words, "--dry-run").status == 0
    assert posted(service) == before
    assert frontdesk(*words, "--yes", "--again").status == 0
    assert posted(service) == before + 1


def test_a_refusal_of_an_own_id_that_is_stored_as_sent_is_a_yes(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    """Told to choose another id, the person would write to everybody twice."""
    service.faults({"path": "/campaigns$", "times": 1, "kind": "status", "status": 500, "after": True})
    typed = frontdesk(*words, "--yes", "--id", "my-own-1")
    assert (typed.status, "the platform has the campaign my-own-1 (scheduled, created 20" in typed.out) == (
        0,
        True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("takes_own_id", [True, False])
def test_what_was_in_doubt_and_arrived_is_settled_and_stops_no_other(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], *, takes_own_id: bool
) -> None:
    service.faults(
        {"path": "/campaigns$", "times": 1, "kind": "drop", "after": True},
        {"path": "/campaigns/", "kind": "status", "status": 503},
    )
    campaign_id = sent_as(frontdesk(*words, "--yes"))
    service.faults()
    before = posted(service)
    if takes_own_id:
        typed = frontdesk(*words, "--yes", "--id", campaign_id)
        assert (typed.status, f"the platform has the campaign {campaign_id}" in typed.out) == (0, True)
    else:
        assert f"already sent as {campaign_id}; to send it again, add --again" in frontdesk(*words, "--yes").err
    assert posted(service) == before
    assert campaign_id in frontdesk("campaigns", "list").out
    assert frontdesk(*words, "--yes", "--again").status == 0
    assert posted(service) == before + 1


NO = {"path": "/campaigns$", "times": 1, "kind": "status", "status": 400}


def test_what_was_refused_leaves_no_doubt(frontdesk: Frontdesk, service: SandboxService, words: list[str]) -> None:
    service.faults(NO)
    assert frontdesk(*words, "--yes").status == 1
    before = posted(service)
    assert frontdesk(*words, "--yes").status == 0
    assert posted(service) == before + 1


@pytest.mark.slow
def test_a_refusal_of_what_is_sent_again_tells_nothing_of_the_first(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    service.faults(
        {"path": "/campaigns$", "times": 1, "kind": "drop"},
        {"path": "/campaigns/", "kind": "status", "status": 503},
    )
    campaign_id = sent_as(frontdesk(*words, "--yes"))
    service.faults(NO)
    assert frontdesk(*words, "--yes", "--id", campaign_id).status == 1
    before = posted(service)
    assert f"already sent as {campaign_id}" in frontdesk(*words, "--yes").err
    assert posted(service) == before


@pytest.mark.slow
def test_a_fault_of_ours_after_it_was_sent_leaves_it_in_doubt(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def sent_and_failed(*_: object) -> None:
        raise RuntimeError("after the POST")

    with monkeypatch.context() as broken:
        broken.setattr(PlatformClient, "create_campaign", sent_and_failed)
        campaign_id = sent_as(frontdesk(*words, "--yes"))
    before = posted(service)
    # Also before its name is asked for: nobody types it for nothing. What sends nothing may be tried.
    for sure in (["--yes"], []):
        assert f"already sent as {campaign_id}" in frontdesk(*words, *sure).err
    assert frontdesk(*words, "--dry-run").status == 0
    assert posted(service) == before


def test_its_name_is_typed_or_yes_is_said(frontdesk: Frontdesk, service: SandboxService, words: list[str]) -> None:
    before = posted(service)
    typed = frontdesk(*words, stdin="Spring sale\n")
    assert (typed.status, "--yes sends without asking" in typed.err) == (2, True)
    assert "2 recipients" in typed.out
    assert "a second" in typed.out
    assert posted(service) == before


class Terminal(io.StringIO):
    """A person at a keyboard."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "is_sent"), [("Spring sale\n", True), ("spring sale\n", False), ("", False)])
def test_a_person_types_the_name(typed: str, is_sent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    if is_sent:
        confirm_name("Spring sale")
    else:
        with pytest.raises(CommandFailed, match="the name doesn't match; nothing was sent"):
            confirm_name("Spring sale")


@pytest.mark.slow
def test_by_a_clock_that_is_off_no_start_counts_from_now(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, before = time.time, posted(service)
    monkeypatch.setattr(transport, "time", SimpleNamespace(time=lambda: now() - 7_200))
    typed = frontdesk(*words, "--yes")
    assert typed.status == 2
    assert "--at: your clock is 2 h behind: set it or type a full date" in typed.err
    assert posted(service) == before
    at = f"{datetime.now() + timedelta(days=30):%Y-%m-%d} 11:00"
    assert frontdesk(*words, "--at", at, "--yes").status == 0


@pytest.mark.slow
@pytest.mark.parametrize(("said", "why"), [
    (("--at", "1893456000"), "a plain number"),
    (("--at", "yesterday 10:00"), "the time has passed"),
    (("--at", "in 500 days"), "more than a year"),
    (("--at", "whenever"), "isn't a recognized time"),
    (("--name", " "), "--name can't be empty"),
    (("--line", "another"), "not to this one"),
    (("--workflow", "nothing-like-it"), "isn't in the platform's list"),
    (("--folder", ""), "--folder can't be empty"),
    (("--id", "a b"), "the id must have"),
    (("--tag", "vip"), "use --list or --tag, not both"),
    (("--list", "nowhere.csv"), "nowhere.csv"),
    (("--list", "-"), "--list can't read standard input"),
])  # fmt: skip
def test_what_is_wrong_is_said_and_nothing_sent(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], said: tuple[str, ...], why: str
) -> None:
    before = posted(service)
    typed: Typed = frontdesk(*words, *said, "--yes")
    assert typed.status == 2, typed
    assert why in typed.err
    assert posted(service) == before


@pytest.mark.parametrize("said", [
    ("--folder", ""), ("--name", " "), ("--workflow", ""), ("--line", ""), ("--country", "Israel"), ("--at", "?"),
    ("--list", "nowhere.csv"),
])  # fmt: skip
def test_wrong_input_is_refused_before_anything_is_asked(
    frontdesk: Frontdesk, service: SandboxService, words: list[str], said: tuple[str, ...]
) -> None:
    before = service.asked("GET")
    assert frontdesk(*words, *said, "--yes").status == 2
    assert service.asked("GET") == before


def test_a_guess_about_the_list_is_not_sent(
    frontdesk: Frontdesk, service: SandboxService, words: list[str]
) -> None:
    people = Path(words[words.index("--list") + 1])
    people.write_text("Name,Phone,Mobile\nDana,0520000001,0520000011\nOmar,0520000002,0520000012\n")
    before = posted(service)
    unsure = frontdesk(*words, "--yes")
    assert unsure.status == 2
    where = "the phone numbers may be in column 2, Phone or column 3, Mobile"
    assert f"{where}; choose with --phone-column; nothing was sent" in unsure.err
    chosen = frontdesk(*words, "--phone-column", "Mobile", "--name-column", "none", "--dry-run")
    assert json.loads(chosen.out)["customerList"] == [
        {"phoneNumberId": "972520000011"},
        {"phoneNumberId": "972520000012"},
    ]
    # Which column has the countries matters to the chosen numbers, not to those that are guessed.
    people.write_text("Name,Phone,Mobile 2,Country,Billing country\nDana,+972520000001,0301234567,DE,AT\n")
    assert frontdesk(*words, "--phone-column", "Phone", "--dry-run").status == 0
    unsure = frontdesk(*words, "--phone-column", "Mobile 2", "--yes")
    assert "the countries may be in column 4, Country or column 5, Billing country; choose" in unsure.err
    chosen = frontdesk(*words, "--phone-column", "Mobile 2", "--country-column", "Country", "--dry-run")
    assert json.loads(chosen.out)["customerList"][0]["phoneNumberId"] == "49301234567"
    people.write_text("Name,Phone\nDana,51987654321\n")
    at = words.index("--country")
    undecided = frontdesk(*words[:at], *words[at + 2 :], "--yes")
    assert undecided.status == 2
    assert "choose a home country, or none: 1 number has no calling code" in undecided.err
    assert posted(service) == before


def test_the_country_of_a_campaign_is_no_decision_for_another_list(
    frontdesk: Frontdesk, words: list[str], tmp_path: Path
) -> None:
    body = json.loads(frontdesk(*words, "--dry-run").out)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({**body, "audienceCountry": "IL"}))
    assert frontdesk("campaigns", "create", "--file", str(earlier)).status == 0
    like = [
        "campaigns",
        "create",
        "--like",
        body["id"],
        "--name",
        "Next",
        "--list",
        words[words.index("--list") + 1],
    ]
    undecided = frontdesk(*like, "--dry-run")
    assert undecided.status == 2
    assert (
        f"the home country of {body['id']} is IL, which isn't used for another list; add --country"
        in undecided.err
    )
    assert "choose a home country" in undecided.err
    assert frontdesk(*like, "--country", "IL", "--dry-run").status == 0


def test_now_is_a_time(frontdesk: Frontdesk, words: list[str]) -> None:
    body = json.loads(frontdesk(*words, "--at", "now", "--dry-run").out)
    assert body["whenToSendMessage"] == "now"
    assert "scheduledAt" not in body


def test_a_file_of_json_goes_without_the_other_options(frontdesk: Frontdesk, words: list[str]) -> None:
    typed = frontdesk(*words, "--file", "-", stdin="{}")
    assert typed.status == 2
    assert "can't be combined" in typed.err
