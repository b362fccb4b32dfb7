"""Rows of every feature have exactly the cells that they were asked for; the board's filter as text."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.activity import view as activity_view
from frontdesk.ai_agents import view as agent_view
from frontdesk.api.contract.ids import MessageId, TagId
from frontdesk.app.registries import CHANGE_VIEWS
from frontdesk.campaigns.view import row as campaign_row
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view import conversation_row, thread
from frontdesk.inbox.view import message as inbox_message
from frontdesk.outbox import change_view
from frontdesk.storage.records import AiAgentListing, Change, ChangeKind, ChangeState, MessagePosition
from frontdesk.tasks import view as task_card
from frontdesk.tasks.task_filter import FilterProgress, TaskField, TaskFilter, TaskTerm
from frontdesk.tasks.view import filter_line, progress_lines
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Line, fit, paragraph, span, width_of
from frontdesk.workflows.checks.models import References
from frontdesk.workflows.checks.run import ListedChecks
from frontdesk.workflows.view import row as workflow_row
from sample_records import (
    AI_AGENTS,
    BROKEN,
    CAMPAIGNS,
    CHANGES,
    CONVERSATIONS,
    MESSAGES,
    NASTY,
    NOW,
    PLAIN_VIEW,
    SAMPLES,
    TASKS,
    TEXTS,
    TIMES,
    TOKENS,
    VIEW,
    WIDTHS,
    WORKFLOW_RECORDS,
    WORKFLOWS,
    assert_harmless,
    words,
)

WIDEST_MARGINS = 31
"""What stands beside a message's text at most: two margins, and twelve wide letters of an unknown status."""
MARGINS = 8
"""The same with a status that has a sign."""

Draw = Callable[[Any, int, RenderContext], tuple[Line, ...]]

ROWS: dict[str, tuple[st.SearchStrategy[Any], Draw, int | None]] = {
    "conversations.row": (CONVERSATIONS, lambda it, width, view: conversation_row.row(it, width, view), 2),
    "conversations.task_row": (TASKS, lambda it, width, view: conversation_row.task_row(it, width, view), 3),
    "conversations.customer_facts": (
        CONVERSATIONS,
        lambda it, width, view: conversation_row.customer_facts(it, width, view),
        None,
    ),
    "change_view.tags_given": (
        st.lists(st.tuples(TEXTS.map(TagId), TIMES.map(lambda at: at or 0.0), st.sampled_from(ChangeState))),
        lambda it, width, view: change_view.tags_given(it, width, view),
        None,
    ),
    "cards.card": (TASKS, lambda it, width, view: task_card.card(it, width, view), task_card.CARD_HEIGHT),
    "campaigns.row": (
        st.tuples(CAMPAIGNS, SAMPLES),
        lambda it, width, view: campaign_row.row(it[0], it[1], width, view),
        campaign_row.HEIGHT,
    ),
    "campaigns.detail": (
        st.tuples(CAMPAIGNS, SAMPLES),
        lambda it, width, view: campaign_row.detail(it[0], it[1], width, view),
        None,
    ),
    "activity.row": (
        st.tuples(CHANGES, TEXTS),
        lambda it, width, view: activity_view.row(
            it[0], CHANGE_VIEWS[ChangeKind.TASK], show_line(it[1], 60), width, view
        ),
        activity_view.HEIGHT,
    ),
    "activity.facts": (
        st.tuples(CHANGES, TEXTS),
        lambda it, width, view: activity_view.facts(
            it[0], CHANGE_VIEWS[ChangeKind.TASK], show_line(it[1], 60), width, view
        ),
        None,
    ),
    "activity.broken_row": (
        BROKEN,
        lambda it, width, view: activity_view.invalid_item_row(it, width, view),
        activity_view.HEIGHT,
    ),
    "activity.broken_facts": (BROKEN, lambda it, width, view: activity_view.invalid_item_lines(it, width), None),
    "workflow_list.row": (
        st.tuples(WORKFLOW_RECORDS, st.none() | st.builds(workflow_row.Problems, st.integers(0), st.integers(0))),
        lambda it, width, view: workflow_row.row(it[0], it[1], width, view),
        workflow_row.HEIGHT,
    ),
    "workflow_list.facts": (
        WORKFLOW_RECORDS,
        lambda it, width, view: workflow_row.facts(it, width, view, None),
        None,
    ),
    "documents.workflow_facts": (
        WORKFLOWS,
        lambda it, width, view: workflow_row.workflow_facts(
            it, width, view, ListedChecks(lambda _raw: References()).of(it.document_id, it.raw)
        ),
        None,
    ),
    "ai_agents.row": (
        st.tuples(AI_AGENTS, TOKENS),
        lambda it, width, view: agent_view.row(it[0], it[1], NOW, width, view),
        agent_view.HEIGHT,
    ),
    "ai_agents.detail": (
        st.tuples(AI_AGENTS, TOKENS, TEXTS, TIMES),
        lambda it, width, view: agent_view.detail(
            it[0], it[1], AiAgentListing((it[0],), it[3], it[2]), width, view
        ),
        None,
    ),
}


