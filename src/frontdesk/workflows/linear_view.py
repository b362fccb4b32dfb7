"""Workflows and AI agents as plain sentences, for people who hear a screen; `app.linear_sentences` has the rest.

Called by the linear mode.
"""

from collections.abc import Sequence

from frontdesk.ai_agents import view as agent_view
from frontdesk.ai_agents.token_growth import growth_words
from frontdesk.app.linear_sentences import joined, said
from frontdesk.config.render_context import RenderContext
from frontdesk.storage import json_access
from frontdesk.storage.records import AiAgentListing, DocumentRecord, TokenSample
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.spoken_time import counted, moment
from frontdesk.workflows.models import WorkflowRecord

_ACTIVE = {True: "active", False: "inactive", None: "not said whether it is active"}


def workflow(record: WorkflowRecord, view: RenderContext) -> SafeText:
    """A workflow of a list: name, whether it is active, what starts it, on which line, how often it ran."""
    line = view.names.line(record.line_id) if record.line_id else ""
    ran = "" if record.executions is None else f"ran {counted(record.executions, 'time')}"
    last = record.last_execution
    return joined(
        [
            said(record.name or record.workflow_id, 80),
            _ACTIVE[record.is_active],
            said(f"trigger {record.trigger_type}" if record.trigger_type else "", 60),
            said(f"line {line}" if line else "", 60),
            ran,
            "" if last is None else f"last {moment(last, view.now, view.zone)}",
        ]
    )


def workflow_facts(record: WorkflowRecord, view: RenderContext) -> list[SafeText]:
    """One workflow with its counters, which the plan may lack."""
    facts = [workflow(record, view), joined(["Analytics", _analytics(record)])]
    if record.last_modified is not None:
        facts.append(trusted(f"Changed {moment(record.last_modified, view.now, view.zone)}."))
    if record.is_stale:
        facts.append(trusted("It was changed since its whole document was read."))
    return facts


def ai_agent(record: DocumentRecord, view: RenderContext) -> SafeText:  # noqa: ARG001 - as every row of a list
    """An AI agent of a list: name, whether it is active, tokens used, what it is for."""
    active, tokens = record.raw.get("isActive"), json_access.number(record.raw.get("tokensUsed"))
    return joined(
        [
            said(agent_view.name_of(record), 80),
            _ACTIVE[active if isinstance(active, bool) else None],
            "" if tokens is None else f"{counted(tokens, 'token')} used",
            said(json_access.text(record.raw.get("description")), 160),
        ]
    )


def ai_agent_facts(
    record: DocumentRecord, samples: Sequence[TokenSample], listing: AiAgentListing, view: RenderContext
) -> list[SafeText]:
    """One AI agent: how its tokens grew, its files and its roles."""
    grew = growth_words(samples, listing.read_at, view)
    roles = agent_view.role_names(record.raw)
    return [
        ai_agent(record, view),
        trusted(agent_view.NO_PERSON),
        *([trusted(f"Tokens {grew}.")] if grew else []),
        joined([f"Files: {said(agent_view.files_words(record.raw, listing.lacks), 200).text}"]),
        *([joined([counted(len(roles), "role"), *(said(each, 60) for each in roles)])] if roles else []),
    ]


def _analytics(record: WorkflowRecord) -> str:
    counts = (("started", record.started), ("completed", record.completed), ("dropped", record.dropped))
    parts = [f"{number:,.0f} {word}" for word, number in counts if number is not None]
    return ", ".join(parts) or str(record.analytics)
