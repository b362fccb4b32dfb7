"""A node in words, its traffic, where it leads, and its data as it is."""

import json

import pytest

from call_counts import count_calls
from flows.checks.sample_workflows import Json, node, sub, workflow
from frontdesk.workflows.view.node_detail import node_facts
from frontdesk.workflows.view.tree import count_words, share_words, totals
from frontdesk_flows.traffic import measure_traffic
from frontdesk_flows.tree_layout import RowKind, outline_of
from frontdesk_lines.lines import json_body, json_lines, json_text
from frontdesk_sandbox.seeding.workflows import make_workflows
from sample_records import NOW, VIEW, drawn, words

SEEDED = {each["id"]: each for each in make_workflows(1_790_000_000)}


def detail(raw: Json, identity: str, width: int = 70) -> list[str]:
    """What is told of a node or exit, the columns apart by one blank."""
    outline = outline_of(raw)
    told = node_facts(outline, outline.row_of[identity], measure_traffic(outline.document), VIEW)
    return [" ".join(line.split()) for line in drawn(told, width).split("\n")]


def test_a_question_tells_what_it_sends_how_long_it_waits_and_where_it_leads() -> None:
    told = detail(SEEDED["wf-welcome"], "welcome-menu")
    for line in (
        "type whatsapp Action",
        "path $.parsedData[0]",
        "entered 18,420 100% of those who started",
        "dropped 590 3.2% of those who entered",
        "sends its own text",
        "waits for an answer, up to 60 minutes",
        "Where is my order? → Look up the order 8,473 46%",
        "No answer in 60 min → the end 921 5.0%",
        '"waitForUserResponse": true',
    ):
        assert line in told
    assert told[told.index("Comes from") + 1] == "When a customer writes"


@pytest.mark.parametrize(
    ("workflow_id", "identity", "line"),
    [
        ("wf-welcome", "welcome-trigger", "starts on Messages Created"),
        ("returns/v2", "ret-trigger", "keywords return, refund, "),
        ("wf-welcome", "welcome-found", "tests {{lookup.status}} equals 200"),
        ("wf-welcome", "welcome-found-no", "exit of welcome-found"),
        ("wf-welcome", "welcome-returns", "runs returns/v2"),
        ("wf-welcome", "welcome-ai", "AI agent ai-01"),
        ("wf-welcome", "welcome-lookup", "address https://shop.acme-home.example/orders/{{order}}"),
        ("wf-welcome", "welcome-else", "after 2 unrecognized answers"),
        ("returns/v2", "ret-wait", "waits 15 minutes"),
        ("returns/v2", "ret-task", "due in 24 hours"),
        ("wf-survey", "sur-ask", "template delivery_survey"),
        ("wf-survey", "sur-tag", "tags tag-complaint"),
        ("wf-early-access", "ea-optout", "field optedOut"),
        ("wf-after-hours", "ah-hours", "checks {{now.hour}}"),
        ("wf-after-hours", "ah-night", "from 22"),
        ("wf-draft-chairs", "dr-swap", "days 3"),
    ],
)
def test_known_types_are_told_in_words(workflow_id: str, identity: str, line: str) -> None:
    assert any(each.startswith(line) for each in detail(SEEDED[workflow_id], identity, 100))


def test_in_a_narrow_pane_what_is_longer_goes_on_below() -> None:
    told = detail(SEEDED["wf-welcome"], "welcome-menu", 31)
    assert told[told.index("entered 18,420") + 1] == "100% of those who"
    assert told[told.index("Return something 3,131 17%") + 1] == "→ Go to returns"


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (90, "18,420 started · 17,681 completed (96%) · 590 dropped (3.2%) · 149 running"),
        (66, "18,420 started · 96% completed · 3.2% dropped · 149 running"),
    ],
)
def test_totals_are_shorter_where_there_is_less_room(width: int, said: str) -> None:
    traffic = measure_traffic(outline_of(SEEDED["wf-welcome"]).document)
    assert words(totals(traffic, width, VIEW.glyphs)).rstrip() == said


