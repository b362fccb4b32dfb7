"""The running platform: storage, clock, settings, faults, request log, and the engines that advance it.

Simulated customers and colleagues, and what follows from their messages a little later.

Events come in virtual time from the seed and a running number. Later lines and statuses wait in the agenda
table, so a restart loses nothing.
"""

import json
import secrets
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from frontdesk_sandbox.campaign_delivery import OPT_OUT_WORD, note_all_unfinished
from frontdesk_sandbox.campaign_engine import CampaignEngine
from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.dialogues import (
    LANGUAGES,
    Participant,
    add_comment,
    choose_words,
    make_dialogue_message,
    pick,
)
from frontdesk_sandbox.faults import Faults
from frontdesk_sandbox.fixtures import ACCOUNT, AGENTS, ME, STATUSES, TOKEN
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.request import identity_or_main, require_object, validate
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.storage import (
    Conversation,
    Storage,
    insert_message,
    make_message,
    message_id,
    record_arrival,
    set_message_status,
    set_opted_out,
    update_task_row,
    utterance_id,
)
from frontdesk_sandbox.workflow_runs import WorkflowRuns

GAP_MS = (3_000, 6_000)
MAX_RECENT = 60
COLLEAGUE_SHARE = 0.12
WORKFLOW_SHARE = 0.3
"""The share of those who begin a conversation on a line with an active workflow who write what begins it."""

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
    """The customers and colleagues of one sandbox; the pause that nobody makes up for grows with the speed."""

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
        """Do up to `batch` of what is due by `until`, in the caller's transaction; answers whether it did any."""
        due = self._storage.rows(
            "SELECT id, due_at, kind, json FROM agenda WHERE due_at <= ? ORDER BY due_at, id LIMIT ?", until, batch
        )
        for number, due_at, kind, stored in due:
            self._storage.run("DELETE FROM agenda WHERE id=?", number)
            do = {"utter": self._send_line, "status": self._set_status}[kind]
            do(int(due_at), json.loads(stored))
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
                self._change_task(chance, int(next_at))
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
        participant = self._read_participant(line, customer)
        where, language = participant.where, LANGUAGES[participant.language]
        gesture = chance.random()
        if gesture < REACTION_SHARE and self._react(where, chance, at):
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
            self._send_line(at, turn)
        else:
            self._schedule_line(chance, at, turn)

    def _send_text(self, participant: Participant, text: str, at: int) -> None:
        """Send a customer's message outside a dialogue, which workflows may take."""
        where, platform = participant.where, participant.platform
        identity = message_id("crowd", *where, at)
        message = make_message(where, platform=platform, incoming=True, text=text, at_ms=at, identity=identity)
        insert_message(self._storage, where, message)
        record_arrival(self._storage, where, at)
        self._runs.receive_message(where, text, at)

    def _send_line(self, at: int, turn: dict[str, Any]) -> None:
        """Send one line of a dialogue, and schedule the next unless the customer has to be waited for."""
        participant = self._read_participant(turn["line"], turn["customer"])
        where, serial, script, step = participant.where, turn["serial"], turn["script"], turn["step"]
        dialogue = LANGUAGES[participant.language].dialogues[script]
        lines = dialogue.lines
        identity = utterance_id(where.line, where.customer, serial, step)
        message = make_dialogue_message(participant, choose_words(participant, serial), lines[step], at, identity)
        add_comment(participant, dialogue, serial, step, message)
        chance = Random(identity)
        by_customer = lines[step][0] == "c"
        before = self._newest_outgoing(where) if by_customer and chance.random() < CONTEXT_SHARE else None
        if before is not None:
            message["context"] = {"from": before["sender"], "id": before["messageId"]}
        insert_message(self._storage, where, message)
        if by_customer:
            record_arrival(self._storage, where, at)
        elif message["type"] in ("default", "privateReply"):
            self._schedule_statuses(chance, at, identity)
        following = step + 1
        self._storage.run(
            "UPDATE conversations SET serial=?, script=?, step=? WHERE account=? AND line=? AND customer=?",
            *(serial, script if following < len(lines) else None, following, *where),
        )
        if following < len(lines) and (lines[following][0] != "c" or by_customer):
            self._schedule_line(chance, at, turn | {"step": following})

    def _schedule_line(self, chance: Random, at: int, turn: dict[str, Any]) -> None:
        language = self._read_participant(turn["line"], turn["customer"]).language
        low, high = _DELAYS_MS[LANGUAGES[language].dialogues[turn["script"]].lines[turn["step"]][0]]
        due_at = at + low + chance.random() * (high - low)
        self._add_to_agenda(due_at, f"{turn['line']}#{turn['customer']}", "utter", turn)

    def _schedule_statuses(self, chance: Random, at: int, identity: str) -> None:
        delivered = at + 1_200 + chance.random() * 3_000
        self._add_to_agenda(delivered, identity, "status", {"id": identity, "status": "delivered"})
        if chance.random() < 0.85:
            read = delivered + 6_000 + chance.random() * 200_000
            self._add_to_agenda(read, identity, "status", {"id": identity, "status": "read"})

    def _set_status(self, at: int, entry: dict[str, Any]) -> None:
        set_message_status(self._storage, ACCOUNT, entry["id"], entry["status"], at)

    def _add_to_agenda(self, due_at: float, about: str, kind: str, entry: dict[str, Any]) -> None:
        self._storage.run(
            "INSERT INTO agenda(due_at, about, kind, json) VALUES(?,?,?,?)", due_at, about, kind, encode(entry)
        )

    def _change_task(self, chance: Random, at: int) -> None:
        """Change one of the tasks that moved lately, as a colleague."""
        rows = self._storage.rows(
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
        update_task_row(self._storage, ACCOUNT, task_id, fields, person, at // 1000)

    def _read_participant(self, line: str, customer: str) -> Participant:
        where = Conversation(ACCOUNT, line, customer)
        row = self._storage.row(
            "SELECT platform, name, language FROM conversations JOIN lines USING (account, line) "
            "WHERE account=? AND line=? AND customer=?",
            *where,
        )
        assert row is not None, "a turn needs an existing conversation"
        return Participant(where, *row)

    def _newest_outgoing(self, where: Conversation) -> dict[str, Any] | None:
        """Return the last message that this customer got, or None."""
        rows = self._storage.rows(
            "SELECT json FROM messages WHERE account=? AND line=? AND customer=? "
            "ORDER BY created_at DESC, message_id DESC LIMIT 12",
            *where,
        )
        for (stored,) in rows:
            message: dict[str, Any] = json.loads(stored)
            if message.get("messageDirection") == "outgoing" and message.get("type") == "default":
                return message
        return None

    def _react(self, where: Conversation, chance: Random, at_ms: int) -> bool:
        """Put a reaction under the last message that the customer got; False if there is none."""
        message = self._newest_outgoing(where)
        if message is None or message.get("hasReaction"):
            return False
        message |= {
            "hasReaction": True,
            "reactions": [{"emoji": pick(chance, _REACTIONS), "from": where.customer}],
            "updatedAt": max(at_ms, message.get("updatedAt") or 0),
        }
        self._storage.run(
            "UPDATE messages SET json=? WHERE message_id=? AND account=?",
            *(encode(message), message["messageId"], where.account),
        )
        return True


MAX_REQUEST_LOG = 10_000
AGENTS_AT = "agents_at_ms"
"""The virtual time up to which AI agents have used tokens; none while a crowd keeps them busy."""

MAX_UNSAVED_SECONDS = 60
"""Real seconds that may pass between the last saved time and a kill."""

BATCH = 200
SLICE_MS = 1_000
"""The slice of virtual time after which all kinds of events are checked again."""


class Clock:
    """Virtual Unix milliseconds.

    Args:
        speed: virtual seconds a real second.
        resume_ms: the latest time known from an earlier run; the clock starts there if real time is
            earlier, because stored times must stay in the past.
    """

    def __init__(
        self,
        speed: float = 1.0,
        resume_ms: float = 0,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steady = steady
        self._speed = speed
        self._origin_ms = max(wall() * 1000, resume_ms)
        self._started = steady()

    def now_ms(self) -> int:
        return int(self._origin_ms + (self._steady() - self._started) * 1000 * self._speed)

    def now_seconds(self) -> int:
        return self.now_ms() // 1000

    def advance(self, seconds: float) -> None:
        """Jump ahead; the control `POST /sandbox/advance`."""
        self._origin_ms += seconds * 1000


class SandboxSettings(BaseModel):
    """Settings that a test may change while it runs, each with its rule in tests/sandbox/rules.md."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    message_page_size: Annotated[int, Field(ge=1, le=1000)] = 25  # 196
    tags_replace: bool = False  # 207
    strict_tasks: bool = False  # 182
    absent_counters: bool = False  # 79
    shuffle_tasks: bool = False  # 162
    more_workflows: bool = False  # 88
    graph_put: bool = True  # chapter 7
    other_codes: bool = False  # tests/sandbox/rules.md
    requests_per_second: Annotated[int, Field(ge=0)] = 0  # 19; 0 for no throttle
    token: Annotated[str, Field(min_length=1)] = TOKEN  # 8; another one makes the Cookie of before expire


def update_settings(current: SandboxSettings, value: Any) -> SandboxSettings:
    """Change the given settings; raise Refusal for an unknown name or a wrong type."""
    return validate(SandboxSettings, current.model_dump() | require_object(value))


@dataclass(frozen=True)
class RequestLogEntry:
    """One request of the interface, for `GET /sandbox/requests`.

    Attributes:
        status: of the answer; 0 for none.
        time: Unix seconds, real time.
        outcome: the status that the platform itself came to; 0 if a fault kept the request from it.
    """

    method: str
    path: str
    query: str
    status: int
    time: float
    outcome: int


@dataclass
class World:
    """The running platform."""

    options: SandboxOptions
    storage: Storage
    clock: Clock
    faults: Faults
    secret: bytes
    runs: WorkflowRuns
    campaigns: CampaignEngine
    crowd: Crowd
    settings: SandboxSettings = field(default_factory=SandboxSettings)
    request_log: deque[RequestLogEntry] = field(default_factory=lambda: deque(maxlen=MAX_REQUEST_LOG))
    temporary: Path | None = None

    def log_request(self, method: str, path: str, query: str, status: int, outcome: int) -> None:
        self.request_log.append(RequestLogEntry(method, path, query, status, time.time(), outcome))

    def agents_at_ms(self) -> int:
        """Return the time up to which AI agents have worked: without a crowd, the one it was stopped at."""
        stopped_at = self.storage.meta(AGENTS_AT)
        return self.clock.now_ms() if stopped_at is None else int(stopped_at)

    def stop_agents(self) -> None:
        """Stop AI agents at this moment, if there is no crowd."""
        self.storage.set_meta(AGENTS_AT, self.clock.now_ms())

    def save_time(self) -> None:
        """Save virtual and real time, so that the clock never runs backwards over a restart or a kill."""
        with self.storage.writing():
            self.storage.set_meta("clock_ms", self.clock.now_ms())
            self.storage.set_meta("clock_kept_at", time.time())
            self.storage.set_meta("clock_speed", self.options.speed)

    def close(self) -> None:
        """Close the file, and remove the temporary folder if there is one."""
        self.save_time()
        self.storage.set_meta("clock_kept_at", None)
        self.storage.close()
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


def open_world(options: SandboxOptions, clock: Clock | None = None, storage: Storage | None = None) -> World:
    """Open the platform of the data folder, or raise SandboxCannotStart; a new one is seeded."""
    temporary = None
    if storage is None:
        folder = options.data
        if folder is None:
            folder = temporary = Path(tempfile.mkdtemp(prefix="frontdesk-sandbox-"))
        storage = Storage.open(folder)
    latest_ms = _latest_ms(storage)
    clock = clock or Clock(options.speed, latest_ms)
    note_all_unfinished(storage, int(latest_ms))
    if storage.meta("secret") is None:
        from frontdesk_sandbox.seeding.seed import seed  # only a fresh folder needs the phrases

        with storage.writing():
            seed(storage, options.seed, options.size, clock.now_ms(), options.language)
            storage.set_meta("seed", options.seed)
            storage.set_meta("secret", secrets.token_bytes(16))
    seed_number = int(storage.meta("seed"))
    runs = WorkflowRuns(storage, seed_number)
    world = World(
        options=options,
        storage=storage,
        clock=clock,
        faults=Faults(options.seed),
        secret=storage.meta("secret"),
        runs=runs,
        campaigns=CampaignEngine(storage, seed_number, runs),
        crowd=Crowd(storage, seed_number, runs, options.speed),
        settings=SandboxSettings(other_codes=options.other_codes, token=identity_or_main({}).token),
        temporary=temporary,
    )
    if options.crowd:
        storage.set_meta(AGENTS_AT, None)
    elif storage.meta(AGENTS_AT) is None:
        world.stop_agents()
    world.save_time()
    return world


def _latest_ms(storage: Storage) -> float:
    """Return the latest virtual time that a client may have seen before the process ended."""
    kept, kept_at = float(storage.meta("clock_ms") or 0), storage.meta("clock_kept_at")
    if kept_at is None:
        return kept
    # Not ended but killed: its clock went on for some time after it was kept.
    unkept_ms = min(max(time.time() - float(kept_at), 0), MAX_UNSAVED_SECONDS) * 1000
    return kept + unkept_ms * float(storage.meta("clock_speed"))


def step(world: World, batch: int = BATCH) -> bool:
    """Do one batch of the earliest due events; return whether more may be due.

    Time advances by slices, and each kind of event is finished before the next: an answer counts before the wait
    for it ends, however far the clock jumped.
    """
    now = world.clock.now_ms()
    first = _next_at(world)
    if first > now:
        return False
    begins = world.campaigns.next_start_at()
    # Whom a campaign is for, and whose turn on its line it is, depends on all that was before it.
    until = int(min(now, int(first) + SLICE_MS, begins if begins < first + 1 else begins - 1))
    try:
        with world.storage.writing():
            moved = (
                world.campaigns.advance(until, batch)
                or (world.options.crowd and world.crowd.advance(until, now, batch))
                or world.runs.advance(until, batch)
            )
            world.runs.flush()
    except BaseException:
        world.runs.discard()
        world.campaigns.discard()
        raise
    return moved


def _next_at(world: World) -> float:
    moments = [world.campaigns.next_at(), world.runs.next_at()]
    if world.options.crowd:
        moments.append(world.crowd.next_at())
    return min(moments)


def catch_up(world: World) -> None:
    while step(world):
        pass
