"""Simulated customers and colleagues, and what follows from their messages a little later.

Events come in virtual time from the seed and a running number. Later lines and statuses wait in the agenda
table, so a restart loses nothing.
"""

import json
from random import Random
from typing import Any

from frontdesk.sandbox.campaign_delivery import OPT_OUT_WORD
from frontdesk.sandbox.data import read_table
from frontdesk.sandbox.dialogues import (
    LANGUAGES,
    Participant,
    add_comment,
    choose_words,
    make_dialogue_message,
    pick,
)
from frontdesk.sandbox.fixtures import ACCOUNT, AGENTS, ME, STATUSES
from frontdesk.sandbox.responses import encode
from frontdesk.sandbox.storage import Storage
from frontdesk.sandbox.task_rows import record_arrival, update_task_row
from frontdesk.sandbox.threads import (
    Conversation,
    insert_message,
    make_message,
    message_id,
    set_message_status,
    set_opted_out,
    utterance_id,
)
from frontdesk.sandbox.workflow_runs import WorkflowRuns

GAP_MS = (3_000, 6_000)
MAX_RECENT = 60
COLLEAGUE_SHARE = 0.12
WORKFLOW_SHARE = 0.3
"""Of those who begin a conversation on a line with an active workflow, so many write what begins it."""

REACTION_SHARE, CONTEXT_SHARE, OPT_OUT_SHARE = 0.06, 0.08, 0.003
SILENT_SHARE, FREE_TEXT_SHARE = 0.10, 0.15
_REACTIONS = read_table("messages")["reactions"]

MAX_PAUSE_MS = 60_000
"""Messages of a longer pause are never made up for."""

_DELAYS_MS = {
    "c": (4_000, 20_000),
    "b": (1_500, 4_000),
    "i": (4_000, 9_000),
    "s": (500, 1_500),
    "n": (15_000, 40_000),
    "a": (25_000, 150_000),
}


