"""The linear mode's AI agents: the list, and one of them."""

from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents import view as agent_view
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.line_parser import find_choice
from frontdesk.linear.sentences import ACTIVE, MORE_IN_RAW, inline_text, join_sentence, speak
from frontdesk.linear.session import ListKind, PrintedList, Session, make_record_type
from frontdesk.storage import json_access, record_lookup
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.display_text import SafeText, counted


def ai_agents(session: Session, words: str) -> None:
    """`agents`: the AI agents, by an order."""
    session.report_focus_soon("agents")
    records = record_lookup.all_of(session.db, record_lookup.AI_AGENT)
    if words:
        order = agent_view.AgentOrder(find_choice(words.removeprefix("by ").strip(), [*agent_view.AgentOrder]))
        records = agent_view.in_order(records, order)
    found = {each.document_id: each for each in records}
    listing = PrintedList(ListKind.AI_AGENT, tuple(found), lambda key: ai_agent(found[key], session.view()))
    was_read = agent_store.listing(session.db).read_at is not None
    empty = "No AI agents." if was_read else "No AI agents loaded yet."
    session.print_list(listing, "AI agents", "", [empty])


def ai_agent(record: DocumentRecord, view: RenderContext) -> SafeText:  # noqa: ARG001 - as every row of a list
    """Word an AI agent as a row of a list."""
    active, tokens = record.raw.get("isActive"), json_access.number(record.raw.get("tokensUsed"))
    return join_sentence(
        [
            inline_text(agent_view.name_of(record), 80),
            ACTIVE[active if isinstance(active, bool) else None],
            "" if tokens is None else f"{counted(tokens, 'token')} used",
            inline_text(json_access.text(record.raw.get("description")), 160),
        ]
    )


def _record(session: Session, key: str) -> DocumentRecord | None:
    return next((each for each in agent_store.listing(session.db).records if each.document_id == key), None)


def _facts(session: Session, record: DocumentRecord) -> list[SafeText]:
    listing, view = agent_store.listing(session.db), session.view()
    grew = agent_view.growth_words(agent_store.samples(session.db, record.document_id), listing.read_at, view)
    return [*speak(agent_view.about(record, listing, grew), view), MORE_IN_RAW]


_ORDERS = f"ORDER is {', '.join([*agent_view.AgentOrder][:-1])} or {[*agent_view.AgentOrder][-1]}."

TYPE = make_record_type(_record, _facts, "This AI agent is no longer listed.")


COMMANDS = (Command("list.agents", ai_agents, "agents", "[by ORDER]", LISTS, "List the AI agents", (_ORDERS,)),)
