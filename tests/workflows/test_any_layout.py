"""Whatever a document holds has rows, traffic, losses and lines, each drawn once and none of them unsafe."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from flows.checks.any_document import EVIL, JUNK, broken_documents
from flows.checks.sample_workflows import Json, chain, node, sub, workflow
from frontdesk.config.facts import lines
from frontdesk.workflows.view.node_detail import node_facts
from frontdesk.workflows.view.row import LABEL_CELLS
from frontdesk.workflows.view.tree import drop_off_row, totals, tree_heading, tree_row
from frontdesk_flows.execution import Runner
from frontdesk_flows.graph import read_graph
from frontdesk_flows.traffic import MAX_ANOMALIES, find_drop_offs, measure_traffic
from frontdesk_flows.tree_layout import RowKind, outline_of, raw_at
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.lines import Line, span
from sample_records import NASTY, VIEW, assert_harmless, words


def seen(line: Line) -> str:
    assert_harmless([line])
    return words(line)


@pytest.mark.slow
@settings(max_examples=80)
@given(raw=broken_documents())
def test_every_node_and_exit_is_drawn_once(raw: Json) -> None:
    outline = outline_of(raw)
    drawn = [row.path for row in outline.rows if row.is_drawn]
    assert len(drawn) == len(set(drawn))
    document = outline.document
    notes = {sub.path for each in document.parents if each.is_note for sub in each.subs}
    assert {each.path for each in document.nodes} - notes <= set(drawn)
    for at, row in enumerate(outline.rows):
        assert row.jump is None or outline.rows[row.jump].id == row.target
        assert row.kind not in (RowKind.LOOP, RowKind.JOIN) or (row.jump is not None and row.jump < at)
        if row.is_drawn and row.path:
            assert isinstance(raw_at(raw, row.path), dict)
            assert outline.row_at(row.path) == at


@pytest.mark.slow
@settings(max_examples=60)
@given(raw=broken_documents(), width=st.integers(1, 140), junk=JUNK)
def test_every_row_is_a_line_of_its_width_and_every_detail_is_safe(raw: Json, width: int, junk: object) -> None:
    raw = {**raw, "analytics": junk} if width % 2 else raw
    outline = outline_of(raw)
    traffic = measure_traffic(outline.document)
    assert len(traffic.anomalies) <= MAX_ANOMALIES
    for row in outline.rows:
        assert cell_width(seen(tree_row(row, traffic, width, VIEW.glyphs))) == width
    for line in (tree_heading(traffic, width), totals(traffic, width, VIEW.glyphs)):
        assert cell_width(seen(line)) == width
    for each in find_drop_offs(outline, traffic):
        assert cell_width(seen(drop_off_row(each, width, VIEW.glyphs))) == width
    for doubt in traffic.anomalies:
        assert_harmless([(span(doubt.words),)])
    for at in range(len(outline.rows)):
        for line in lines(node_facts(outline, at, traffic, VIEW), width, VIEW, LABEL_CELLS):
            assert cell_width(seen(line)) <= max(width, 2)


@few
@given(raw=broken_documents(), events=st.lists(st.sampled_from(["Yes", EVIL, "time"]), max_size=6))
def test_what_runs_is_drawn_as_running(raw: Json, events: list[str]) -> None:
    outline = outline_of(raw)
    graph = read_graph({**raw, "isActive": True, "id": "w"})
    runner = Runner(lambda identity: graph if identity == "w" else None, chance=lambda _node, ways: ways - 1)
    move = runner.start("w")
    for event in events:
        if move is None or move.execution.outcome is not None:
            break
        frame = move.execution.frames[-1]
        assert outline.rows[outline.row_of[frame.node_id]].runs
        is_timer = event == "time" or move.execution.waits_for == "time"
        move = runner.end_wait(move.execution) if is_timer else runner.answer(move.execution, event)
    for count in () if move is None else move.counts:
        if count.kind == "entered":
            assert outline.rows[outline.row_of[count.about]].runs


@pytest.mark.parametrize("width", [20, 60])
def test_a_row_that_is_two_thousand_levels_deep_says_so(width: int) -> None:
    raw = chain(0)
    raw["trigger"]["connections"]["out"] = ["n0"]
    raw["parsedData"] = [
        {"id": f"n{at}", "type": "if", "subNodes": [{"id": f"s{at}", "connections": {"out": [f"n{at + 1}"]}}]}
        for at in range(2_000)
    ]
    outline = outline_of(raw)
    traffic = measure_traffic(outline.document)
    deepest = max(outline.rows, key=lambda row: row.depth)
    text = seen(tree_row(deepest, traffic, width, VIEW.glyphs))
    assert text.startswith("‹2000 ")
    assert cell_width(text) == width


@pytest.mark.parametrize("nasty", NASTY)
def test_titles_ids_and_texts_of_any_script_keep_their_width(nasty: str) -> None:
    raw = workflow(
        node(
            f"a{nasty}", "whatsapp", None, sub(f"b{nasty}", f"c{nasty}"), sub("x", f"gone{nasty}"), message=nasty
        ),
        node(f"c{nasty}", nasty, f"a{nasty}", **{nasty: nasty}),
    )
    raw["parsedData"][0]["title"] = raw["parsedData"][0]["subNodes"][0]["title"] = nasty
    raw["analytics"] = {"nodeStats": {nasty: 1, f"a{nasty}": {"enteredCount": 30, "exitedCount": 12}}}
    outline = outline_of(raw)
    traffic = measure_traffic(outline.document)
    for width in (9, 60):
        for at, row in enumerate(outline.rows):
            assert cell_width(seen(tree_row(row, traffic, width, VIEW.glyphs))) == width
            for line in lines(node_facts(outline, at, traffic, VIEW), width, VIEW, LABEL_CELLS):
                assert cell_width(seen(line)) <= width
        assert all(
            cell_width(seen(drop_off_row(each, width, VIEW.glyphs))) == width
            for each in find_drop_offs(outline, traffic)
        )
