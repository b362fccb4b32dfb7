"""Who takes part in a thread: the names of its customer, agents and machines."""

from typing import NamedTuple

from frontdesk.config.render_context import AGENT
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.storage.records import ConversationRecord, Json
from frontdesk_api import json_access
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, show_name, trusted, visible_name
from frontdesk_lines.lines import Role
from frontdesk_lines.privacy import is_private

WHO = 10
"""Cells of a sender's name."""

INITIATOR_WORDS = {"bot": "bot", "campaign": "campaign", "ai": "AI"}


class Parties(NamedTuple):
    """The names of a thread's participants; `customer_ids` and `line_ids` are how messages refer to them.

    Attributes:
        conversation_id: by which the customer has an alias while privacy is on.
    """

    customer: str = ""
    customer_ids: frozenset[str] = frozenset()
    line_ids: frozenset[str] = frozenset()
    conversation_id: str = ""

    def shown_customer(self, raw: Json, limit: int) -> SafeText:
        """Return the customer's name, else the number from which this message came."""
        name = self.customer or json_access.text(raw.get("sender"))
        key = self.conversation_id or self.customer
        return show_name(name, limit, kind=CUSTOMER, key=key) if name else trusted("customer")

    def name(self, each: str) -> str:
        """Return the name of a participant; an unknown id is returned as it is."""
        if each in self.customer_ids:
            return self.customer or each
        return "us" if each in self.line_ids else each


def parties_of(record: ConversationRecord | None) -> Parties:
    if record is None:
        return Parties()
    return Parties(
        customer=record.name or record.number,
        customer_ids=frozenset(filter(None, (json_access.text(record.customer_id), record.number))),
        line_ids=frozenset(filter(None, (json_access.text(record.line_id),))),
        conversation_id=record.conversation_id,
    )


def sender_name(raw: Json, parties: Parties) -> tuple[SafeText, Role]:
    direction = raw.get("messageDirection")
    if direction == "incoming":
        return _short(parties.shown_customer(raw, 40)), Role.CUSTOMER
    initiator = json_access.text(raw.get("initiator"))
    if initiator == "person":
        return _short(shown_agent(raw, 40) or trusted("agent")), Role.AGENT
    if direction != "outgoing":
        name = initiator or parties.name(json_access.text(raw.get("sender")))
        return _short(show_line(name, 40) or trusted("unknown")), Role.DIM
    words = INITIATOR_WORDS.get(initiator, "" if initiator else "outgoing")
    return trusted(words) if words else show_line(initiator, 20), Role.BOT


def agent_name(raw: Json) -> str:
    agent = json_access.mapping(raw.get("agentIdentification"))
    return visible_name(json_access.text(agent.get("name")), json_access.text(agent.get("email")))


def shown_agent(raw: Json, limit: int) -> SafeText:
    name = agent_name(raw)
    return show_name(name, limit, kind=AGENT, key=name) if name else NOTHING


def _short(name: SafeText) -> SafeText:
    if cell_width(name.text) <= WHO:
        return name
    first, _, rest = name.text.partition(" ")
    return trusted(f"{first[:4]}. {rest}") if is_private() else SafeText(first, name.was_sanitized)
