"""Fills a fresh platform, in an order that decides the random draws; each size has its amounts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from frontdesk_sandbox import fixtures
from frontdesk_sandbox.data import read_table
from frontdesk_sandbox.dialogues import pick
from frontdesk_sandbox.fixtures import ACCOUNT, LINES, OTHER_ACCOUNT, OTHER_LINE, Line
from frontdesk_sandbox.options import Language, Size
from frontdesk_sandbox.responses import encode
from frontdesk_sandbox.seeding.campaigns import seed_campaigns
from frontdesk_sandbox.seeding.conversations import (
    SeededCustomer,
    SeededThread,
    age_ms,
    make_customer,
    make_task,
    make_thread,
    open_questions,
)
from frontdesk_sandbox.seeding.workflows import make_workflows
from frontdesk_sandbox.storage import INSERT_MESSAGE, Conversation, Storage, insert_task, task_row
from frontdesk_sandbox.workflow_runs import store_analytics

ANSWERED_AFTER_MS = 30 * 3_600_000
"""Older threads than this were answered by a person: a team that works leaves few for longer."""

OVERDUE, OVERDUE_MS = 6, 36 * 3_600_000
"""The number of customers with the reader's language who have waited for longer than anyone else, and the minimum
of their waits, so that the first rows of the inbox are in the language of the words around them."""

NEWEST_MS = 100_000
"""Threads in the reader's language that are younger than this come first."""


@dataclass(frozen=True, slots=True)
class Amount:
    """The amounts of one size; `long_threads` are the lengths of threads that go on for years."""

    conversations: int
    tasks: int
    messages_each: int
    long_threads: tuple[int, ...]


AMOUNTS: dict[Size, Amount] = {
    "small": Amount(300, 340, 19, (3600, 2600, 2100)),
    "medium": Amount(4_000, 3_000, 22, (12_000, 8_000, *(3_000,) * 8)),
    "large": Amount(100_000, 20_000, 6, (40_000, 20_000, *(5_000,) * 20)),
}


