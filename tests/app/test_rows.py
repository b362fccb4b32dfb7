"""Rows of every feature have exactly the cells that they were asked for, whatever they show."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.activity import view as activity_view
from frontdesk.activity.targets import ChangeTarget
from frontdesk.activity.view import Entry
from frontdesk.ai_agents import view as agent_view
from frontdesk.campaigns.models import CampaignHistory
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import measure_throughput
from frontdesk.campaigns.view import row as campaign_row
from frontdesk.config.facts import lines as draw_facts
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.view import conversation_row
from frontdesk.outbox import change_view
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage.records import AiAgentListing, ChangeKind, ChangeState
from frontdesk.tasks import view as task_card
from frontdesk.workflows.view import row as workflow_row
from frontdesk_api.contract.ids import TagId
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Line, width_of
from sample_records import (
    AI_AGENTS,
    BROKEN,
    CAMPAIGNS,
    CHANGES,
    CONVERSATIONS,
    PLAIN_VIEW,
    SAMPLES,
    TASKS,
    TEXTS,
    TIMES,
    VIEW,
    WIDTHS,
    WORKFLOW_RECORDS,
    WORKFLOWS,
    assert_harmless,
    words,
)

Draw = Callable[[Any, int, RenderContext], tuple[Line, ...]]


def campaign_reading(history: CampaignHistory, view: RenderContext) -> CampaignReading:
    return CampaignReading(history, measure_throughput(history, view.now), ())


ROWS: dict[str, tuple[st.SearchStrategy[Any], Draw, int | None]] = {
    "conversations.row": (CONVERSATIONS, lambda it, width, view: conversation_row.row(it, width, view), 2),
    "conversations.compact_row": (
        CONVERSATIONS,
        lambda it, width, view: conversation_row.compact_row(it, width, view),
        1,
    ),
    "conversations.compact_row of a filtered list": (
        CONVERSATIONS,
        lambda it, width, view: conversation_row.compact_row(
            it, width, view, conversation_row.RowFacts(words=f"{it.name[:3]} {it.preview[:4]}", names_line=True)
        ),
        1,
    ),
    "conversations.row of a filtered list": (
        CONVERSATIONS,
        lambda it, width, view: conversation_row.row(
            it, width, view, conversation_row.RowFacts(words=f"{it.name[:3]} {it.preview[:4]}", names_line=True)
        ),
        2,
    ),
    "conversations.task_row": (TASKS, lambda it, width, view: conversation_row.task_row(it, width, view), 3),
    "conversations.task_row with its text": (
        TASKS,
        lambda it, width, view: conversation_row.task_row(it, width, view, 3),
        6,
    ),
    "conversations.customer_facts": (
        CONVERSATIONS,
        lambda it, width, view: draw_facts(
            conversation_row.customer_facts(it, view), width, view, conversation_row.LABEL_CELLS
        ),
        None,
    ),
    "change_view.added_tags": (
        st.lists(st.tuples(TEXTS.map(TagId), TIMES.map(lambda at: at or 0.0), st.sampled_from(ChangeState))),
        lambda it, width, view: change_view.added_tags(it, width, view),
        None,
    ),
    "cards.card": (TASKS, lambda it, width, view: task_card.card(it, width, view), task_card.CARD_HEIGHT),
    "campaigns.row": (
        st.tuples(CAMPAIGNS, SAMPLES),
        lambda it, width, view: campaign_row.row(campaign_reading(CampaignHistory(*it), view), width, view),
        campaign_row.HEIGHT,
    ),
    "campaigns.detail": (
        st.tuples(CAMPAIGNS, SAMPLES),
        lambda it, width, view: draw_facts(
            campaign_row.about(CampaignHistory(*it), view), width, view, campaign_row.LABEL_CELLS
        ),
        None,
    ),
    "activity.row": (
        st.tuples(CHANGES, TEXTS),
        lambda it, width, view: activity_view.row(
            Entry("1", (it[0],)), CHANGE_VIEWS, [ChangeTarget(show_line(it[1], 60))], width, view
        ),
        activity_view.HEIGHT,
    ),
    "activity.bulk_row": (
        st.tuples(st.lists(CHANGES, min_size=2, max_size=4), TEXTS),
        lambda it, width, view: activity_view.row(
            Entry("1", tuple(it[0])), CHANGE_VIEWS, [ChangeTarget(show_line(it[1], 60))], width, view
        ),
        activity_view.HEIGHT,
    ),
    "activity.facts": (
        st.tuples(CHANGES, TEXTS),
        lambda it, width, view: draw_facts(
            activity_view.about(it[0], CHANGE_VIEWS[ChangeKind.TASK], ChangeTarget(show_line(it[1], 60)), view),
            width,
            view,
            change_view.LABEL_CELLS,
        ),
        None,
    ),
    "activity.broken_row": (
        BROKEN,
        lambda it, width, view: activity_view.invalid_item_row(it, width, view),
        activity_view.HEIGHT,
    ),
    "activity.broken_facts": (
        BROKEN,
        lambda it, width, view: draw_facts(activity_view.about_invalid_item(it), width, view, 8),
        None,
    ),
    "workflow_list.row": (
        st.tuples(WORKFLOW_RECORDS, st.none() | st.builds(workflow_row.Problems, st.integers(0), st.integers(0))),
        lambda it, width, view: workflow_row.row(it[0], it[1], width, view),
        workflow_row.HEIGHT,
    ),
    "workflow_list.facts": (
        WORKFLOW_RECORDS,
        lambda it, width, view: draw_facts(workflow_row.about(it, view), width, view, workflow_row.LABEL_CELLS),
        None,
    ),
    "documents.listed_facts": (
        WORKFLOWS,
        lambda it, width, view: draw_facts(
            workflow_row.listed_facts(it, view), width, view, workflow_row.LABEL_CELLS
        ),
        None,
    ),
    "ai_agents.row": (
        AI_AGENTS,
        agent_view.row,
        agent_view.HEIGHT,
    ),
    "ai_agents.detail": (
        st.tuples(AI_AGENTS, TEXTS, TIMES),
        lambda it, width, view: draw_facts(
            agent_view.about(it[0], AiAgentListing((it[0],), it[2], it[1])),
            width,
            view,
            agent_view.LABEL_CELLS,
        ),
        None,
    ),
}


def assert_fills(lines: tuple[Line, ...], width: int) -> None:
    for line in lines:
        # An empty line parts two blocks of facts: the widget paints it.
        if line:
            assert width_of(line) == width, words(line)


@pytest.mark.slow
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
