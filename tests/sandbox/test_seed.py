"""The business that a fresh folder holds: the same for a seed, whole, and fit for the contract."""

import subprocess
import sys
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest

from frontdesk_api.contract.messages import Message
from frontdesk_api.contract.tasks import Task
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.options import LANGUAGES, Language, reader_language
from frontdesk_sandbox.seeding.seed import seed
from frontdesk_sandbox.storage import Storage
from frontdesk_sandbox.world import Clock
from sandbox.asking import Sandbox

NOW = 1_790_000_000_000
TABLES = ("messages", "tasks", "campaigns", "recipients", "workflows", "conversations", "ai_agents")


@pytest.mark.slow
def test_the_same_seed_and_time_give_the_same_platform(tmp_path: Path) -> None:
    dumps = []
    for name in ("a", "b"):
        storage = Storage.open(tmp_path / name)
        with storage.writing():
            seed(storage, 5, "small", NOW)
        dumps.append({table: storage.rows(f"SELECT * FROM {table}") for table in TABLES})
        storage.close()
    assert dumps[0] == dumps[1]


def test_small_is_a_few_hundred_conversations_with_some_very_long_ones(sandbox: Sandbox) -> None:
    rows = sandbox.world.storage.rows
    lengths = [row[0] for row in rows("SELECT count(*) FROM messages GROUP BY line, customer ORDER BY 1 DESC")]
    assert all(2000 <= length <= 4000 for length in lengths[:3])
    assert lengths[3] < 100
    assert 13_000 < sum(length for length in lengths if length > 1) < 20_000
    assert rows("SELECT count(*) FROM conversations WHERE serial IS NOT NULL")[0][0] == 300
    assert rows("SELECT count(*) FROM tasks WHERE account='acme-home'")[0][0] == 340


@pytest.mark.rules("186")
def test_tasks_fit_the_contract_and_use_what_the_fixtures_name(sandbox: Sandbox) -> None:
    agents = {agent.id for agent in fixtures.AGENTS}
    statuses = {status.id for status in fixtures.STATUSES}
    lines = {line.id: line.platform for line in fixtures.LINES}
    seen = set()
    for (stored,) in sandbox.world.storage.rows("SELECT json FROM tasks WHERE account='acme-home'"):
        task = Task.model_validate_json(stored)
        assert set(task.assignedAgentIds or ()) <= agents  # 223
        assert task.statusCase in statuses
        assert task.phoneNumberId in lines
        assert task.customer is not None
        assert not task.customer.model_extra
        assert task.customer.platform == lines[task.phoneNumberId]
        assert set((task.participantsIdentifiers or "").split("#")) == {
            task.phoneNumberId,
            task.customer.phoneNumberId,
        }
        assert (task.createdAt or 0) <= (task.updatedAt or 0) < 1e11
        assert (task.customer.lastActiveAt or 0) > 1e12
        seen.add(task.statusCase)
    assert seen == statuses


def _waiting(storage: Storage) -> list[tuple[int, str, list[str]]]:
    """Who waits for a person, the longest first: since when, in which language, and the unanswered texts."""
    found = []
    for line, customer, language in storage.rows(f"SELECT line, customer, language {OF_TASKS}"):
        said = [
            (at, is_customer, text)
            for at, is_customer, text in storage.rows(
                "SELECT created_at, json_extract(json, '$.messageDirection') = 'incoming',"
                " json_extract(json, '$.message') FROM messages WHERE account = 'acme-home' AND line = ?"
                " AND customer = ? AND json_extract(json, '$.type') NOT IN ('note', 'informative', 'deleted')"
                " AND (json_extract(json, '$.messageDirection') = 'incoming'"
                " OR json_extract(json, '$.initiator') = 'person') ORDER BY created_at DESC, message_id DESC",
                *(line, customer),
            )
        ]
        unanswered = [*takewhile(lambda each: each[1], said)]
        if unanswered:
            found.append((unanswered[-1][0], language, [text for _, _, text in reversed(unanswered)]))
    return sorted(found)


