"""A dry run in words: what each kind of effect says, and lines that fit whatever a graph holds."""

import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.graphs import Json, message, node, sub, workflow
from flows.simulation.test_run import STEPS
from flows.test_any_graph import workflows
from frontdesk.workflows.view.simulation import (
    duration,
    plain_transcript,
    position_words,
    status_lines,
    step_words,
    transcript,
    transcript_lines,
    trigger_words,
)
from frontdesk_flows.graph import read_graph
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import ScriptAction, ScriptStep, interpret
from frontdesk_flows.simulation.trace import DryRun
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.glyphs import ASCII

NIGHT = datetime(2026, 11, 20, 23, 5, tzinfo=UTC)
BEGIN = ScriptStep(ScriptAction.BEGIN)


def tried(raw: Json, *steps: ScriptStep, **variables: Any) -> DryRun:
    return dry_run({"w": read_graph(raw | {"id": "w"})}, "w", steps or (BEGIN,), Circumstances(NIGHT, variables))


def printed(run: DryRun) -> list[str]:
    return [plain_transcript(each).text for each in (*transcript(run), *status_lines(run))]


def with_event(raw: Json, event: str, *keywords: str) -> Json:
    return raw | {"trigger": raw["trigger"] | {"data": {"eventType": event, "keywords": list(keywords)}}}


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (node("n", "assignTags", tagIds=["vip", "late"]), "tags      vip, late"),
        (node("n", "assignAgent", agentIds=["noa"]), 'assigns   agentIds ["noa"]'),
        (node("n", "assignAgent"), "assigns   no details"),
        (node("n", "task", title="Call {name}", dueInHours=2), 'task      "Call Dana", due in 2 h'),
        (node("n", "updateCustomer", field="optedOut", value=True), "customer  optedOut = true"),
        (node("n", "updateConversation", status="done"), "sets      status done"),
        (
            node("n", "httpRequest", method="POST", url="https://x.example/{name}", body={"a": 1}),
            'request   POST https://x.example/Dana {"body": {"a": 1}} (not sent)',
        ),
        (node("n", "httpRequest"), "request   no address set (not sent)"),
        (node("n", "ai", messageType="ai", aiAgentId="ai-1"), "AI agent  ai-1 replies in its own words"),
        (message("n", "Two\nlines"), "sends     Two"),
        (message("n", "Hi") | {"data": {"messageType": "template", "templateName": "t"}}, "as the template t"),
        (node("n", "courierBooking"), "unknown node type; continuing to the next node"),
        (node("n", "wait", hours=36), "waits     36 h"),
        (node("n", "wait", seconds=5), "waits     5 s"),
    ],
)  # fmt: skip
def test_each_kind_of_node_says_what_it_would_do(raw: Json, line: str) -> None:
    lines = [each.strip() for each in printed(tried(workflow("w", raw), name="Dana"))]
    assert line in lines


@pytest.mark.parametrize(
    ("event", "keywords", "words"),
    [
        ("Messages Created", ["a", "b", "c"], 'a customer\'s message contains "a", "b" or "c"'),
        ("Messages Created", list("abcdefghij"), 'or one of 2 more'),
        ("New Conversation Started", [], "a customer writes for the first time"),
        ("Conversation Tag Set", ["vip"], 'the tag "vip" is added'),
        ("Conversation Tag Set", [], "a tag is added"),
        ("Manual Trigger", [], "a campaign or a person starts it"),
        ("Conversation Status Changed", [], 'the event "Conversation Status Changed" happens'),
        ("", [], "an event happens, but its trigger names none"),
    ],
)  # fmt: skip
def test_what_begins_it_is_said(event: str, keywords: list[str], words: str) -> None:
    run = tried(with_event(workflow("w", message("a", "hi")), event, *keywords))
    assert words in trigger_words(run)
    assert any(line.startswith("starts") for line in printed(run))


@pytest.mark.slow
def test_many_ways_are_counted_and_one_without_a_title_goes_by_its_id() -> None:
    ways = [sub(f"s{number}", "" if number == 1 else f"Way {number}") for number in range(30)]
    run = tried(workflow("w", message("ask", "Which?", *ways)))
    lines = [line.strip() for line in printed(run)]
    assert "2 s1 (no title)" in lines
    assert "and 10 more" in lines
    assert step_words(run, interpret(run, "3")).text == 'The customer presses "Way 2"'
    assert position_words(run).text == 'waiting for an answer at "Ask"'


@pytest.mark.slow
def test_lengths_are_told_to_the_second_where_they_are_short() -> None:
    assert [duration(each) for each in (0, 45, 90, 7200)] == ["0 s", "45 s", "1 min 30 s", "2 h"]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    given_workflows=st.tuples(workflows("one"), workflows("two"), workflows("three")),
    steps=st.lists(STEPS, max_size=6),
    width=st.integers(1, 90),
)
def test_lines_of_any_run_fit_and_hold_no_controls(
    given_workflows: tuple[Json, ...], steps: list[ScriptStep], width: int
) -> None:
    graphs = {each["id"]: read_graph(each) for each in given_workflows}
    run = dry_run(graphs, "one", steps, Circumstances(NIGHT, {}))
    told = [*transcript(run, ASCII), *status_lines(run, ASCII)]
    for line in transcript_lines(told, width, current=told[0] if told else None):
        text = "".join(part.text.text for part in line)
        assert cell_width(text) <= width
        assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)
    assert position_words(run)
    for typed in ("", "1", "x", "+2h"):
        assert step_words(run, interpret(run, typed))