def assert_fills(lines: tuple[Line, ...], width: int) -> None:
    for line in lines:
        # An empty line parts two blocks of facts: the widget paints it.
        if line:
            assert width_of(line) == width, words(line)


@pytest.mark.parametrize("name", ROWS)
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_row_is_exactly_as_wide_as_asked_and_harmless(name: str, data: st.DataObject) -> None:
    """Width by grapheme, no control character, bidi override or surrogate."""
    records, draw, height = ROWS[name]
    record, width = data.draw(records), data.draw(WIDTHS)
    view = data.draw(st.sampled_from([VIEW, PLAIN_VIEW]))
    lines = draw(record, width, view)
    assert_fills(lines, width)
    assert_harmless(lines)
    if height is not None:
        assert len(lines) == height
    else:
        assert lines or name == "conversations.customer_facts"


def lay_message(
    raw: dict[str, Any], width: int, *, opens: bool = True, at: float = NOW, highlighted: str = ""
) -> tuple[Line, ...]:
    record = MessageRecord(MessagePosition(at, MessageId("m1")), raw)
    answered = inbox_message.answered_id(raw)
    answers = MessageRecord(MessagePosition(at, MessageId("m0")), {"message": NASTY[0]}) if answered else None
    entry = inbox_message.MessageEntry(record, opens, answered, answers)
    told = inbox_message.MessageRenderer(inbox_message.Parties(NASTY[8], frozenset({"C1"})), highlighted)
    return thread.entry_lines(entry, width, VIEW, told)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES, st.booleans(), TIMES, st.integers(WIDEST_MARGINS, 200))
def test_any_message_fills_its_lines_and_is_harmless(
    raw: dict[str, Any], opens: bool, at: float | None, width: int
) -> None:
    lines = lay_message(raw, width, opens=opens, at=at or 0.0)
    assert lines
    assert_fills(lines, width)
    assert_harmless(lines)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES, st.sampled_from(["", "sent", "read", "failed", "pending"]), st.integers(MARGINS, WIDEST_MARGINS))
def test_a_message_of_a_known_status_fills_narrow_lines_too(raw: dict[str, Any], status: str, width: int) -> None:
    assert_fills(lay_message(raw | {"status": status}, width), width)


@pytest.mark.parametrize("width", range(1, MARGINS))
def test_a_message_fills_the_narrowest_lines(width: int) -> None:
    assert_fills(lay_message({"messageDirection": "outgoing", "status": "read", "message": "hello"}, width), width)


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2), st.integers(0, 200))
def test_fit_makes_a_line_of_any_spans(left: list[str], right: list[str], width: int) -> None:
    line = fit([span(show_line(each)) for each in left], width, [span(show_line(each)) for each in right])
    assert width_of(line) == width