class Crowd:
    """The customers and colleagues of one sandbox.

    Args:
        speed: virtual seconds a real second; the pause that nobody makes up for grows with it.
    """

    def __init__(self, storage: Storage, seed: int, runs: WorkflowRuns, speed: float) -> None:
        self._storage = storage
        self._seed = seed
        self._runs = runs
        self._max_pause_ms = MAX_PAUSE_MS * max(1.0, speed)

    def next_at(self) -> float:
        """Return the time of the next event in virtual milliseconds; 0 for a fresh file."""
        row = self._storage.row("SELECT min(due_at) FROM agenda")
        moments = [self._storage.meta("crowd_next") or 0.0, row[0] if row else None]
        return min(float(at) for at in moments if at is not None)

    def advance(self, until: int, now: int, batch: int) -> bool:
        """Do up to `batch` of what is due by `until`, in the caller's transaction; answers whether it did any.

        Args:
            now: the clock, by which a long pause is known.
        """
        due = self._storage.rows(
            "SELECT id, due_at, kind, json FROM agenda WHERE due_at <= ? ORDER BY due_at, id LIMIT ?", until, batch
        )
        for number, due_at, kind, stored in due:
            self._storage.run("DELETE FROM agenda WHERE id=?", number)
            _AGENDA[kind](self._storage, int(due_at), json.loads(stored))
        return self._generate_events(until, now, batch) or bool(due)

    def _generate_events(self, until: int, now: int, batch: int) -> bool:
        before = next_at = self._storage.meta("crowd_next")
        count = first = int(self._storage.meta("crowd_count") or 0)
        if next_at is None or next_at < now - self._max_pause_ms:
            next_at = now + GAP_MS[0]
        # A message costs several times what another event does.
        while next_at <= until and count - first <= batch // 4:
            chance = Random(f"{self._seed}/{count}")
            if chance.random() < COLLEAGUE_SHARE:
                _change_task(self._storage, chance, int(next_at))
            else:
                self._write_as_customer(chance, int(next_at))
            count += 1
            next_at += GAP_MS[0] + int(chance.random() * (GAP_MS[1] - GAP_MS[0]))
        self._storage.set_meta("crowd_next", next_at)
        self._storage.set_meta("crowd_count", count)
        return bool(next_at != before)

    def _write_as_customer(self, chance: Random, at: int) -> None:
        rows = self._storage.rows(
            "SELECT line, customer, serial, script, step FROM conversations INDEXED BY conversations_by_activity "
            "WHERE account=? AND serial IS NOT NULL ORDER BY last_at DESC LIMIT ?",
            *(ACCOUNT, MAX_RECENT),
        )
        if not rows:
            return
        line, customer, serial, script, step = pick(chance, rows)
        about = f"{line}#{customer}"
        if self._storage.row("SELECT 1 FROM agenda WHERE kind='utter' AND about=? LIMIT 1", about):
            # An answer is due there; the customer waits for it.
            return
        participant = _read_participant(self._storage, line, customer)
        where, language = participant.where, LANGUAGES[participant.language]
        gesture = chance.random()
        if gesture < REACTION_SHARE and _react(self._storage, where, chance, at):
            return
        if gesture > 1 - OPT_OUT_SHARE:
            self._send_text(participant, OPT_OUT_WORD, at)
            set_opted_out(self._storage, where)
            return
        offered = self._runs.choices(where, at)
        if offered is not None:
            # Mostly one of the answers, now and then something else, or nothing.
            draw = chance.random()
            if draw >= SILENT_SHARE:
                picks = bool(offered) and draw < 1 - FREE_TEXT_SHARE
                self._send_text(participant, pick(chance, offered) if picks else language.greeting, at)
            return
        if script is None and chance.random() < WORKFLOW_SHARE:
            words = self._runs.greetings(where, at)
            if words:
                self._send_text(participant, pick(chance, words) or language.greeting, at)
                return
        dialogues = language.dialogues
        if script is None or script >= len(dialogues) or step >= len(dialogues[script].lines):
            serial, script, step = serial + 1, int(chance.random() * len(dialogues)), 0
        turn = {"line": line, "customer": customer, "serial": serial, "script": script, "step": step}
        if dialogues[script].lines[step][0] == "c":
            _send_line(self._storage, at, turn)
        else:
            _schedule_line(self._storage, chance, at, turn)

    def _send_text(self, participant: Participant, text: str, at: int) -> None:
        """Send a customer's message outside a dialogue, which workflows may take."""
        where, platform = participant.where, participant.platform
        identity = message_id("crowd", *where, at)
        message = make_message(where, platform=platform, incoming=True, text=text, at_ms=at, identity=identity)
        insert_message(self._storage, where, message)
        record_arrival(self._storage, where, at)
        self._runs.receive_message(where, text, at)


def _send_line(storage: Storage, at: int, turn: dict[str, Any]) -> None:
    """Send one line of a dialogue, and schedule the next unless the customer has to be waited for."""
    participant = _read_participant(storage, turn["line"], turn["customer"])
    where, serial, script, step = participant.where, turn["serial"], turn["script"], turn["step"]
    dialogue = LANGUAGES[participant.language].dialogues[script]
    lines = dialogue.lines
    identity = utterance_id(where.line, where.customer, serial, step)
    message = make_dialogue_message(participant, choose_words(participant, serial), lines[step], at, identity)
    add_comment(participant, dialogue, serial, step, message)
    chance = Random(identity)
    by_customer = lines[step][0] == "c"
    before = _newest_outgoing(storage, where) if by_customer and chance.random() < CONTEXT_SHARE else None
    if before is not None:
        message["context"] = {"from": before["sender"], "id": before["messageId"]}
    insert_message(storage, where, message)
    if by_customer:
        record_arrival(storage, where, at)
    elif message["type"] in ("default", "privateReply"):
        _schedule_statuses(storage, chance, at, identity)
    following = step + 1
    storage.run(
        "UPDATE conversations SET serial=?, script=?, step=? WHERE account=? AND line=? AND customer=?",
        *(serial, script if following < len(lines) else None, following, *where),
    )
    if following < len(lines) and (lines[following][0] != "c" or by_customer):
        _schedule_line(storage, chance, at, turn | {"step": following})