def seed(storage: Storage, seed_number: int, size: Size, now_ms: int, language: Language = "en") -> None:
    """Fill a fresh file in the caller's transaction; customers of `language` have waited longest."""
    chance = Random(seed_number)
    _seed_catalogues(storage)
    _seed_threads(storage, chance, AMOUNTS[size], now_ms, language)
    workflows = make_workflows(now_ms // 1000)
    for workflow in workflows:
        store_analytics(storage, ACCOUNT, workflow)
    storage.run_many(
        "INSERT INTO workflows VALUES(?,?,?,?)",
        [(ACCOUNT, workflow["id"], position, encode(workflow)) for position, workflow in enumerate(workflows)],
    )
    storage.run_many(
        "INSERT INTO ai_agents VALUES(?,?,?,?)",
        [(ACCOUNT, position, agent["id"], encode(agent)) for position, agent in enumerate(make_ai_agents(now_ms))],
    )
    storage.run_many(
        "INSERT INTO webhooks VALUES(?,?,'{}')",
        [(ACCOUNT, name) for name in ("wh-orders", "wh-crm", "wh/reports#1")] + [(OTHER_ACCOUNT, "wh-birch")],
    )
    seed_campaigns(storage, chance, seed_number, now_ms)
    _seed_other_account(storage, now_ms)


def _seed_catalogues(storage: Storage) -> None:
    storage.run_many(
        "INSERT INTO lines(account, line, label, platform, per_second) VALUES(?,?,?,?,?)",
        [_line_row(ACCOUNT, line) for line in LINES] + [_line_row(OTHER_ACCOUNT, OTHER_LINE)],
    )
    storage.run_many(
        "INSERT INTO folders VALUES(?,?)",
        [(ACCOUNT, folder) for folder in fixtures.FOLDERS] + [(OTHER_ACCOUNT, "folder-birch")],
    )
    storage.run_many(
        "INSERT INTO statuses VALUES(?,?)", [(ACCOUNT, status.id) for status in fixtures.CUSTOM_STATUSES]
    )
    storage.run_many("INSERT INTO tags VALUES(?,?)", [(ACCOUNT, tag.id) for tag in fixtures.TAGS])


def _line_row(account: str, line: Line) -> tuple[str, str, str, str, float]:
    return account, line.id, line.label, line.platform, line.per_second


def _seed_threads(storage: Storage, chance: Random, amount: Amount, now_ms: int, reader: Language) -> None:
    spare_tasks = amount.tasks - int(amount.conversations * 0.75)
    tasks = 0
    for thread, person in _threads(chance, amount, now_ms, reader):
        participant, last = thread.participant, thread.chapters[-1]
        where = participant.where
        storage.run_many(INSERT_MESSAGE, _message_rows(where, thread.messages))
        step = (last.serial, None if last.finished else last.index, last.said)
        storage.run(
            "INSERT INTO conversations(account, line, customer, name, language, last_at, serial, script, step) "
            "VALUES(?,?,?,?,?,?,?,?,?)",
            *(*where, participant.name, participant.language, thread.last_at, *step),
        )
        _seed_tags(storage, chance, where, last.dialogue.topic)
        wanted = 1 + (chance.random() < spare_tasks / amount.conversations * 1.5)
        if tasks >= amount.tasks or (chance.random() > 0.78 and last.finished):
            continue
        is_overdue = not last.finished and now_ms - last.began_ms >= OVERDUE_MS
        for chapter in thread.chapters[: -wanted - 1 : -1]:
            task = make_task(chance, thread, person, chapter, now_ms)
            if is_overdue and chapter is not last:
                continue  # a key on one of the first rows works on its task, without a question
            storage.run("INSERT INTO tasks VALUES(?,?,?,?,?,?,?,?,?)", *task_row(ACCOUNT, task, where))
            tasks += 1


def _threads(
    chance: Random, amount: Amount, now_ms: int, reader: Language
) -> Iterator[tuple[SeededThread, SeededCustomer]]:
    ranks = [(position + 0.3) / amount.conversations for position in range(amount.conversations)]
    chance.shuffle(ranks)
    roster = [line for line in LINES for _ in range(line.weight)]
    earlier: SeededCustomer | None = None
    questions = open_questions(reader)
    overdue: set[str] = set()
    for position, rank in enumerate(ranks):
        line = pick(chance, roster)
        language = pick(chance, line.languages)
        person = make_customer(chance, position, language, line.platform)
        if position % 40 == 39 and earlier is not None:
            # The same customer on another line, now and then.
            person, line = earlier, LINES[2]
        elif line.platform == "whatsapp" and line.id != LINES[2].id:
            earlier = person
        long = position < len(amount.long_threads)
        wanted = amount.long_threads[position] if long else 3 + int(chance.expovariate(1 / amount.messages_each))
        age = age_ms(rank if not long else (position + 1) * 0.09 % 0.5)
        first_name, answered, question = person.name.split()[0], age > ANSWERED_AFTER_MS, None
        could_be_overdue = answered and not long and first_name not in overdue and len(overdue) < OVERDUE
        if person.language == reader and age < NEWEST_MS:
            age //= 2
        elif person.language == reader and could_be_overdue:
            question = questions[len(overdue) % len(questions)]
            overdue.add(first_name)
            age = OVERDUE_MS + age % OVERDUE_MS
        place, length = person.on_line(line), wanted if long else min(wanted, 75)
        thread = make_thread(chance, place, now_ms - age, length, long, answered=answered, question=question)
        yield thread, person
        if position % 40 == 39:
            earlier = None


def _message_rows(where: Conversation, messages: Iterable[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    for message in messages:
        yield *where, message["createdAt"], message["messageId"], encode(message)


def _seed_tags(storage: Storage, chance: Random, where: Conversation, topic: str) -> None:
    given = [_TAG_OF_TOPIC[topic]] if topic in _TAG_OF_TOPIC and chance.random() < 0.6 else []
    if chance.random() < 0.08:
        given.append("tag-vip")
    for tag in given:
        storage.run("INSERT INTO conversation_tags VALUES(?,?,?,?)", ACCOUNT, tag, where.line, where.customer)


def _seed_other_account(storage: Storage, now_ms: int) -> None:
    """Store what shows that accounts don't mix (rule 15)."""
    for position, title in enumerate(fixtures.OTHER_TASKS):
        task = {
            "taskId": f"task_other_{position}",
            "title": title,
            "associatedTo": OTHER_ACCOUNT,
            "statusCase": "open",
            "unreadCount": 0,
            "createdAt": now_ms // 1000 - 90_000,
            "updatedAt": now_ms // 1000 - 80_000 + position,
            "phoneNumberId": OTHER_LINE.id,
            "participantsIdentifiers": f"{OTHER_LINE.id}#31600000{position:03d}",
        }
        insert_task(storage, OTHER_ACCOUNT, task)
    workflow: dict[str, Any] = {
        "id": "wf-birch-welcome",
        "name": "Welcome",
        "folderId": "folder-birch",
        "associatedTo": OTHER_ACCOUNT,
        "isActive": False,
        "created": now_ms // 1000 - 9_000_000,
        "lastModified": now_ms // 1000 - 9_000_000,
        "executionCount": 0,
    }
    store_analytics(storage, OTHER_ACCOUNT, workflow)
    storage.run("INSERT INTO workflows VALUES(?,?,?,?)", OTHER_ACCOUNT, workflow["id"], 0, encode(workflow))


def make_ai_agents(now_ms: int) -> list[dict[str, Any]]:
    """Make one of each kind in each language, oldest first: enough for a second page of 25.

    None of them is ever assigned to a task (rule 223).
    """
    table = read_table("ai_agents")
    return [
        _make_agent(position, kind, language, now_ms)
        for position, (language, kind) in enumerate(product(table["languages"], table["kinds"]))
    ]


def _make_agent(position: int, kind: dict[str, str], language: str, now_ms: int) -> dict[str, Any]:
    identity = f"ai-{position + 1:02d}"
    files = [
        {"id": f"file-{position}-{number}", "status": "completed", "bytes": 18_000 + 977 * position * number}
        for number in range(1, 1 + position % 4)
    ]
    return {
        "id": identity,
        "name": f"{kind['name']} ({language})",
        "associatedTo": ACCOUNT,
        "folderId": "folder-service",
        "profileImage": "",
        "description": kind["description"],
        "created": now_ms // 1000 - 86_400 * (300 - 7 * position),
        "lastModified": now_ms // 1000 - 86_400 * (30 - position),
        "tokensUsed": 48_210 + position * 7_919,
        "isActive": position % 9 != 5,
        "roles": [
            {
                "name": "answer",
                "description": kind["description"],
                "instructions": f"Answer in {language}, in two sentences at most. Hand over when asked.",
                "webhook": "",
                "allRequired": False,
                "tool": {"name": kind["tool"], "parameters": {"orderNumber": {"type": "string"}}},
            },
            {
                "name": "handover",
                "description": "Passes the conversation to a person.",
                "instructions": "Tell the customer who takes over and when.",
                "webhook": "https://hooks.acme-home.example/handover",
                "allRequired": True,
                "tool": {},
            },
        ],
        "vectorStore": {
            "id": f"vs-{identity}",
            "required": bool(files),
            "files": files,
            "fileNamesMapping": {file["id"]: f"manual-{number}.pdf" for number, file in enumerate(files, 1)},
        },
    }


_TAG_OF_TOPIC = {
    "late": "tag-late",
    "refund": "tag-refund",
    "damaged": "tag-damaged",
    "assembly": "tag-assembly",
    "invoice": "tag-invoice",
    "complaint": "tag-complaint",
    "reorder": "tag-wholesale",
    "quote": "tag-wholesale",
}