@settings(deadline=None, max_examples=100)
@given(TEXTS, WIDTHS)
def test_every_line_of_a_paragraph_is_filled(text: str, width: int) -> None:
    for line in paragraph(show_line(text), width):
        assert width_of(line) == width


def test_what_does_not_fit_is_cut_with_a_sign_and_the_right_edge_stays() -> None:
    assert words(fit([span("a long name")], 10, [span("09:12")])) == "a l… 09:12"
    assert words(fit([span("a long name")], 3, [span("09:12")])) == "09…"


def test_right_to_left_text_is_cut_at_its_end_and_then_laid_out() -> None:
    """The first letters stay, and stand at the right of what is painted."""
    assert words(fit([span("שלום עולם")], 6)) == "…" + "שלום "[::-1]


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 21, 45, 46, 47, 80, 200])
@pytest.mark.parametrize("entry", ["day", "gap", "start", "beginning"])
def test_lines_between_messages_fill_every_width(entry: str, width: int) -> None:
    key = MessagePosition(NOW * 1000, MessageId("m1"))
    made: dict[str, thread.Entry] = {
        "day": thread.DayEntry("d", NOW),
        "gap": thread.GapEntry("g", key, is_start=False),
        "start": thread.GapEntry("g", key, is_start=True),
        "beginning": thread.BeginningEntry("b"),
    }
    (line,) = thread.entry_lines(made[entry], width, VIEW, {})
    assert width_of(line) == width


def change(state: ChangeState, reason: str = "") -> Change:
    return Change(1, "b", ChangeKind.TASK, "t1", {}, {}, "Status: Completed", state, NOW, NOW + 1, reason=reason)


def state_line(each: Change) -> str:
    return words(activity_view.row(each, CHANGE_VIEWS[each.kind], show_line("Late delivery"), 120, VIEW)[1])


def test_every_state_of_a_change_has_words_of_its_own() -> None:
    assert len({state_line(change(state)) for state in ChangeState}) == len(ChangeState)


def test_what_could_have_gone_by_now_is_held_no_more() -> None:
    stuck = replace(change(ChangeState.HELD), send_after=NOW - 30)
    assert "waits to be sent" in state_line(stuck)


@pytest.mark.parametrize("state", ChangeState)
def test_a_change_that_needs_a_person_says_which_keys_decide(state: ChangeState) -> None:
    below = state_line(change(state, "someone else changed it"))
    assert ("r sends yours again · x drops it" in below) == (state in (ChangeState.CONFLICT, ChangeState.REFUSED))
    assert "someone else changed it" in below


LINE = TaskFilter((TaskTerm(TaskField.LINE, "L1"),))
WORDS = TaskFilter((TaskTerm(TaskField.WORDS, "late"), TaskTerm(TaskField.LINE, "L1", is_not=True)))


@pytest.mark.parametrize(
    ("wanted", "stood", "words", "short"),
    [
        (WORDS, None, "12 of the tasks known here", "12 known"),
        (LINE, None, "the platform is asked; 12 known so far", "12 so far"),
        (LINE, FilterProgress(), "the platform is asked for more; 12 known so far", "12 so far"),
        (LINE, FilterProgress(problem="no\x1b[2J"), "12 known here; the platform refused: no␛[2J", "refused"),
        (LINE, FilterProgress(complete=True), "12 tasks", "12"),
    ],
)
def test_whether_all_is_known_is_said(
    wanted: TaskFilter, stood: FilterProgress | None, words: str, short: str
) -> None:
    found = progress_lines(wanted, stood, 12)
    assert ["".join(part.text.text for part in line) for line in found] == [words, short]


def test_what_can_not_be_asked_for_stands_beside_what_is() -> None:
    wanted = TaskFilter((TaskTerm(TaskField.OVERDUE, "overdue", is_not=True),), ("tag: is not one of \x1b",))
    said = "".join(part.text.text for part in filter_line(wanted, VIEW))
    assert said.startswith("not is overdue")
    assert said.endswith("tag: is not one of ␛")