def _schedule_line(storage: Storage, chance: Random, at: int, turn: dict[str, Any]) -> None:
    language = _read_participant(storage, turn["line"], turn["customer"]).language
    low, high = _DELAYS_MS[LANGUAGES[language].dialogues[turn["script"]].lines[turn["step"]][0]]
    due_at = at + low + chance.random() * (high - low)
    _add_to_agenda(storage, due_at, f"{turn['line']}#{turn['customer']}", "utter", turn)


def _schedule_statuses(storage: Storage, chance: Random, at: int, identity: str) -> None:
    delivered = at + 1_200 + chance.random() * 3_000
    _add_to_agenda(storage, delivered, identity, "status", {"id": identity, "status": "delivered"})
    if chance.random() < 0.85:
        read = delivered + 6_000 + chance.random() * 200_000
        _add_to_agenda(storage, read, identity, "status", {"id": identity, "status": "read"})


def _set_status(storage: Storage, at: int, entry: dict[str, Any]) -> None:
    set_message_status(storage, ACCOUNT, entry["id"], entry["status"], at)


def _add_to_agenda(storage: Storage, due_at: float, about: str, kind: str, entry: dict[str, Any]) -> None:
    storage.run(
        "INSERT INTO agenda(due_at, about, kind, json) VALUES(?,?,?,?)", due_at, about, kind, encode(entry)
    )


def _change_task(storage: Storage, chance: Random, at: int) -> None:
    """Change one of the tasks that moved lately, as a colleague."""
    rows = storage.rows(
        "SELECT task_id, assigned, json FROM tasks WHERE account=? ORDER BY updated_at DESC, task_id LIMIT ?",
        *(ACCOUNT, MAX_RECENT),
    )
    if not rows:
        return
    task_id, assigned, stored = pick(chance, rows)
    colleague = AGENTS[1 + int(chance.random() * (len(AGENTS) - 1))]
    people = json.loads(assigned)
    # One's own tasks are mostly left alone by the others.
    if ME.id in people and chance.random() < 0.8:
        return
    draw = chance.random()
    if draw < 0.5:
        fields: dict[str, Any] = {"statusCase": pick(chance, STATUSES).id}
    elif draw < 0.8 or json.loads(stored).get("dueDate"):
        fields = {"assignedAgentIds": list(dict.fromkeys([*people[-1:], colleague.id]))}
    else:
        fields = {"dueDate": at // 1000 // 3600 * 3600 + 3600 * (2 + int(chance.random() * 48))}
    person = {"name": colleague.name, "email": colleague.email}
    update_task_row(storage, ACCOUNT, task_id, fields, person, at // 1000)


def _read_participant(storage: Storage, line: str, customer: str) -> Participant:
    where = Conversation(ACCOUNT, line, customer)
    row = storage.row(
        "SELECT platform, name, language FROM conversations JOIN lines USING (account, line) "
        "WHERE account=? AND line=? AND customer=?",
        *where,
    )
    assert row is not None, "a turn needs an existing conversation"
    return Participant(where, *row)


def _newest_outgoing(storage: Storage, where: Conversation) -> dict[str, Any] | None:
    """Return the last message that this customer got, or None."""
    rows = storage.rows(
        "SELECT json FROM messages WHERE account=? AND line=? AND customer=? "
        "ORDER BY created_at DESC, message_id DESC LIMIT 12",
        *where,
    )
    for (stored,) in rows:
        message: dict[str, Any] = json.loads(stored)
        if message.get("messageDirection") == "outgoing" and message.get("type") == "default":
            return message
    return None


def _react(storage: Storage, where: Conversation, chance: Random, at_ms: int) -> bool:
    """Put a reaction under the last message that the customer got; False if there is none."""
    message = _newest_outgoing(storage, where)
    if message is None or message.get("hasReaction"):
        return False
    message |= {
        "hasReaction": True,
        "reactions": [{"emoji": pick(chance, _REACTIONS), "from": where.customer}],
        "updatedAt": max(at_ms, message.get("updatedAt") or 0),
    }
    storage.run(
        "UPDATE messages SET json=? WHERE message_id=? AND account=?",
        *(encode(message), message["messageId"], where.account),
    )
    return True


_AGENDA = {"utter": _send_line, "status": _set_status}
