"""The rows of a workflow: running order, exits, references, and what never runs."""

import pytest

from flows.checks.sample_workflows import Json, chain, node, sub, whole, workflow
from frontdesk_flows.tree_layout import Outline, RowKind, outline_of, raw_at


def told(made: Json) -> list[str]:
    """Each row as `depth kind id-or-target`."""
    return [f"{row.depth} {row.kind} {row.id or row.target or row.title}" for row in outline_of(made).rows]


def at(outline: Outline, row: int | None) -> str:
    assert row is not None
    return outline.rows[row].id


def test_exits_follow_their_node_and_what_comes_back_is_a_reference() -> None:
    assert told(whole()) == [
        "0 trigger start",
        "0 node ask",
        "1 exit yes",
        "1 node thank",
        "1 exit no",
        "1 node pause",
        "1 node on",
        "1 exit else",
        "1 loop ask",
        "1 exit silent",
    ]
    outline = outline_of(whole())
    assert [row.ends for row in outline.rows] == [
        False,
        False,
        False,
        True,
        False,
        False,
        True,
        False,
        False,
        True,
    ]
    assert [row.rails & 1 for row in outline.rows if row.kind is RowKind.EXIT] == [1, 1, 1, 0]
    assert at(outline, outline.rows[8].jump) == "ask"
    assert (outline.reached, outline.unreached) == (4, 0)


def test_a_node_that_several_lead_to_is_drawn_where_it_is_met_first() -> None:
    made = workflow(
        node("ask", "if", None, sub("a", "on"), sub("b", "on")), node("on", to="end"), node("end", "task")
    )
    assert told(made)[2:] == ["1 exit a", "1 node on", "1 node end", "1 exit b", "1 join on"]


def test_only_the_first_target_runs_and_the_others_say_so() -> None:
    made = workflow(node("a", to="b"), node("b"), node("c"))
    made["parsedData"][0]["connections"]["out"] += ["c", "gone"]
    outline = outline_of(made)
    assert told(made) == [
        "0 trigger start",
        "0 node a",
        "0 never run c",
        "0 never run gone",
        "0 node b",
        "0 heading Unreachable (1)",
        "0 node c",
    ]
    assert at(outline, outline.rows[2].jump) == "c"
    assert outline.rows[3].jump is None
    assert not outline.rows[6].runs
    assert (outline.reached, outline.unreached) == (2, 1)


def test_a_nodes_own_target_counts_where_its_exits_leave_room_for_it() -> None:
    silent = sub("late", "sorry", "awaitResponseTimeout")
    made = workflow(
        node("ask", "whatsapp", "thank", silent, waitForUserResponse=True), node("thank"), node("sorry")
    )
    assert told(made)[2:] == ["1 exit late", "1 node sorry", "1 way any answer", "1 node thank"]
    branching = workflow(node("if", "if", "other", sub("x")), node("other"))
    assert told(branching)[2:] == ["0 never run other", "1 exit x", "0 heading Unreachable (1)", "0 node other"]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("gone", "no such node"),
        ("start", "the trigger can't be entered"),
        ("x", "another node's exit can't be entered"),
    ],
)
def test_what_can_not_be_entered_is_shown_as_missing(target: str, why: str) -> None:
    outline = outline_of(workflow(node("a", "if", None, sub("x", "b")), node("b", to=target)))
    row = next(each for each in outline.rows if each.kind is RowKind.MISSING)
    assert (row.target, row.title) == (target, why)
    assert row.jump == outline.row_of.get(target)


def test_what_is_not_reached_stands_apart_from_its_beginning_on() -> None:
    made = workflow(node("a"), node("c"), node("b", to="c"), node("r1", to="r2"), node("r2", to="r1"))
    made["parsedData"].append(node("memo", "stickyNote"))
    assert told(made)[2:-2] == [
        "0 heading Unreachable (4)",
        "0 node b",
        "0 node c",
        "0 node r1",
        "0 node r2",
        "0 loop r1",
    ]
    assert told(made)[-2:] == ["0 heading Notes (1)", "0 node memo"]


def test_doubles_the_canvas_alone_and_the_nameless_are_there_too() -> None:
    made = workflow(node("a"), node("a", "task"))
    made["parsedData"].append({"type": "whatsapp", "title": "Nobody"})
    made["data"]["nodes"].append({"id": "ghost", "type": "task", "data": {"title": "Only drawn"}})
    assert told(made)[2:] == [
        "0 heading Unreachable (1)",
        "0 node a",
        "0 heading Only on the canvas (1)",
        "0 canvas ghost",
        "0 heading Without an id (1)",
        "0 nameless ",
    ]
    rows = outline_of(made).rows
    assert rows[3].title == "duplicate id"
    assert [row.node.title for row in rows if row.node is not None][-2:] == ["Only drawn", "Nobody"]


def test_without_a_trigger_nothing_starts_it() -> None:
    assert told({}) == ["0 missing no trigger: nothing starts it"]
    assert told({"parsedData": [node("a")]})[1:] == ["0 heading Unreachable (1)", "0 node a"]
    leads_nowhere = outline_of(workflow())
    assert leads_nowhere.rows[0].ends


def test_search_finds_titles_ids_and_texts_where_they_are_drawn() -> None:
    outline = outline_of(whole())
    assert [outline.rows[each].id for each in outline.hits("IS IT")] == ["ask"]
    assert [outline.rows[each].id for each in outline.hits("pause")] == ["pause"]
    assert outline.hits(" ") == ()


def test_a_findings_path_leads_to_the_row_it_lies_in() -> None:
    outline = outline_of(whole())
    assert at(outline, outline.row_at("$.parsedData[0].subNodes[1].connections.out[0]")) == "no"
    assert at(outline, outline.row_at("$.parsedData[0].data.message")) == "ask"
    assert outline.row_at("$.associatedToBusinessId") is None
    assert raw_at(whole(), "$.parsedData[0].subNodes[1].id") == "no"
    assert raw_at(whole(), "$.parsedData[9].nothing") is None


@pytest.mark.slow
def test_ten_thousand_nodes_in_a_row_or_within_each_other_are_as_good_as_five() -> None:
    assert len(outline_of(chain(10_000)).rows) == 10_001
    deep = workflow(
        *(node(f"n{at}", "if", None, sub(f"s{at}", f"n{at + 1}"), sub(f"t{at}")) for at in range(10_000))
    )
    rows = outline_of(deep).rows
    assert len(rows) == 1 + 30_000 + 1
    assert max(row.depth for row in rows) == 10_000
