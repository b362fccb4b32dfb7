"""What moves by itself, and that nothing does without a crowd."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk_api.contract.messages import Message
from frontdesk_sandbox.world import catch_up
from sandbox.asking import Sandbox, stop_seeded_campaigns


def state(sandbox: Sandbox) -> tuple[object, ...]:
    rows = sandbox.world.storage.rows
    return (
        rows("SELECT count(*), max(created_at) FROM messages"),
        rows("SELECT sum(updated_at), sum(json_extract(json, '$.unreadCount')) FROM tasks"),
    )


def test_without_a_crowd_customers_and_colleagues_are_silent(quiet: Sandbox) -> None:
    before = state(quiet)
    quiet.advance(3600)
    assert state(quiet) == before


def test_with_a_crowd_customers_write_are_answered_and_statuses_advance(
    make_sandbox: Callable[..., Sandbox],
) -> None:
    sandbox = stop_seeded_campaigns(make_sandbox(crowd=True))
    start = sandbox.world.clock.now_ms()
    before = state(sandbox)
    for _ in range(20):
        sandbox.advance(30)
    fresh = [
        Message.model_validate_json(row[0])
        for row in sandbox.world.storage.rows(
            "SELECT json FROM messages WHERE created_at > ? AND json_extract(json, '$.initiator') <> 'campaign'",
            start,
        )
    ]
    incoming = [message for message in fresh if message.messageDirection == "incoming"]
    assert 60 <= len(incoming) <= 300
    assert {message.initiator for message in fresh} >= {"person", "bot", "ai"}
    outgoing = Counter(m.status for m in fresh if m.messageDirection == "outgoing" and m.type == "default")
    assert outgoing["read"] > outgoing["sent"]
    assert state(sandbox)[1] != before[1]
    now = sandbox.world.clock.now_ms()
    assert all((message.createdAt or 0) <= now for message in fresh)


def test_a_customers_message_moves_the_conversations_task(make_sandbox: Callable[..., Sandbox]) -> None:
    sandbox = stop_seeded_campaigns(make_sandbox(crowd=True))
    before = {task["taskId"]: task for task in sandbox.post("/tasks/list", {"limit": 100}).json()["dbObject"]}
    sandbox.advance(50)
    sandbox.advance(50)
    moved = [
        (before[task["taskId"]], task)
        for task in sandbox.post("/tasks/list", {"limit": 100}).json()["dbObject"]
        if task["taskId"] in before and task != before[task["taskId"]]
    ]
    assert moved
    assert all(after["unreadCount"] >= old["unreadCount"] for old, after in moved)
    assert any(after["customer"]["lastActiveAt"] > old["customer"]["lastActiveAt"] for old, after in moved)


def test_nobody_makes_up_for_a_long_pause(make_sandbox: Callable[..., Sandbox]) -> None:
    sandbox = stop_seeded_campaigns(make_sandbox(crowd=True))
    sandbox.advance(1)
    before = sandbox.world.storage.meta("crowd_count") or 0
    sandbox.advance(30 * 86_400)
    assert (sandbox.world.storage.meta("crowd_count") or 0) - before <= 2


@pytest.mark.slow
def test_the_crowd_answers_workflows_reacts_and_refers_to_what_it_got(
    make_sandbox: Callable[..., Sandbox],
) -> None:
    sandbox = stop_seeded_campaigns(make_sandbox(crowd=True))
    start = sandbox.world.clock.now_ms()
    for _ in range(160):
        sandbox.advance(45)
    rows = sandbox.world.storage.rows("SELECT json FROM messages WHERE created_at > ?", start)
    fresh = [Message.model_validate_json(row[0]) for row in rows]
    by_workflow = [
        each for each in fresh if each.creationPlatform == "workflow" and each.messageDirection == "outgoing"
    ]
    assert len([each for each in by_workflow if "•" in (each.message or "")]) > 3
    incoming = [each for each in fresh if each.messageDirection == "incoming"]
    assert any(each.context for each in incoming)
    assert any(each.hasReaction for each in fresh)
    assert any(each.hasAttachment for each in incoming)
    languages = {"he": "\u05d0\u05ea", "ar": "\u0627\u064a"}
    for low, high in languages.values():
        assert any(low <= letter <= high for each in incoming for letter in each.message or "")
    answered = sandbox.world.storage.rows(
        "SELECT count FROM run_counts WHERE kind='clicked' AND about='welcome-order'"
    )
    assert answered[0][0] > 0


def test_the_same_seed_and_clock_make_the_same_crowd(make_sandbox: Callable[..., Sandbox], tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        sandbox = stop_seeded_campaigns(make_sandbox(crowd=True))
        world = sandbox.world
        at = [world.clock.now_ms() // 86_400_000 * 86_400_000 + 100 * 86_400_000]
        world.clock.now_ms = lambda at=at: at[0]  # type: ignore[method-assign]
        world.storage.set_meta("crowd_next", at[0])
        for _ in range(20):
            at[0] += 20_000
            catch_up(world)
        told.append(
            world.storage.rows(
                "SELECT message_id, created_at, json FROM messages WHERE created_at > ?", at[0] - 400_000
            )
        )
    assert len(told[0]) > 15
    assert told[0] == told[1]