OF_TASKS = (
    "FROM conversations WHERE language IS NOT NULL AND account='acme-home' AND EXISTS "
    "(SELECT 1 FROM tasks WHERE line_of=conversations.line AND customer_of=conversations.customer)"
)


def test_the_newest_and_the_longest_waiting_conversations_are_in_english(sandbox: Sandbox) -> None:
    storage = sandbox.world.storage
    waiting = _waiting(storage)
    assert [language for _, language, _ in waiting[:6]] == ["en"] * 6
    assert storage.rows(f"SELECT language {OF_TASKS} ORDER BY last_at DESC LIMIT 1") == [("en",)]
    assert {"he", "ar", "es"} <= {language for _, language, _ in waiting[6:20]}


def test_nobody_waits_who_only_thanked_or_asked_a_bot(sandbox: Sandbox) -> None:
    thanks = ("thank", "Got it", "Works", "perfect", "Found it", "no rush")
    texts = [texts for _, language, texts in _waiting(sandbox.world.storage) if language == "en"]
    assert len(texts) > 20
    assert not [each for each in texts if any(word in each[-1] for word in thanks)]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_rows_are_in_the_readers_language(tmp_path: Path, language: Language) -> None:
    with closing(Storage.open(tmp_path)) as storage:
        with storage.writing():
            seed(storage, 1, "small", NOW, language)
        first = _waiting(storage)[:6]
        assert [each[1] for each in first] == [language] * 6
        assert all(not texts[-1].startswith("@") and len(texts[-1]) > 8 for _, _, texts in first)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "he_IL.UTF-8"}, "he"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "es_ES@euro"}, "es"),
        ({"LANG": "ar", "LC_ALL": ""}, "ar"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "est"}, "en"),
    ],
)
def test_the_readers_language_is_that_of_the_locale(environment: dict[str, str], language: str) -> None:
    assert reader_language(environment) == language


def test_nothing_in_the_seed_lies_in_the_future(sandbox: Sandbox) -> None:
    now = sandbox.world.clock.now_ms()
    rows = sandbox.world.storage.rows
    assert rows("SELECT max(created_at) FROM messages")[0][0] <= now
    assert rows("SELECT max(updated_at) FROM tasks")[0][0] <= now // 1000 + 1
    assert rows("SELECT max(modified) FROM campaigns")[0][0] <= now


def test_the_fixtures_import_nothing_heavy() -> None:
    script = "import sys, frontdesk_sandbox.fixtures, frontdesk_sandbox.options; print(sorted(sys.modules))"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    for heavy in ("pydantic", "fastapi", "starlette", "uvicorn", "apsw", "faker", "httpx", "sqlite3"):
        assert f"'{heavy}'" not in output


def test_the_clock_never_runs_backwards_over_a_restart() -> None:
    clock = Clock(speed=10, resume_ms=5_000_000, wall=lambda: 1000.0, steady=iter([0.0, 2.0]).__next__)
    assert clock.now_ms() == 5_020_000


def test_comments_on_posts_are_answered_in_private(sandbox: Sandbox) -> None:
    stored = sandbox.world.storage.rows(
        "SELECT json FROM messages WHERE json_extract(json, '$.type') IN ('commentOnPost', 'privateReply')"
        " ORDER BY created_at"
    )
    messages = [Message.model_validate_json(row[0]) for row in stored]
    assert {each.messagePlatform for each in messages} == {"instagram"}
    comments = {(each.comment or {})["id"]: each for each in messages if each.type == "commentOnPost"}
    replies = [each for each in messages if each.type == "privateReply"]
    assert len(comments) > 10
    assert len(replies) > 10
    for each in comments.values():
        assert each.messageDirection == "incoming"
        assert (each.comment or {})["postText"]
    answered = [each for each in replies if (each.comment or {})["id"] in comments]
    assert len(answered) > 10
    for each in answered:
        about = each.comment or {}
        assert each.messageDirection == "outgoing"
        assert about["text"] == comments[about["id"]].message
