"""Executions of workflows: triggers, answers, waits that end, effects of nodes, and what is counted of them.

Called in the caller's transaction. At most one execution a conversation; it is a row from its first wait to its
end, so that a restart loses nobody. Nothing here is random: what has to be made up comes from a hash that the
caller gives. A workflow's document holds none of the counts, so counting never makes its lastModified stale.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from frontdesk_flows.execution import Count, Execution, ExecutionStep, Runner
from frontdesk_flows.graph import ON_BEGINNING, ON_MESSAGE, ON_TAG, Effect, Graph, read_graph
from frontdesk_sandbox.dialogues import LANGUAGES
from frontdesk_sandbox.fixtures import AGENTS
from frontdesk_sandbox.graphs import empty_analytics, graph_ids
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.storage import (
    Conversation,
    Storage,
    customer_variables,
    find_customer_name,
    insert_message,
    insert_task,
    make_message,
    message_id,
    new_task,
    set_opted_out,
    update_task_row,
)

_TOTALS = {"started": "totalStarted", "completed": "totalCompleted", "dropped": "totalDropped"}
_NODE_COUNTS = {"entered": "enteredCount", "left": "completedCount", "exited": "exitedCount"}
EVER, LAST, UPDATED, RESET = "ever", "last", "updated", "reset"
"""Not analytics: executions ever, and the times (ms) of the last one, of the last count, of the last reset."""

_LIFETIME = (EVER, LAST)


def add_counts(storage: Storage, account: str, counts: Counter[Count], at_ms: int) -> None:
    """Add to the stored counts, in the caller's transaction."""
    rows = [
        (account, each.workflow_id, each.kind, each.about, each.target, number) for each, number in counts.items()
    ]
    for each, number in counts.items():
        if each.kind == "started":
            rows.append((account, each.workflow_id, EVER, "", "", number))
    storage.run_many(
        "INSERT INTO run_counts VALUES(?,?,?,?,?,?) ON CONFLICT DO UPDATE SET count=count+excluded.count", rows
    )
    moments = {each.workflow_id for each in counts}
    started = {each.workflow_id for each in counts if each.kind == "started"}
    for kind, touched in ((UPDATED, moments), (LAST, started)):
        storage.run_many(
            "INSERT INTO run_counts VALUES(?,?,?,'','',?) "
            "ON CONFLICT DO UPDATE SET count=max(count, excluded.count)",
            [(account, workflow, kind, at_ms) for workflow in sorted(touched)],
        )


def add_analytics(storage: Storage, account: str, workflow: dict[str, Any]) -> dict[str, Any]:
    found = storage.rows(
        "SELECT kind, about, target, count FROM run_counts WHERE account=? AND workflow=?", account, workflow["id"]
    )
    analytics = empty_analytics(workflow.get("created") or 0)
    exits = _exits(workflow)
    for kind, about, target, count in found:
        if kind in _TOTALS:
            analytics[_TOTALS[kind]] = count
        elif kind in _NODE_COUNTS:
            node = analytics["nodeStats"].setdefault(about, dict.fromkeys(_NODE_COUNTS.values(), 0))
            node[_NODE_COUNTS[kind]] = count
        elif kind == "traversed":
            analytics["edgeStats"][f"{about}->{target}"] = {
                "sourceNodeId": about,
                "targetNodeId": target,
                "sourceHandle": "out",
                "traversalCount": count,
            }
        elif kind == "clicked":
            label, parent, payload = exits.get(about, ("", "", about))
            analytics["buttonStats"][about] = {
                "subNodeId": about,
                "parentNodeId": parent,
                "label": label,
                "clickCount": count,
                "payload": payload,
            }
        elif kind == UPDATED:
            analytics["lastUpdated"] = count // 1000
    life = {kind: count for kind, _, _, count in found if kind in _LIFETIME}
    shown = {**workflow, "executionCount": life.get(EVER, 0), "analytics": analytics}
    if LAST in life:
        shown["lastExecution"] = life[LAST] // 1000
    return shown


