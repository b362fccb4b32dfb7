"""`frontdesk stats`, from a store that was filled by hand."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from frontdesk.inbox.store import conversations
from frontdesk.outbox.commands import claim_notifications
from metrics.small_desk import NOW, fill


@pytest.fixture
def desk(nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> Frontdesk:
    """`frontdesk` at a fixed time, with two threads and three tasks, without a network."""
    nowhere.environ |= {
        "FRONTDESK_BASE_URL": "http://127.0.0.1:9",
        "FRONTDESK_COOKIE": "token=none",
        "FRONTDESK_API_KEY": "none",
        "TZ": "UTC",
    }
    monkeypatch.setattr("time.time", lambda: NOW)
    with nowhere.store() as store:
        fill(store)
    return nowhere


def numbers(desk: Frontdesk, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = desk("stats", *words, "--json").row["numbers"]
    return found


def test_today_has_what_was_read_and_says_from_how_much(desk: Frontdesk) -> None:
    lines = desk("stats").out.splitlines()
    assert (
        lines[0]
        == "Mon 21 Sep 2026, compared with Sun 20 Sep 2026 up to the same time; answers sent elsewhere as of 14:13"
    )
    rows = [re.split(r"  +", line) for line in lines if line]
    cells = {row[0]: row[1:] for row in rows}
    assert cells["Messages received"] == ["2", "1", "+100%", "all threads with a task"]
    assert cells["Sent by agents"][0] == "1"
    assert cells["Automated messages"][0] == "1"
    assert cells["First response time, median"][0] == "30 min (n=1)"
    assert cells["Tasks opened"][0] == "3"
    assert cells["Tasks closed"][0] == "1"
    assert cells["Resolution time, median"][0] == "31 min (n=1)"
    assert cells["Open tasks now"][:2] == ["2", "-"]


def test_before_the_history_begins_closings_are_unknown_and_not_zero(desk: Frontdesk) -> None:
    found = numbers(desk, "28")
    assert found["tasks_closed"]["value"] is None
    assert 0 < found["tasks_closed"]["share"] < 0.5
    assert found["tasks_opened"]["value"] == 3
    assert " ? " in desk("stats", "28").out


def test_a_thread_that_was_never_read_lowers_the_share_and_then_hides_the_number(desk: Frontdesk) -> None:
    def add(db: Any) -> None:
        for number in range(2, 4):
            conversations.add_by_pair(db, f"L1#N{number}", "L1", f"N{number}")

    with desk.store() as store:
        store.write(add).result()
    assert numbers(desk)["messages_in"] == {
        "value": 2,
        "share": 0.5,
        "before": None,
        "before_share": pytest.approx(1 / 3),
    }
    assert "50% of threads with a task" in desk("stats").out


def test_csv_and_markdown_have_the_same_numbers_as_json(desk: Frontdesk) -> None:
    found = numbers(desk)
    rows = list(csv.DictReader(io.StringIO(desk("stats", "--csv").out)))
    totals = {row["measure"]: row for row in rows if not row["by"]}
    assert {name: row["value"] for name, row in totals.items()} == {
        name: "" if each["value"] is None else str(each["value"]) for name, each in found.items()
    }
    statuses = {row["key"]: row["value"] for row in rows if row["by"] == "status"}
    assert statuses == {"open": "2"}
    assert totals["messages_in"]["share_of"] == "threads with a task"
    assert [totals[each]["of"] for each in ("messages_in", "first_response_median")] == ["", "1"]
    by_hour = csv.DictReader(io.StringIO(desk("stats", "--csv", "--by", "hour").out))
    before = {row["key"]: row["before"] for row in by_hour if row["measure"] == "messages_in"}
    assert before["13"] == "1", "yesterday's message, in its hour"
    assert {before[each] for each in before if each.isdigit() and each != "13"} == {"0"}
    markdown = desk("stats", "--markdown", "--by", "agent").out
    assert "all threads with a task" in markdown
    assert markdown.startswith("## Numbers for Mon 21 Sep 2026\n")
    assert "|  | now | Sun 20 Sep | change | counted from |" in markdown
    assert "| Messages received | 2 | 1 |" in markdown
    assert "| 1 | 1 | 30 min |" in markdown


def test_each_number_lists_what_it_was_counted_from(desk: Frontdesk) -> None:
    found = numbers(desk)
    listed = {
        "messages-in": ("messages_in", "records"),
        "messages-out": ("messages_out", "records"),
        "automatic": ("automatic_messages", "records"),
        "first-responses": ("first_responses", "records"),
        "next-responses": ("next_responses", "records"),
        "opened": ("tasks_opened", None),
        "closed": ("tasks_closed", None),
        "backlog": ("backlog", None),
    }
    for name, (measure, key) in listed.items():
        rows = desk("stats", "--list", name, "--json").rows
        count = len(rows) if key is None else sum(row[key] for row in rows)
        assert count == found[measure]["value"], name
        assert bool(desk("stats", "--list", name).out.splitlines()[1:]) == bool(count), name


def test_alerts_are_listed_with_how_they_ended(desk: Frontdesk) -> None:
    assert desk("stats", "--list", "alerts").out == "No alerts.\n"
    key = f"sla before L1#C1  first response {NOW - 80 * 60}"
    with desk.store() as store:
        store.write(lambda db: claim_notifications(db, {key: 1.0}, NOW - 75 * 60)).result()
    assert numbers(desk)["alerts"]["value"] == 1
    (listed,) = desk("stats", "--list", "alerts", "--json").rows
    assert (listed["record_id"], listed["end"], listed["late_seconds"]) == ("L1#C1", "late", 600)
    assert desk("stats", "--json").row["alerts"] == [listed]
    assert "late by 10m" in desk("stats", "--list", "alerts").out
    assert desk("stats", "28", "--json").row["numbers"]["alerts"]["share"] == pytest.approx(0.5, abs=0.05)


def test_by_agent_messages_and_tasks_stand_beside_each_other(desk: Frontdesk) -> None:
    groups = {
        each["name"]: each["numbers"] for each in desk("stats", "--by", "agent", "--json").row["by"]["agent"]
    }
    assert groups["Marta"]["messages_out"]["value"] == 1
    assert groups["a1"]["backlog"] == {"value": 1, "share": 1.0}, "how many were open before isn't kept"
    assert groups["no agent"]["tasks_closed"]["value"] == 1


def test_what_cannot_be_printed_is_refused(desk: Frontdesk) -> None:
    assert "isn't a recognized day" in desk.fails(2, "stats", "xyzzy")
    assert "choose one" in desk.fails(2, "stats", "--csv", "--json")
    assert "--list" in desk.fails(2, "stats", "--list", "opened", "--csv")


SLA = """
[[sla]]
name = "office"
zone = "UTC"
hours = ["mon-sun 00:00-24:00"]
first_response = "20m"
resolution = "2h"
"""


def configure(desk: Frontdesk, text: str) -> None:
    folder = Path(desk.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def test_with_a_promise_the_share_in_time_is_counted_and_the_late_ones_are_listed(desk: Frontdesk) -> None:
    configure(desk, SLA)
    found = numbers(desk)
    late_ones = {"value": 0.0, "share": 1.0, "of": 1}
    assert found["first_responses_in_time"] == late_ones | {"before": None, "before_share": 1.0}
    assert found["resolutions_in_time"]["value"] == 1.0
    assert "next_responses_in_time" not in found
    (late,) = desk("stats", "--list", "late-first-responses", "--json").rows
    assert (late["conversation_id"], late["seconds"]) == ("L1#C1", 1800)
    assert desk("stats", "--list", "closed-late").out.strip() == "No tasks."
    assert "| First responses in time | 0 of 1 |" in desk("stats", "--markdown").out
    (office,) = desk("stats", "--by", "sla", "--json").row["by"]["sla"]
    assert (office["name"], office["numbers"]["first_responses_in_time"]) == ("office", late_ones)
    assert desk("stats", "--by", "sla").out.splitlines()[-1].split()[:7] == [
        "office",
        "1",
        "30",
        "min",
        "0",
        "of",
        "1",
    ]


def test_without_a_promise_nothing_is_in_time_or_late(desk: Frontdesk) -> None:
    assert not any("in_time" in each for each in numbers(desk))
    assert "no [[sla]]" in desk.fails(2, "stats", "--list", "late-first-responses")


def test_a_promise_that_cannot_be_used_is_named_and_the_other_numbers_are_there(desk: Frontdesk) -> None:
    configure(desk, SLA.replace("UTC", "Mars/Olympus"))
    typed = desk("stats", "--json")
    assert typed.status == 0
    assert "isn't a time zone known here" in typed.err
    assert typed.row["numbers"]["messages_in"]["value"] == 2


def test_days_are_given_as_from_and_to_too(desk: Frontdesk) -> None:
    between = desk("stats", "--from", "2026-09-19", "--to", "2026-09-20", "--json").row
    assert between == desk("stats", "2026-09-19..2026-09-20", "--json").row
    assert desk("stats", "--from", "2026-09-19", "--json").row == desk("stats", "2026-09-19..", "--json").row
    assert "--to needs --from" in desk.fails(2, "stats", "--to", "2026-09-20")
    assert "either DAYS or --from" in desk.fails(2, "stats", "7", "--from", "2026-09-20")


def test_person_means_agent_and_what_counts_now_is_listed(desk: Frontdesk) -> None:
    by_person = desk("stats", "--by", "person", "--json").row["by"]
    assert by_person == desk("stats", "--by", "agent", "--json").row["by"]
    numbers_of = {each["name"]: each["numbers"] for each in by_person["agent"]}
    assert numbers_of["a1"]["waiting_over_hour"] == {"value": 1, "share": 1.0}
    assert numbers_of["Marta"]["overdue_tasks"]["value"] is None, "her tasks may stand under another name"
    (waiting,) = desk("stats", "--list", "waiting-over-hour", "--json").rows
    assert (waiting["conversation_id"], waiting["seconds"]) == ("L1#C2", 1500 * 60)
    assert "WAITING" in desk("stats", "--list", "waiting").out
    assert desk("stats", "--list", "overdue").out.strip() == "No tasks."
    assert desk("stats", "--list", "running-campaigns").out.strip() == "No campaigns."
    assert "isn't one of person, agent, line" in desk.fails(2, "stats", "--by", "xyzzy")
    assert "no [[sla]]" in desk.fails(2, "stats", "--list", "late")
