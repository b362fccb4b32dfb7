"""A campaign that is made, in words: what is missing, what a list holds, what would be sent."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.draft import Draft, FromFile, OneCustomer
from frontdesk.campaigns.preflight import preflight
from frontdesk.campaigns.preflight_facts import AudienceSummary, PreflightFacts
from frontdesk.campaigns.view import wizard as steps
from frontdesk.campaigns.view.audience import (
    AudienceProgress,
    column_letter,
    column_name,
    counts_summary,
    layout_lines,
    list_lines,
    problems,
    progress_bar,
)
from frontdesk.campaigns.view.preflight import (
    ONE,
    DraftTestResult,
    duration_words,
    preflight_facts,
    whole_body,
)
from frontdesk.campaigns.view.wizard import StepState, summary_facts
from frontdesk.config.facts import lines
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk.storage.records import DocumentRecord
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, WorkflowId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.display_text import file_size, trusted
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import Line, width_of
from frontdesk_lists.models import (
    Audience,
    ColumnMapping,
    HomeCountry,
    ListedRecipient,
    ListLayout,
    RefusedRow,
    RefusedRows,
)
from sample_records import drawn

NOW = 1_700_040_000.0
VIEW = RenderContext(Catalogue(Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))), UNICODE, NOW, UTC)
LOOK = ListLayout(
    "csv",
    "utf-8",
    ",",
    (),
    (("city", "phone\x1b[2J", "name"), ("Haifa", "052-1234567", "Dana"), ("Lod",)),
    ColumnMapping(1, 2, None, True),
    2_300_000,
)
AUDIENCE = Audience(
    (ListedRecipient("972521234567", "Dana", "", 2),),
    3,
    "digest",
    RefusedRows((RefusedRow(5, "too short", "12"),), 8),
    RefusedRows((RefusedRow(4, "same number as line 2", "052-1234567"),), 1),
)
DRAFT = Draft("abc", CampaignId("spring-abc"), NOW)


def words(lines: Iterable[Line]) -> str:
    return "\n".join("".join(part.text.text for part in line).rstrip() for line in lines)


def stands(
    draft: Draft, listed: AudienceProgress | None = None, workflow: DocumentRecord | None = None
) -> dict[str, StepState]:
    return {each.key: each.state for each in steps.steps(draft, VIEW, listed or AudienceProgress(), workflow)}


def test_columns_are_called_as_spreadsheets_call_them() -> None:
    assert [column_letter(each) for each in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
    assert column_name(LOOK, 1, True).text.startswith("column B · phone")
    assert column_name(LOOK, 1, False).text == "column B"
    assert column_name(LOOK, None, True).text == "none"


def test_sizes_are_in_the_unit_that_people_use() -> None:
    assert [file_size(each).text for each in (12, 2_300, 2_300_000, 5 * 10**9)] == [
        "12 B",
        "2.3 kB",
        "2.3 MB",
        "5.0 GB",
    ]


def test_the_first_rows_say_what_each_column_is_taken_for() -> None:
    shown = words(layout_lines(LOOK, LOOK.columns, 60))
    assert "CSV · utf-8 · comma-separated · 2.3 MB" in shown
    assert "B number" in shown
    assert "C name" in shown
    assert "\x1b" not in shown
    assert "No column looks like phone numbers" in words(layout_lines(LOOK, None, 60))


def test_the_column_of_numbers_is_in_sight_however_many_there_are() -> None:
    wide = ListLayout("csv", "utf-8", ",", (), (tuple(f"cell {at}" for at in range(500)),), None, 1)
    assert "cell 300" in words(layout_lines(wide, ColumnMapping(300, None, None, False), 40))


@few
@given(st.integers(0, 10**9), st.floats(0, 1), st.integers(0, 120))
def test_progress_fits_and_is_the_same_until_more_was_read(rows: int, share: float, width: int) -> None:
    bar = progress_bar(rows, share, width, UNICODE)
    assert bar == progress_bar(rows, share, width, UNICODE)
    assert width_of(bar) <= max(width, len(f" {share:4.0%}  {rows:,} rows"))


@few
@given(st.integers(1, 200))
def test_every_line_about_a_list_fits(width: int) -> None:
    so_far = AudienceProgress(LOOK, LOOK.columns, AUDIENCE)
    assert all(width_of(line) <= width for line in list_lines(so_far, width, UNICODE))


def test_rows_left_out_are_told_by_line_and_counted_beyond() -> None:
    told = [each.text for each in problems(AUDIENCE, "csv")]
    assert told[0] == "Left out: 8"
    assert told[1] == "  line 5  12  too short"
    assert "  and 7 more" in told
    assert "Duplicates: 1" in told
    assert "  row 5  12  too short" in [each.text for each in problems(AUDIENCE, "xlsx")]


def test_the_counts_agree_with_their_nouns() -> None:
    assert counts_summary(AUDIENCE).text == "1 recipient · 8 skipped · 1 duplicate"
    several = Audience((), 5, "", duplicates=RefusedRows((), 3), doubtful=RefusedRows((), 2))
    assert counts_summary(several).text == "0 recipients · 3 duplicates · 2 doubtful"


def test_an_empty_draft_wants_all_but_what_has_a_usual_value() -> None:
    found = stands(DRAFT)
    assert {key for key, stand in found.items() if stand is StepState.SET} == {steps.WHEN, steps.DESCRIPTION}
    first = steps.missing(steps.steps(DRAFT, VIEW, AudienceProgress(), None))
    assert first is not None
    assert first.key == steps.AUDIENCE


def test_a_list_that_can_not_be_used_is_wrong_and_one_that_is_read_is_waited_for() -> None:
    draft = Draft("abc", CampaignId("x-abc"), NOW, audience=FromFile("/lists/a.csv"))
    assert stands(draft, AudienceProgress(LOOK, LOOK.columns, is_busy=True))[steps.LIST] is StepState.OPEN
    nobody = Audience((), 0, "")
    assert stands(draft, AudienceProgress(LOOK, LOOK.columns, nobody))[steps.LIST] is StepState.WRONG
    assert stands(draft, AudienceProgress(LOOK))[steps.NUMBERS] is StepState.WRONG
    assert stands(draft, AudienceProgress(LOOK, LOOK.columns, AUDIENCE))[steps.LIST] is StepState.SET


def test_a_workflow_that_is_off_and_a_time_that_passed_are_wrong() -> None:
    draft = Draft(
        "abc", CampaignId("x-abc"), NOW, workflow_id=WorkflowId("w"), scheduled_at=NOW - 60, when_words="x"
    )
    off = DocumentRecord("w", "Old", {"isActive": False})
    assert stands(draft, workflow=off)[steps.WORKFLOW] is StepState.WRONG
    assert stands(draft, workflow=off)[steps.WHEN] is StepState.WRONG


def test_a_preflight_says_who_what_where_when_how_long_and_the_json() -> None:
    draft = Draft(
        "abc",
        CampaignId("spring-abc"),
        NOW,
        name="Spring",
        workflow_id=WorkflowId("w"),
        workflow_name="Order\x1b[2J update",
        folder_id=FolderId("f"),
        line_id=LineId("L1"),
        audience=FromFile("/a.csv"),
    )
    facts = PreflightFacts(datetime.fromtimestamp(NOW, UTC), audience=AudienceSummary(4_812, refused=3))
    found = preflight(draft, facts)
    shown = drawn(preflight_facts(draft, found, VIEW), 70)
    for part in ("4,812 recipients", 'the line "L1"', '"name": "Spring"', "your time", "spring-abc"):
        assert part in shown
    assert "\x1b" not in shown
    assert "1 to 4.5 min" in duration_words(found)
    assert all(width_of(line) <= 70 for line in lines(preflight_facts(draft, found, VIEW), 70, VIEW))
    assert "errors" in shown or "1 error" in shown


def test_one_customer_is_named_as_the_campaign_it_is() -> None:
    draft = Draft("abc", CampaignId("one-abc"), NOW, name="One", audience=OneCustomer("972521234567", "Dana"))
    found = preflight(draft, PreflightFacts(datetime.fromtimestamp(NOW, UTC)))
    assert drawn(preflight_facts(draft, found, VIEW), 70).startswith(ONE)
    assert any("972521234567" in line.text for line in whole_body(found))


@pytest.mark.parametrize(("raw", "shown", "stand"), [
    ({"isActive": True}, "active", StepState.SET), ({"isActive": False}, "inactive", StepState.WRONG),
    ({}, "status unknown", StepState.SET),
])  # fmt: skip
def test_whether_a_workflow_is_on_is_not_guessed(raw: dict[str, Any], shown: str, stand: StepState) -> None:
    record = DocumentRecord("w", "W", raw)
    draft = Draft("abc", CampaignId("c"), NOW, workflow_id=WorkflowId("w"), workflow_name="W")
    step = next(each for each in steps.steps(draft, VIEW, AudienceProgress(), record) if each.key == "workflow")
    assert (words((step.value,)), step.state) == (f"W  {shown}", stand)


def test_a_suggested_home_country_is_a_value_with_its_reason_to_confirm() -> None:
    progress = AudienceProgress(LOOK, LOOK.columns, AUDIENCE)
    listed = replace(DRAFT, audience=FromFile("list.csv"))

    def country(draft: Draft, progress: AudienceProgress = progress) -> steps.WizardStep:
        return next(each for each in steps.steps(draft, VIEW, progress, None) if each.key == steps.COUNTRY)

    suggested = country(replace(listed, country="IL", country_reason="most of your customers are in IL (+972)"))
    assert words([suggested.value]) == "IL  suggested: most of your customers are in IL (+972)"
    assert suggested.state is StepState.OPEN, "the cursor goes there, and enter confirms it"
    assert country(replace(listed, country="IL", is_country_chosen=True)).state is StepState.SET
    undecided = replace(progress, audience=replace(AUDIENCE, undecided=2))
    assert words([country(listed, undecided).value]) == "choose one or none"
    needed = replace(progress, audience=replace(AUDIENCE, home=HomeCountry("IL", "so", 5, 5)))
    assert country(listed, needed).state is StepState.OPEN
    none = country(replace(listed, is_country_chosen=True), needed)
    assert (none.state, words([none.value])) == (StepState.SET, "none: every number needs a calling code")


def test_a_column_that_competes_is_open_until_it_is_chosen() -> None:
    layout = replace(LOOK, rivals={"number": (0, 1)})
    progress = AudienceProgress(layout, layout.columns, AUDIENCE)

    def numbers(file: FromFile) -> steps.WizardStep:
        found = steps.steps(replace(DRAFT, audience=file), VIEW, progress, None)
        return next(each for each in found if each.key == steps.NUMBERS)

    unsure = numbers(FromFile("list.csv", confirmed=("name",)))
    assert unsure.state is StepState.OPEN
    assert words([unsure.value]) == "column A · city or column B · phone␛[2J? Choose one"
    assert numbers(FromFile("list.csv", confirmed=("number",))).state is StepState.SET


@pytest.mark.parametrize(("contradicted", "state"), [(0, StepState.SET), (1, StepState.OPEN)])
def test_columns_of_countries_compete_where_they_say_two_of_a_row_that_is_read(
    contradicted: int, state: StepState
) -> None:
    layout = replace(LOOK, rivals={"country": (0, 1)})
    progress = AudienceProgress(layout, layout.columns, replace(AUDIENCE, contradicted=contradicted))
    found = steps.steps(replace(DRAFT, audience=FromFile("list.csv")), VIEW, progress, None)
    assert next(each for each in found if each.key == steps.COUNTRIES).state is state


def test_what_was_decided_and_what_is_missing_stands_beside_the_steps() -> None:
    made = replace(DRAFT, workflow_id=WorkflowId("w1"), workflow_name="Sale", audience=FromFile("a.csv"), name="")
    listed = AudienceProgress(LOOK, LOOK.columns, AUDIENCE)
    found, test = steps.steps(made, VIEW, listed, None), DraftTestResult(trusted("delivered"))
    shown = drawn(summary_facts(made, listed, found, "…12aa01f7", test, VIEW), cells=8)
    for each in (
        "Sale …12aa01f7",
        "1 recipient · 8 skipped",
        "now, as soon as you confirm",
        "Test    delivered",
    ):
        assert each in shown
    assert "Name" in shown.partition("Missing")[2]