def reset_counts(storage: Storage, account: str, workflow_id: str, at_ms: int) -> None:
    """Zero the analytics; the number of executions ever stays (rules 133, 134).

    Executions under way are not counted any more: else more could complete than was started.
    """
    storage.run(
        "DELETE FROM run_counts WHERE account=? AND workflow=? AND kind NOT IN (?, ?)",
        account,
        workflow_id,
        *_LIFETIME,
    )
    for kind in (UPDATED, RESET):
        storage.run("INSERT INTO run_counts VALUES(?,?,?,'','',?)", account, workflow_id, kind, at_ms)


def reset_at(storage: Storage, account: str, workflow_id: str) -> int:
    """Return the last reset of the analytics, Unix milliseconds; 0 for never."""
    row = storage.row(
        "SELECT count FROM run_counts WHERE account=? AND workflow=? AND kind=?", account, workflow_id, RESET
    )
    return int(row[0]) if row else 0


def prune_counts(storage: Storage, account: str, workflow: dict[str, Any]) -> None:
    """Delete the counts of nodes that left the graph (rules 143, 144)."""
    ids = graph_ids(workflow)
    gone = [
        (account, workflow["id"], kind, about, target)
        for kind, about, target in storage.rows(
            "SELECT kind, about, target FROM run_counts WHERE account=? AND workflow=? AND about<>''",
            account,
            workflow["id"],
        )
        if about not in ids or (target and target not in ids)
    ]
    storage.run_many(
        "DELETE FROM run_counts WHERE account=? AND workflow=? AND kind=? AND about=? AND target=?", gone
    )


def store_analytics(storage: Storage, account: str, workflow: dict[str, Any]) -> None:
    """Move the counts inside a document of the seed into rows."""
    analytics = workflow.pop("analytics", None) or {}
    identity = workflow["id"]
    rows: list[tuple[Any, ...]] = [
        (account, identity, kind, "", "", analytics.get(name, 0)) for kind, name in _TOTALS.items()
    ]
    rows += [
        (account, identity, kind, node, "", stats.get(name, 0))
        for node, stats in (analytics.get("nodeStats") or {}).items()
        for kind, name in _NODE_COUNTS.items()
    ]
    rows += [
        (account, identity, "traversed", edge["sourceNodeId"], edge["targetNodeId"], edge["traversalCount"])
        for edge in (analytics.get("edgeStats") or {}).values()
    ]
    rows += [
        (account, identity, "clicked", button, "", stats["clickCount"])
        for button, stats in (analytics.get("buttonStats") or {}).items()
    ]
    rows.append((account, identity, EVER, "", "", workflow.pop("executionCount", 0)))
    rows.append((account, identity, UPDATED, "", "", analytics.get("lastUpdated", 0) * 1000))
    last = workflow.pop("lastExecution", None)
    if last is not None:
        rows.append((account, identity, LAST, "", "", last * 1000))
    storage.run_many("INSERT OR REPLACE INTO run_counts VALUES(?,?,?,?,?,?)", rows)


