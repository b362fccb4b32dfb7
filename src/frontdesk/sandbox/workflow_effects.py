"""Effects of workflow nodes in the sandbox: messages into the thread, tags, tasks, opting out.

Nothing here is random: what has to be made up comes from a hash that the caller gives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from frontdesk.sandbox.dialogues import LANGUAGES
from frontdesk.sandbox.fixtures import AGENTS
from frontdesk.sandbox.responses import encode
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.task_rows import insert_task, new_task, update_task_row
from frontdesk.sandbox.threads import (
    Conversation,
    customer_variables,
    find_customer_name,
    insert_message,
    make_message,
    message_id,
    set_opted_out,
)
from frontdesk.workflow_runtime.node_actions import Effect

FIRST_MESSAGE_DELAY_MS, MESSAGE_INTERVAL_MS = 400, 900
"""Never in the moment of the customer's own words: what answers them stands below them."""

MAX_TIME_MS = 253_402_214_400_000
"""The end of the year 9999, after which there is no calendar."""

FOUND_SHARE = 88
"""Of a hundred look-ups that a workflow makes over HTTP, so many find something."""


class Variables(Mapping[str, Any]):
    """The values of a node's placeholders at this moment, looked up only when a node asks."""

    def __init__(self, storage: Storage, where: Conversation, at: int, text: str, fate: Callable[[], int]) -> None:
        self._storage, self._where, self._at, self._text, self._fate = storage, where, at, text, fate

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @cached_property
    def _values(self) -> dict[str, Any]:
        fate = self._fate()
        moment = datetime.fromtimestamp(min(self._at, MAX_TIME_MS) / 1000, UTC)
        return {
            **customer_variables(self._where.customer, find_customer_name(self._storage, self._where)),
            "message": self._text,
            "now.hour": moment.hour,
            "now.day": f"{moment:%A}",
            "order": 10_000 + fate % 9_000,
            "lookup.status": 200 if fate % 100 < FOUND_SHARE else 404,
            "lookup.day": f"{moment.replace(day=1 + fate % 28):%A}",
            "lookup.window": ("8:00 and 11:00", "11:00 and 14:00", "14:00 and 18:00")[fate % 3],
        }


def apply_effects(storage: Storage, where: Conversation, effects: Sequence[Effect], at: int, fate: int) -> None:
    """Carry out the effects of one move in order, a little time apart."""
    for position, effect in enumerate(effects):
        moment = at + FIRST_MESSAGE_DELAY_MS + MESSAGE_INTERVAL_MS * position
        if effect.kind in ("message", "ai"):
            _send_message(storage, where, effect, moment)
        elif effect.kind == "assignTags":
            _assign_tags(storage, where, effect.data.get("tagIds"))
        elif effect.kind == "task":
            _make_task(storage, where, effect, moment)
        elif effect.kind == "assignAgent":
            _assign_agent(storage, where, effect, moment, fate)
        elif effect.kind == "updateCustomer" and effect.data.get("field") == "optedOut":
            set_opted_out(storage, where, is_out=effect.data.get("value") is True)


def _send_message(storage: Storage, where: Conversation, effect: Effect, at: int) -> None:
    row = storage.row(
        "SELECT platform, language FROM lines LEFT JOIN conversations USING (account, line) "
        "WHERE account=? AND line=? AND customer=?",
        *where,
    )
    platform, language = row or ("whatsapp", None)
    is_ai = effect.kind == "ai"
    text = effect.text or (LANGUAGES.get(language or "en", LANGUAGES["en"]).ai_reply if is_ai else "")
    message = make_message(
        where,
        platform=platform,
        incoming=False,
        text="\n".join([text, *(f"• {each}" for each in effect.choices)]),
        at_ms=at,
        identity=message_id("workflow", *where, effect.workflow_id, effect.node_id, at),
    )
    message |= {"initiator": "ai" if is_ai else "bot", "creationPlatform": "aiAgent" if is_ai else "workflow"}
    insert_message(storage, where, message | {"status": "delivered"})


def _assign_tags(storage: Storage, where: Conversation, tags: object) -> None:
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, str) and storage.exists("tags", account=where.account, tag=tag):
            values = (where.account, tag, where.line, where.customer)
            storage.run("INSERT OR IGNORE INTO conversation_tags VALUES(?,?,?,?)", *values)


def _make_task(storage: Storage, where: Conversation, effect: Effect, at: int) -> None:
    seconds = at // 1000
    hours = effect.data.get("dueInHours")
    due = seconds + int(hours * 3600) if isinstance(hours, int | float) and 0 < hours < 10_000 else 0
    identity = "task_" + message_id("workflow task", *where, effect.node_id, at)[4:]
    about = {
        "title": effect.text or "Check this conversation",
        "unreadCount": 1,
        "dueDate": due,
        "participantsIdentifiers": f"{where.line}#{where.customer}",
        "phoneNumberId": where.line,
        "customer": {
            "phoneNumberId": where.customer,
            "customerName": find_customer_name(storage, where) or where.customer,
            "lastActiveAt": at,
        },
    }
    insert_task(storage, where.account, new_task(where.account, identity, seconds) | about)


def _assign_agent(storage: Storage, where: Conversation, effect: Effect, at: int, fate: int) -> None:
    """Assign the customer's unassigned tasks to an agent."""
    agent = AGENTS[fate % len(AGENTS)]
    person = {"name": "Workflow", "email": f"{effect.workflow_id}@workflows.example"}
    for task_id, assigned in storage.rows(
        "SELECT task_id, assigned FROM tasks WHERE account=? AND line_of=? AND customer_of=?", *where
    ):
        if assigned == encode([]):
            update_task_row(storage, where.account, task_id, {"assignedAgentIds": [agent.id]}, person, at // 1000)
