"""`frontdesk campaigns samples|compare|report`: from the store alone, escaped, and mistakes in words."""

import csv
import io
import json
import re
import time
from pathlib import Path

import apsw
import pytest

from cli.commandline import Frontdesk
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk_api.contract.ids import CampaignId

WEEK = 7 * 86_400.0


@pytest.fixture
def offline(offline: Frontdesk) -> Frontdesk:
    """`frontdesk` with two campaigns in its store and no network."""
    with offline.store() as store:
        store.write(fill).result()
    return offline


def fill(db: apsw.Connection) -> None:
    now = float(int(time.time()))  # its milliseconds are exact, so that a sample isn't before the start it is of
    campaign_alerts.put(
        db, campaign_alerts.Alert("new failed", CampaignId("new"), "Offers", "failed 4.2%", now - 30, None)
    )
    campaigns.watch(db, [CampaignId("new"), CampaignId("old")], now)
    for campaign_id, began, a_minute in (("old", now - WEEK - 120, 50), ("new", now - 120, 41)):
        for minute in range(3):
            raw = {
                "id": campaign_id,
                "name": f"=Offers {campaign_id} | 21" if campaign_id == "new" else "Last",
                "workflowId": "w",
                "status": "inProgress",
                "startedAt": began * 1000,
                "totalRecipients": 100,
                "sentCount": a_minute * minute,
            }
            campaigns.put(db, CampaignId(campaign_id), raw, began + 60 * minute)


def test_samples_are_lines_of_csv_and_of_json(offline: Frontdesk) -> None:
    table = list(csv.DictReader(io.StringIO(offline("campaigns", "samples", "new", "old", "--csv").out)))
    assert [row["sentCount"] for row in table] == ["0", "41", "82", "0", "50", "100"]
    assert table[0]["name"].startswith("'=Offers")
    lines = [json.loads(line) for line in offline("campaigns", "samples", "new", "--json").out.splitlines()]
    assert [line["sentCount"] for line in lines] == [0, 41, 82]
    assert lines[0]["readCount"] is None
    assert offline("campaigns", "samples", "new").out.startswith("campaign")


def test_one_alone_meets_the_one_before_it(offline: Frontdesk) -> None:
    typed = offline("campaigns", "compare", "new")
    assert typed.status == 0
    assert re.search(
        r"A vs. B after 2 min 00 s: 18% behind the one from \w{3} .* at this point \(it had 100 sent\)", typed.out
    )
    found = json.loads(offline("campaigns", "compare", "new", "old", "--every", "60", "--json").out)
    assert [each["id"] for each in found["campaigns"]] == ["new", "old"]
    assert [each["counts"]["old"]["sent"] for each in found["points"]] == [0, 50, 100]
    rows = list(
        csv.reader(io.StringIO(offline("campaigns", "compare", "new", "old", "--every", "60", "--csv").out))
    )
    assert [row[1] for row in rows] == ["new sent", "0", "41", "82"]


def test_the_report_is_markdown_of_what_happened_since(offline: Frontdesk) -> None:
    text = offline("campaigns", "report").out
    assert "## \\=Offers new \\| 21" in text
    assert "- During this time: +82 sent" in text
    assert "- Alert: failed 4.2% (" in text
    since = str(int(time.time() - 2 * WEEK))
    assert "## Last" in offline("campaigns", "report", "--since", since).out


def test_the_report_as_a_page_loads_nothing_and_has_pictures(offline: Frontdesk) -> None:
    page = offline("campaigns", "report", "--html").out
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert "=Offers new | 21" in page
    assert "<svg " in page
    assert "<script" not in page


def test_the_list_has_pace_and_end_and_what_is_unknown_is_no_number(offline: Frontdesk) -> None:
    (heading, new, old) = offline("campaigns", "list").out.splitlines()
    assert heading.split("  ")[-1].strip() == "AS OF"
    assert re.search(r"inProgress +100 +82 +41 ", new), "sent 82 and, in the last minute, 41; not read is empty"
    assert "? not updated since" in old
    rows = {
        row["campaignId"]: row for row in csv.DictReader(io.StringIO(offline("campaigns", "list", "--csv").out))
    }
    assert rows["new"]["name"].startswith("'=Offers")
    assert (rows["new"]["sentCount"], rows["new"]["sentPerMinute"], rows["old"]["sentPerMinute"]) == (
        "82",
        "41",
        "",
    )
    assert rows["new"]["deliveredCount"] == ""
    assert rows["new"]["endsEarliest"] < rows["new"]["endsLatest"]
    assert rows["old"]["endsEarliest"] == rows["old"]["endsLatest"] == ""
    listed = {each["campaign"]: each for each in offline("campaigns", "list", "--json").rows}
    assert listed["new"]["sentPerMinute"] == 41
    assert listed["old"]["endsBetween"] is None


def test_mistakes_are_said_in_words(offline: Frontdesk) -> None:
    assert "campaign gone isn't watched" in offline.fails(2, "campaigns", "samples", "gone")
    assert "give two ids" in offline.fails(2, "campaigns", "compare", "old")
    assert "--since" in offline.fails(2, "campaigns", "report", "--since", "tomorrow 9am")


def test_a_configured_campaign_that_was_never_loaded_is_unknown_and_not_none(nowhere: Frontdesk) -> None:
    config = Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        '[profiles.acme]\nbase_url = "http://127.0.0.1:9"\nwatched_campaigns = ["c1"]\n'
    )
    text = nowhere("campaigns", "report").out
    assert "1 configured campaign: never loaded, so what happened is unknown (c1)." in text
    assert "No campaigns" not in text
    for each in ("c1", "c2"):
        said = nowhere.fails(2, "campaigns", "samples", each)
        assert f"{each} isn't watched, or was never loaded; to watch it, run" in said


def test_help_names_the_json_that_is_printed(offline: Frontdesk) -> None:
    assert "one JSON object" in offline("campaigns", "compare", "--help").out
    assert "one line of JSON per sample" in offline("campaigns", "samples", "--help").out


@pytest.mark.parametrize("command", [["list"], ["samples", "new"], ["compare", "new", "old"]])
def test_only_one_format_is_printed(offline: Frontdesk, command: list[str]) -> None:
    typed = offline("campaigns", *command, "--csv", "--json")
    assert (typed.status, typed.out) == (2, "")
    assert "choose one of --csv and --json" in typed.err