def _exits(workflow: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    """Label, parent and payload of each sub-node."""
    found = {}
    for node in workflow.get("parsedData") or ():
        subs = node.get("subNodes") if isinstance(node, dict) else None
        for each in subs if isinstance(subs, list) else ():
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                data = each.get("data")
                payload = data.get("payload", each["id"]) if isinstance(data, dict) else each["id"]
                found[each["id"]] = (str(each.get("title") or ""), str(node.get("id") or ""), str(payload))
    return found


FIRST_MESSAGE_DELAY_MS, MESSAGE_INTERVAL_MS = 400, 900
"""Never in the moment of the customer's own words: what answers them stands below them."""

MAX_TIME_MS = 253_402_214_400_000
"""The end of the year 9999, after which there is no calendar."""

FOUND_SHARE = 88
"""The number of look-ups that find something, of a hundred that a workflow makes over HTTP."""


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


FRESH_AFTER_MS = 24 * 3_600_000
"""Silence after which a trigger without keywords begins: before that, somebody is taking care of it."""

MAX_QUEUED_AGE_MS = 60_000


@dataclass(frozen=True, slots=True)
class _LoadedWorkflow:
    """A workflow as the runtime needs it: its graph, its ids, and the last reset of its counts."""

    graph: Graph
    ids: frozenset[str]
    reset_ms: int


class WorkflowRuns:
    """All executions of one sandbox."""

    def __init__(self, storage: Storage, seed: int) -> None:
        self._storage = storage
        self._seed = seed
        self._known: dict[str, dict[str, _LoadedWorkflow]] = {}
        self._counted: dict[str, Counter[Count]] = {}
        self._counted_at = 0

    def invalidate(self, account: str) -> None:
        """Drop this account's cached workflows: they were changed."""
        self._known.pop(account, None)

    def reason_not_to_run(self, account: str, workflow_id: str) -> str | None:
        known = self._workflows(account).get(workflow_id)
        if known is None:
            return f"Workflow {workflow_id!r} doesn't exist."
        if not known.graph.is_active:
            return f"Workflow {workflow_id!r} isn't active."
        if not known.graph.runs:
            return f"Workflow {workflow_id!r} has nothing to run."
        if not known.graph.line_id and any(node.type == "whatsapp" for node in known.graph.nodes.values()):
            return f"Workflow {workflow_id!r} needs an associatedToBusinessId to send by WhatsApp."
        return None

    def begin(
        self, where: Conversation, workflow_id: str, at: int, *, text: str = "", is_opened: bool = False
    ) -> None:
        """Run a workflow for a customer; the one that they were in ends by that.

        Args:
            text: the customer's words that began it.
            is_opened: the graph's opening is in the thread already, as a campaign's message is.
        """
        self._abandon(where, at)
        runner = self._runner(where, at, at, text)
        move = runner.start(workflow_id)
        if move is None:
            return
        opening = self._workflows(where.account)[workflow_id].graph.opening if is_opened else None
        if opening is not None:
            # It comes before every branch, so everybody has got it.
            effects = [each for each in move.effects if (each.kind, each.node_id) != ("message", opening.id)]
            move = replace(move, effects=tuple(effects))
        self._apply_step(where, move, at, at)

    def receive_message(self, where: Conversation, text: str, at: int, payload: str = "") -> None:
        """Take a customer's message as an answer or as a trigger."""
        waiting = self._waiting(where, at)
        if waiting is not None:
            number, begun_at, execution = waiting
            if execution.waits_for == "answer":
                runner = self._runner(where, at, begun_at, text)
                self._storage.run("DELETE FROM executions WHERE id=?", number)
                self._apply_step(where, runner.answer(execution, text, payload), at, begun_at)
        elif (triggered := self._triggered(where, text, at)) is not None:
            self.begin(where, triggered, at, text=text)

    def queue_message(self, where: Conversation, message: dict[str, Any], now: int) -> None:
        """Queue an incoming message until the platform moves on next; one of the past isn't taken."""
        if message["createdAt"] >= now - MAX_QUEUED_AGE_MS:
            texts = [
                each if isinstance(each, str) else "" for each in (message.get("message"), message.get("payload"))
            ]
            self._queue(where, int(message["createdAt"]), "message", *texts)

    def queue_tag(self, where: Conversation, tag: str, now: int) -> None:
        self._queue(where, now, "tag", tag, "")

    def _queue(self, where: Conversation, at: int, kind: str, text: str, payload: str) -> None:
        self._storage.run(
            "INSERT INTO heard(at, account, line, customer, kind, text, payload) VALUES(?,?,?,?,?,?,?)",
            *(at, *where, kind, text, payload),
        )

    def receive_tag(self, where: Conversation, tag: str, at: int) -> None:
        if self._waiting(where, at) is not None:
            return
        for known in self._on_line(where):
            if known.graph.event_type == ON_TAG and known.graph.keywords in ((), (tag,)):
                self.begin(where, known.graph.workflow_id, at)
                return

    def choices(self, where: Conversation, at: int) -> tuple[str, ...] | None:
        """Return the answers that the customer is offered at that moment, or None if no answer is waited for."""
        waiting = self._waiting(where, at)
        if waiting is None or waiting[2].waits_for != "answer":
            return None
        frame = waiting[2].frames[-1]
        known = self._workflows(where.account).get(frame.workflow_id)
        node = None if known is None else known.graph.nodes.get(frame.node_id)
        return None if node is None else tuple(each.title for each in node.answers)

    def greetings(self, where: Conversation, at: int) -> list[str]:
        """Return the words that would begin a workflow on this line now: keywords, and "" where any word does."""
        listening = [known.graph for known in self._on_line(where) if known.graph.event_type == ON_MESSAGE]
        words = [word for graph in listening for word in graph.keywords]
        is_fresh = any(not graph.keywords for graph in listening) and self._silent_for(where, at) >= FRESH_AFTER_MS
        return [*words, ""] if is_fresh else words

    def advance(self, now: int, batch: int) -> bool:
        """Take queued messages and tags, and end the waits that are over; answers whether there were any."""
        heard = self._storage.rows(
            "SELECT id, at, account, line, customer, kind, text, payload FROM heard "
            "WHERE at <= ? ORDER BY at, id LIMIT ?",
            *(now, batch),
        )
        for number, at, account, line, customer, kind, text, payload in heard:
            self._storage.run("DELETE FROM heard WHERE id=?", number)
            where = Conversation(account, line, customer)
            if kind == "tag":
                self.receive_tag(where, text, int(at))
            else:
                self.receive_message(where, text, int(at), payload)
        due = self._storage.rows(
            "SELECT id, account, line, customer, begun_at, due_at, state FROM executions "
            "WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
            *(now, batch),
        )
        for number, account, line, customer, begun_at, due_at, state in due:
            self._end_wait(Conversation(account, line, customer), number, begun_at, int(due_at), state)
        return bool(heard or due)

    def _end_wait(self, where: Conversation, number: int, begun_at: int, due_at: int, state: str) -> None:
        execution = Execution.from_json(json.loads(state))
        self._storage.run("DELETE FROM executions WHERE id=?", number)
        runner = self._runner(where, due_at, begun_at)
        self._apply_step(where, runner.end_wait(execution), due_at, begun_at)

    def next_at(self) -> float:
        """Return the next event, in virtual milliseconds; infinity for never."""
        found = self._storage.rows("SELECT min(at) FROM heard UNION ALL SELECT min(due_at) FROM executions")
        return min((at for (at,) in found if at is not None), default=math.inf)

    def flush(self) -> None:
        """Store the counts since the last time; the caller's transaction is about to end."""
        for account, counts in self._counted.items():
            add_counts(self._storage, account, counts, self._counted_at)
        self._counted = {}

    def discard(self) -> None:
        """Forget the counts of a transaction that was rolled back."""
        self._counted = {}

    def _triggered(self, where: Conversation, text: str, at: int) -> str | None:
        """Return the first workflow a message begins: by keyword, as a new conversation, or as any message."""
        active = self._on_line(where)
        for known in active:
            if known.graph.event_type == ON_MESSAGE and known.graph.keyword_in(text) is not None:
                return known.graph.workflow_id
        silent_for = self._silent_for(where, at)
        for event, least in ((ON_BEGINNING, math.inf), (ON_MESSAGE, FRESH_AFTER_MS)):
            for known in active:
                if known.graph.event_type == event and not known.graph.keywords and silent_for >= least:
                    return known.graph.workflow_id
        return None

    def _silent_for(self, where: Conversation, at: int) -> float:
        row = self._storage.row(
            "SELECT created_at FROM messages WHERE account=? AND line=? AND customer=? AND created_at < ? "
            "ORDER BY created_at DESC LIMIT 1",
            *(*where, at),
        )
        return math.inf if row is None else at - row[0]

    def _on_line(self, where: Conversation) -> list[_LoadedWorkflow]:
        return [
            known
            for known in self._workflows(where.account).values()
            if known.graph.line_id == where.line and known.graph.is_active and known.graph.runs
        ]

    def _workflows(self, account: str) -> dict[str, _LoadedWorkflow]:
        found = self._known.get(account)
        if found is None:
            found = self._known[account] = {}
            for identity, stored in self._storage.rows(
                "SELECT id, json FROM workflows WHERE account=? ORDER BY position, id", account
            ):
                workflow = json.loads(stored)
                graph = read_graph(workflow)
                ids = frozenset(graph.nodes) | {each.id for node in graph.nodes.values() for each in node.exits}
                found[identity] = _LoadedWorkflow(graph, ids, reset_at(self._storage, account, identity))
        return found

    def _runner(self, where: Conversation, at: int, begun_at: int, text: str = "") -> Runner:
        workflows = self._workflows(where.account)

        def graph_of(identity: str) -> Graph | None:
            return workflows[identity].graph if identity in workflows else None

        def chance(node: str, ways: int) -> int:
            return _hash(self._seed, *where, begun_at, node) % ways

        def fate() -> int:
            return _hash(self._seed, *where, begun_at, "fate")

        return Runner(graph_of, chance, Variables(self._storage, where, at, text, fate))

    def _waiting(self, where: Conversation, at: int) -> tuple[int, int, Execution] | None:
        """Return the customer's execution at that moment; waits that were over before it are ended first."""
        while True:
            row = self._storage.row(
                "SELECT id, begun_at, due_at, state FROM executions WHERE account=? AND line=? AND customer=?",
                *where,
            )
            if row is None:
                return None
            number, begun_at, due_at, state = row
            if due_at > at:
                return number, begun_at, Execution.from_json(json.loads(state))
            self._end_wait(where, number, begun_at, int(due_at), state)

    def _abandon(self, where: Conversation, at: int) -> None:
        waiting = self._waiting(where, at)
        if waiting is not None:
            number, begun_at, execution = waiting
            self._storage.run("DELETE FROM executions WHERE id=?", number)
            runner = self._runner(where, at, begun_at)
            self._count(where.account, runner.abandon(execution), at, begun_at)

    def _apply_step(self, where: Conversation, move: ExecutionStep, at: int, begun_at: int) -> None:
        """Apply a move's effects, count it, and store the node at which it waits."""
        self._count(where.account, move, at, begun_at)
        if move.effects:
            apply_effects(self._storage, where, move.effects, at, _hash(self._seed, *where, begun_at))
        execution = move.execution
        if execution.outcome is None:
            self._storage.run(
                "INSERT INTO executions(account, line, customer, begun_at, due_at, state) VALUES(?,?,?,?,?,?)",
                *(*where, begun_at, at + execution.wait_seconds * 1000, encode(execution.as_json())),
            )

    def _count(self, account: str, move: ExecutionStep, at: int, begun_at: int) -> None:
        """Count a move, but not what began before a reset or stood at a node that left the graph."""
        workflows = self._workflows(account)
        counts = self._counted.setdefault(account, Counter())
        self._counted_at = max(self._counted_at, at)
        for each in move.counts:
            known = workflows.get(each.workflow_id)
            if known is None or begun_at < known.reset_ms:
                continue
            if (not each.about or each.about in known.ids) and (not each.target or each.target in known.ids):
                counts[each] += 1


def _hash(*parts: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest(), "big")
