"""Workflows and AI agents in the linear mode: what a list says of them, and what opening one tells."""

from typing import Any

from frontdesk.ai_agents import store as agent_store
from frontdesk.workflows import store as workflow_store
from frontdesk_sandbox.seeding.seed import make_ai_agents
from linear.running_session import NOW, Desktop

FLOW: dict[str, Any] = {
    "id": "w1",
    "name": "Welcome",
    "isActive": True,
    "lastModified": 100,
    "triggerType": "Manual",
}


def test_workflows_say_how_often_they_ran_and_that_more_exist(at: Desktop) -> None:
    at.change(
        lambda db: workflow_store.put_listing(db, [FLOW, {"id": "w2"}], has_more=True, requested_at=1.0, now=1.0)
    )
    at.change(
        lambda db: workflow_store.put_whole(
            db, FLOW | {"executionCount": 7, "analytics": {"totalStarted": 7, "totalDropped": 2}}, NOW
        )
    )
    said = at.say("workflows")
    assert "Workflows, 2; the platform has more than it lists:" in said
    assert "1. Welcome, active, trigger Manual, ran 7 times." in said
    assert "2. w2, status unknown." in said
    said = at.say("1")
    assert "Started: 7.\n" in said
    assert "Dropped: 2, 29%.\n" in said
    at.say("workflows")
    assert "Traffic: not loaded." in at.say("2")


def test_ai_agents_say_what_they_used_and_that_they_are_no_people(at: Desktop) -> None:
    agents = make_ai_agents(int(NOW * 1000))[:2]
    at.change(lambda db: agent_store.put(db, agents, NOW, lacks=""))
    assert "2. Returns assistant (English), active, 56,129 tokens used, Explains returns" in at.say("agents")
    said = at.say("2")
    assert "An AI agent is not a person" in said
    assert "Files: 1." in said
    assert "Role 1: answer, " in said
    assert "Role 2: handover, " in said
    assert "Tell the customer" not in said, "a long text is in raw"
