"""What leaves as CSV and Markdown: no name becomes a formula, a heading or a link."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.alert_rules import parse
from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.delivery_results import DeliveryResultGroup, DeliveryResultsRecord
from frontdesk.campaigns.models import CampaignHistory, Sample, WatchInterval
from frontdesk.campaigns.reports import (
    SAMPLE_COLUMNS,
    as_csv,
    comparison_columns,
    comparison_rows,
    sample_rows,
)
from frontdesk.campaigns.shift_report import ReportSources, Shift, alert_outcome, shift_report, shift_report_page
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.settings import AlertSetting
from frontdesk.text.export_escapes import csv_table, escape_formula, escape_markdown
from frontdesk_api.contract.ids import CampaignId
from sample_records import campaign_record

START = 1_700_000_000.0
FORMULAS = ("=1+1", "+1", "-1+1", "@SUM(A1)", '=HYPERLINK("http://x")', "\t=1", "\r=1", " =1", "＝1", "\n@x")
WORDS = st.sampled_from(FORMULAS) | st.text(st.characters(), max_size=12)


def counters(sent: float, **more: float) -> Counters:
    plain = Counters(1000.0, None, sent, None, None, 0.0, None, None, None)
    return plain._replace(**more)


def history(name: str = "Weekend", *sent: tuple[float, float], **more: object) -> CampaignHistory:
    seen = sent or ((0, 0), (60, 300), (120, 900))
    known = {"counters": counters(seen[-1][1]), "started_at": START, "read_at": START + 120, **more}
    record = campaign_record(name=name, workflow_name="Offers", **known)
    samples = tuple(Sample(START + at, counters(count)) for at, count in seen)
    return CampaignHistory(record, samples, (WatchInterval(START, START + 120),))


@few
@given(st.lists(WORDS, min_size=1, max_size=4))
def test_no_cell_is_a_formula_and_each_stays_one_cell(words: list[str]) -> None:
    (heading, row) = csv.reader(io.StringIO(as_csv(words, [words])))
    assert heading == row
    assert len(row) == len(words)
    for cell in row:
        assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
        assert "\x1b" not in cell
        assert "\n" not in cell


@pytest.mark.parametrize("separator", [";", "\t", "|"])
@few
@given(st.lists(st.text("ab1=+-@＝;|\t\"' ,\n", max_size=12), min_size=1, max_size=4))
def test_no_cell_is_a_formula_where_a_spreadsheet_splits_at_other_signs(separator: str, words: list[str]) -> None:
    for row in csv.reader(io.StringIO(csv_table([words])), delimiter=separator):
        for cell in row:
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝")), (row, words)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        *((f"{sign}1{sign}1", f"'{sign}1{sign}1") for sign in "=+-@＝＋－＠"),
        *((f"a{sign}1", f"a{sign}1") for sign in "=+-@＝＋－＠"),
        ("\t＋1", "    '＋1"),
        ("\r=1", "'=1"),
        ("\u3000＝1", "\u3000'＝1"),
        ("a;=cmd()", "a;'=cmd()"),
        ('a| "-1', "a| \"'-1"),
        ("a;b; c-5", "a;b; c-5"),
        ("מבצע -50%", "מבצע -50%"),
    ],
)
def test_a_formula_is_told_by_the_first_sign_of_what_may_become_a_cell(text: str, escaped: str) -> None:
    assert escape_formula(text) == escaped


def test_samples_are_rows_with_numbers_as_numbers_and_unknown_as_nothing() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(SAMPLE_COLUMNS, sample_rows(history("=evil"))))))
    assert [row["sentCount"] for row in rows] == ["0", "300", "900"]
    assert rows[1]["secondsSinceStart"] == "60"
    assert rows[1]["at"] == "2023-11-14T22:14:20.000Z"
    assert {row["readCount"] for row in rows} == {""}
    assert {row["name"] for row in rows} == {"'=evil"}
    assert {row["watchedSince"] for row in rows} == {"2023-11-14T22:13:20.000Z"}


def test_a_comparison_has_a_row_for_each_time_and_nothing_where_nobody_watched() -> None:
    short = history("B", (0, 0), (30, 50), campaign_id=CampaignId("=c2"))
    short = CampaignHistory(short.record, short.samples, (WatchInterval(START, START + 60),))
    both = [history(), short]
    rows = list(csv.reader(io.StringIO(as_csv(comparison_columns(both), comparison_rows(both, 60)))))
    assert rows[0][:2] == ["secondsSinceStart", "c1 sent"]
    assert rows[0][5] == "'=c2 sent"
    assert [[row[0], row[1], row[5]] for row in rows[1:]] == [
        ["0", "0", "0"],
        ["60", "300", "50"],
        ["120", "900", ""],
    ]


@few
@given(
    st.text(st.characters(), max_size=30) | st.sampled_from(["# h", "| a | b |", "[x](http://y)", "<b>", "`c`"])
)
def test_no_name_is_taken_for_markdown(name: str) -> None:
    text = escape_markdown(name)
    for place, sign in enumerate(text):
        if sign in "`*_[]<>&|~!()#@":
            before = len(text[:place]) - len(text[:place].rstrip("\\"))
            assert before % 2 == 1
    assert "\n" not in text
    assert "\x1b" not in text


def alert(campaign_id: str, at: float, words: str) -> Alert:
    return Alert(f"{campaign_id} {words}", CampaignId(campaign_id), "", words, at, None)


def report(
    *histories: CampaignHistory, since: float = START - 60, now: float = START + 200, alerts: Sequence[Alert] = ()
) -> str:
    return shift_report(histories, Shift("acme", since, now, UTC), ReportSources(alerts))


def test_the_alerts_of_the_time_stand_with_their_campaign() -> None:
    early, mine, other = (
        alert("c1", START - 500, "old"),
        alert("c1", START + 60, "failed 4.2%"),
        alert("c2", START, "other"),
    )
    text = report(history(), alerts=[early, mine, other])
    assert "- Alert: failed 4.2% (Tue 14 Nov 2023 22:14 UTC)" in text
    assert text.count("- Alert: ") == 1


def test_a_workflow_s_id_is_reported_where_its_name_is_another_s_too() -> None:
    found = shift_report(
        [history()],
        Shift("acme", START - 60, START + 200, UTC),
        ReportSources(workflow_ids={CampaignId("c1"): "wf-_1"}),
    )
    assert "- Workflow: Offers (wf-\\_1)\n" in found
    assert "- Workflow: Offers\n" in report(history())


def test_the_report_has_counts_shares_rates_times_corrections_and_holes() -> None:
    fell = history("Sale | *now*", (0, 0), (60, 903), (120, 900))
    text = report(
        CampaignHistory(
            fell.record,
            fell.samples,
            (WatchInterval(START + 30, START + 60), WatchInterval(START + 90, START + 120)),
        )
    )
    assert "| Sale \\| \\*now\\* | inProgress | 1,000 | 900 (90.0%) | unknown | unknown | 0 (0.0%) |" in text
    assert "- Started: Tue 14 Nov 2023 22:13 UTC" in text
    assert "- During this time: +900 sent" in text
    assert "- Sent per minute since the start: 450" in text
    assert "- Correction: sent fell by 3 (Tue 14 Nov 2023 22:15 UTC)" in text
    assert text.count("- Not watched: ") == 3
    assert "- As of Tue 14 Nov 2023 22:15 UTC" in text


def test_the_report_counts_those_lost_to_throttling() -> None:
    found = history()
    lost = replace(found.record, counters=counters(720.0, failed=0.0, too_many=280.0))
    text = report(CampaignHistory(lost, found.samples, found.intervals))
    assert "| Failed | Throttled |" in text
    assert "| 720 (72.0%) | unknown | unknown | 0 (0.0%) | 280 (28.0%) |" in text
    assert "- During this time: +720 sent, +280 throttled" in text


def test_what_did_nothing_is_only_counted() -> None:
    quiet = history("Old", status="completed", completed_at=START + 120)
    text = report(quiet, since=START + 1000, now=START + 2000)
    assert "Old" not in text
    unknown = "1 other watched campaign: not loaded during this time, so what happened is unknown."
    assert unknown in text, "it was read last before that"
    read = CampaignHistory(replace(quiet.record, read_at=START + 1500), quiet.samples, quiet.intervals)
    assert "1 other watched campaign: didn't change during this time." in report(read, since=START + 1000)
    never_read = CampaignHistory(replace(quiet.record, status="", read_at=None), (), ())
    assert unknown in report(never_read, since=START + 1000)
    assert "No campaigns are watched." in report()


def test_what_is_unknown_before_the_first_load_is_not_called_unchanged() -> None:
    just_added = history("New", (1500, 900), status="completed", completed_at=START + 120, read_at=START + 1600)
    just_added = CampaignHistory(
        just_added.record, just_added.samples, (WatchInterval(START + 1500, START + 1600),)
    )
    text = report(just_added, since=START + 1000, now=START + 2000)
    words = "first loaded during this time and unchanged since then; what happened before is unknown"
    assert f"1 other watched campaign: {words}." in text
    assert "didn't change" not in text


def test_a_campaign_that_was_created_within_the_time_did_something() -> None:
    raw = {"created": (START + 1100) * 1000}
    soon = history(
        "Soon",
        (1500, 0),
        status="scheduled",
        started_at=None,
        scheduled_at=START + 9000,
        raw=raw,
        read_at=START + 1600,
    )
    text = report(soon, since=START + 1000, now=START + 2000)
    assert "## Soon" in text
    assert "- Created: Tue 14 Nov 2023 22:31 UTC\n- Scheduled for: Wed 15 Nov 2023 00:43 UTC" in text
    assert "other watched campaign" not in text


def test_configured_campaigns_that_were_never_loaded_are_unknown_and_not_none() -> None:
    text = shift_report((), Shift("acme", START, START + 200, UTC), ReportSources(never_loaded=["c-1", "c2"]))
    assert "2 configured campaigns: never loaded, so what happened is unknown (c-1, c2)." in text
    assert "No campaigns" not in text


def test_what_rose_before_the_first_read_is_counted_or_said_to_be_unknown() -> None:
    late = history("Late", (60, 300), (120, 900))
    assert "- During this time: +900 sent" in report(late), "it began within this time, with nothing"
    before = "changes before Tue 14 Nov 2023 22:14 UTC unknown, as it was first loaded then"
    assert f"- During this time: +600 sent; {before}" in report(late, since=START + 30)


def test_the_corrections_of_a_counter_are_folded_into_one_line() -> None:
    many = history("Up and down", *((at, 500 - at % 2) for at in range(100)))
    times = "in 50 steps from Tue 14 Nov 2023 22:13 UTC to Tue 14 Nov 2023 22:14 UTC"
    assert report(many).count("- Correction: ") == 1
    assert f"- Correction: sent fell by 50 ({times})" in report(many)


def failing(name: str, failed: float, **more: object) -> CampaignHistory:
    found = history(name, campaign_id=CampaignId(name), counters=counters(900 - failed, failed=failed), **more)
    return CampaignHistory(found.record, found.samples, found.intervals)


def test_half_a_page_has_the_totals_the_worst_three_and_how_alerts_ended() -> None:
    checked = DeliveryResultsRecord(
        1000, 40, groups=(DeliveryResultGroup("failed", "131026", "Undeliverable <b>", 30),)
    )
    stopped = failing("B", 90, status="failed", failed_at=START + 100, failure_reason="the line was banned")
    text = shift_report(
        [failing("A", 9), stopped, failing("C", 450), failing("D", 1), history("Fine")],
        Shift("acme", START - 60, START + 200, UTC),
        ReportSources(
            [alert("B", START + 60, "failed 10%"), alert("C", START + 70, "failed 50%")],
            results={CampaignId("C"): checked},
        ),
    )
    half, _, rest = text.partition("## Campaigns")
    assert "- Campaigns: 5 (4 in progress, 1 failed)" in half
    assert "- During this time: +3,950 sent, +550 failed" in half
    assert "- Not reached: 550 of 4,500 attempted (12.2%)" in half
    worst = half.partition("## Worst")[2]
    assert [line[:3] for line in worst.splitlines() if line.startswith("| ")][1:4] == ["| C", "| B", "| A"]
    assert "| C | 50.0% | 450 failed; most often Undeliverable \\<b\\> (30 of 40 checked) |" in worst
    assert "| B | 10.0% | the line was banned; 90 failed; reasons not checked |" in worst
    assert "| B | failed 10% | failed Tue 14 Nov 2023 22:15 UTC, 10.0% not reached |" in worst
    assert "| C | failed 50% | in progress as of Tue 14 Nov 2023 22:15 UTC |" in worst, "no rule of the config"
    assert half.count("\n") < 40
    assert rest.count("### ") == 5


@pytest.mark.parametrize(("failed", "words"), [(450.0, "still so as of"), (9.0, "over as of")])
def test_a_running_campaign_s_alert_holds_or_is_over_as_of_the_last_read(failed: float, words: str) -> None:
    rule = parse(AlertSetting("failed > 5%"))
    raised = Alert(f"A {rule.key}", CampaignId("A"), "A", "failed 6%", START + 60, None)
    shift = Shift("acme", START - 60, START + 200, UTC)
    found = alert_outcome(raised, failing("A", failed), shift, [rule])
    assert found == f"{words} Tue 14 Nov 2023 22:15 UTC"
    unread = failing("A", failed, read_at=START + 30)
    assert alert_outcome(raised, unread, shift, [rule]) == "unknown: not loaded since"


def test_the_page_shows_the_same_with_pictures_and_no_outside_text_is_markup() -> None:
    evil = "<script>alert(1)</script>\"'&"
    found = history(evil, (0, 0), (60, 903), (120, 900), failure_reason=evil, campaign_id=CampaignId(evil))
    raised = alert(evil, START + 60, evil)
    page = shift_report_page([found], Shift(evil, START - 60, START + 200, UTC), ReportSources([raised]))
    assert page.count("<svg ") == page.count("</svg>") == 1
    assert "Sent per minute, at most" in page
    assert "1 alert marked" in page
    assert "sent fell by 3" in page
    assert evil not in page
    for refused in ("<script", "<link", "<img", "src=", "href=", "url(", "@import", "onerror="):
        assert refused not in page
    assert page.count("&lt;script&gt;") >= 6
