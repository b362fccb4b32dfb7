"""Two threads and three tasks, as a desk's store has them."""

from typing import Any

from frontdesk.inbox.store import conversations, threads
from frontdesk.storage import clients, coverage
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import ConversationId
from sample_json import raw_message, raw_task

NOW = 1_790_000_000.0
"""21 September 2026, 14:13 UTC."""

MINUTE = 60.0


def message(number: int, minutes_ago: float, **fields: Any) -> dict[str, Any]:
    return raw_message(number, **fields) | {"createdAt": (NOW - MINUTE * minutes_ago) * 1000}


def person(name: str) -> dict[str, Any]:
    return {"messageDirection": "outgoing", "initiator": "person", "agentIdentification": {"name": name}}


def fill(store: Store) -> None:
    threads_found = {
        "L1#C1": [
            message(3, 70, **person("Marta")),
            message(2, 90),
            message(1, 100),
        ],
        "L1#C2": [message(5, 10, messageDirection="outgoing", initiator="bot"), message(4, 1500)],
    }
    seen = [raw_task(1), raw_task(2, assignedAgentIds=["a1"]), raw_task(3, participantsIdentifiers="L1#C2")]
    created = [raw | {"createdAt": NOW - 3600, "updatedAt": NOW - 3600} for raw in seen]
    closed = [created[0] | {"statusCase": "completed", "updatedAt": NOW - 1750}]

    def put(db: Any) -> None:
        task_store.put(db, created, Seen(NOW - 3000, NOW - 2999))
        task_store.put(db, closed, Seen(NOW - 1700, NOW - 1699, {"t1": NOW - 1800}))
        db.execute("UPDATE outbox.task_history_start SET at = ?", (NOW - 86_400 * 2,))
        for name, page in threads_found.items():
            conversations.add_by_pair(db, name, "L1", name.partition("#")[2])
            threads.put_page(db, ConversationId(name), page, start=None, has_more=False, now=NOW)
        coverage.note_listed(db)
        clients.write_health(db, Health(Connection.LIVE, since=NOW, fresh_at=NOW - 5, heard_at=NOW))

    store.write(put).result()
