"""The linear mode's AI agents: the list, and one of them."""

from frontdesk.ai_agents.view import AI_AGENTS, name_of
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.record_lists import order_help, print_records, type_of
from frontdesk.linear.sentences import ACTIVE, inline_text, join_sentence
from frontdesk.linear.session import Session
from frontdesk.storage.records import DocumentRecord
from frontdesk_api import json_access
from frontdesk_lines.display_text import SafeText, counted


def ai_agents(session: Session, words: str) -> None:
    session.report_focus_soon("agents")
    print_records(session, words, AI_AGENTS, ai_agent)


def ai_agent(record: DocumentRecord, view: RenderContext) -> SafeText:  # noqa: ARG001 - as every row of a list
    active, tokens = record.raw.get("isActive"), json_access.number(record.raw.get("tokensUsed"))
    return join_sentence(
        [
            inline_text(name_of(record), 80),
            ACTIVE[active if isinstance(active, bool) else None],
            "" if tokens is None else f"{counted(tokens, 'token')} used",
            inline_text(json_access.text(record.raw.get("description")), 160),
        ]
    )


TYPE = type_of(AI_AGENTS)


COMMANDS = (
    Command(
        "list.agents", ai_agents, "agents", "[by ORDER]", LISTS, "List the AI agents", (order_help(AI_AGENTS),)
    ),
)