def test_a_reference_tells_of_what_it_leads_to_and_what_is_missing_that_it_is() -> None:
    made = workflow(node("a", "if", None, sub("x", "b"), sub("y", "b"), sub("z", "gone")), node("b"))
    outline = outline_of(made)
    traffic = measure_traffic(outline.document)
    told = {row.kind: drawn(node_facts(outline, at, traffic, VIEW)) for at, row in enumerate(outline.rows)}
    assert "continues at this node" in told[RowKind.JOIN]
    assert "The b" in told[RowKind.JOIN]
    assert "no such node" in told[RowKind.MISSING]
    assert "This node is missing" in told[RowKind.MISSING]
    assert "not on this plan" in told[RowKind.NODE]


@pytest.mark.parametrize("unit", [1, 1_000])
def test_traffic_says_of_when_it_is(unit: int) -> None:
    made = workflow(node("a")) | {"analytics": {"lastUpdated": (NOW - 3_600) * unit}}
    assert "as of 13:30" in detail(made, "start")
    assert not any(each.startswith("as of") for each in detail(workflow(node("a"), analytics={}), "start"))


def test_counters_in_doubt_are_said_at_their_node() -> None:
    made = workflow(node("a")) | {"analytics": {"nodeStats": {"a": {"enteredCount": "many"}}}}
    assert 'enteredCount of "a" isn\'t a valid count' in detail(made, "a")
    made["analytics"] = {"totalStarted": -1, "nodeStats": {"gone": {}}}
    told = detail(made, "start")
    assert "totalStarted isn't a valid count" in told
    assert '"gone" has counts but isn\'t in the graph' in told
    assert "totalStarted isn't a valid count" not in detail(made, "a")


def test_data_of_any_size_and_depth_costs_what_is_seen_of_it() -> None:
    deep: Json = {}
    for _ in range(950):
        deep = {"d": deep}
    data = {"deep": deep, "wide": list(range(200_000)), "message": {"x": "y" * 1_000_000}, "left": deep}
    made = workflow(node("a", "if", None, *(sub(f"s{at}", "a") for at in range(5_000)), **data))
    outline = outline_of(made)
    traffic = measure_traffic(outline.document)
    told = drawn(node_facts(outline, outline.row_of["a"], traffic, VIEW))
    assert count_calls(lambda: drawn(node_facts(outline, outline.row_of["a"], traffic, VIEW))) < 100_000
    assert told.count("\n") < 500
    assert "more in the raw view" in told
    assert "and 4,988 more exits" in told


def test_json_is_shown_whole_where_it_is_small_and_bounded_where_it_is_not() -> None:
    value = {"a": [1, None, True], "b": "x\ny"}
    assert json.loads(json_text(value)[0]) == value
    assert [words(line).rstrip() for line in json_lines({"a": "\x1b[2J"}, 30)] == ["{", '  "a": "\\u001b[2J"', "}"]
    assert len(json_lines(list(range(1000)), 30, most=10)) == 11
    more = "… more, not shown here"
    assert [each.text for each in json_body([1, 2], 100, 9)] == ["[", "  1,", "  2", "]"]
    assert [each.text for each in json_body([1, 2], 5, 9)] == ["[", "  1", more]
    assert [each.text for each in json_body([1, 2], 9, 2)] == ["[", "  1,", more]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "?"), (0, "0"), (999_999, "999,999"), (1_250_000, "1.2M"), (10**11, "100B"), (10**15, "1,000T")],
)
def test_counters_take_at_most_seven_cells(value: int | None, said: str) -> None:
    assert count_words(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, ""),
        (0.0, "0%"),
        (0.0004, "<0.1%"),
        (0.042, "4.2%"),
        (0.0996, "10%"),
        (1.0, "100%"),
        (20.0, ">999%"),
    ],
)
def test_shares_take_at_most_six_cells(value: float | None, said: str) -> None:
    assert share_words(value) == said
