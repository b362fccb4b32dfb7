"""The two ways through the house, over the sandbox: a poll down, a change up."""

import asyncio
import re
from functools import partial

import pytest

from frontdesk.ai_agents import store as agent_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.engine import engine
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.clients import WHOLE_WORKFLOWS, Focus
from frontdesk.storage.records import ChangeState, Connection, ConversationOrder
from frontdesk.sync import backoff
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.contract.ids import AgentId, CampaignId, ConversationId, StatusId, TagId, TaskId
from frontdesk_sandbox import fixtures
from sample_json import raw_message
from sandbox.asking import Sandbox
from sync.running_engine import Start, Works, run

LINE = fixtures.LINES[0].id
DONE = StatusId("completed")


def any_open_task(it: Works) -> TaskId:
    return task_store.ids_of_status(it.services.store.reading, StatusId("open"), 1)[0]


def all_tasks(it: Works) -> int:
    return sum(task_store.counts_by_status(it.services.store.reading).values())


def test_all_pages_of_tasks_come_into_the_store(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works() as it:
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)
            await it.until(lambda: all_tasks(it) == 340)

    run(story)


@pytest.mark.slow
def test_a_change_is_shown_at_once_and_then_true_on_the_platform(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            task_id = any_open_task(it)
            it.services.tasks.set_status([task_id], DONE).result()
            shown = record_lookup.task(it.services.store.reading, task_id)
            assert shown is not None
            assert (shown.status, tuple(shown.pending)) == ("completed", ("statusCase",))
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            shown = record_lookup.task(it.services.store.reading, task_id)
            assert shown is not None
            assert (shown.status, tuple(shown.pending)) == ("completed", ())
            assert it.line.count("PATCH") == 1
        return

    run(story)
    confirmed = [
        task for task in sandbox.post("/tasks/list", {"limit": 1}).json()["dbObject"] if task["statusCase"] == DONE
    ]
    assert confirmed, "the task touched last is the completed one"


@pytest.mark.slow
def test_the_platforms_clock_is_kept_with_the_heartbeat(works: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlatformClient, "clock_offset", 7_200.0)

    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.services.store.clock_offset() == 7_200.0)

    run(story)


@pytest.mark.slow
def test_quick_changes_of_one_task_are_one_patch(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            task_id = any_open_task(it)
            it.services.tasks.set_status([task_id], StatusId("standby"))
            it.services.tasks.set_status([task_id], DONE)
            it.services.tasks.set_due([task_id], 1_900_000_000).result()
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            task = record_lookup.task(it.services.store.reading, task_id)
            assert task is not None
            assert (task.status, task.due_at) == ("completed", 1_900_000_000.0)
            assert it.line.count("PATCH") == 1

    run(story)


@pytest.mark.slow
def test_no_colleague_is_silently_taken_off(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            task_id = any_open_task(it)
            it.services.tasks.assign([task_id], [AgentId("agent-new")], []).result()
            await asyncio_patch(sandbox, task_id, {"assignedAgentIds": ["agent-colleague"]})
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            task = record_lookup.task(it.services.store.reading, task_id)
            assert task is not None
            assert set(task.assigned) == {"agent-colleague", "agent-new"}

    run(story)


@pytest.mark.slow
def test_a_field_that_someone_else_changed_is_a_conflict(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            task_id = any_open_task(it)
            it.services.tasks.set_status([task_id], DONE).result()
            await asyncio_patch(sandbox, task_id, {"statusCase": "standby"})
            await it.until(lambda: outbox_bulk.undecided_count(it.services.store.reading) == 1)
            change = outbox_queue.recent(it.services.store.reading)[0]
            assert (change.state, change.theirs) == (ChangeState.CONFLICT, {"statusCase": "standby"})
            assert it.line.count("PATCH") == 0
            task = record_lookup.task(it.services.store.reading, task_id)
            assert task is not None
            assert task.status == "standby"

    run(story)


@pytest.mark.slow
def test_an_answer_that_was_lost_is_read_back_and_not_sent_again(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            it.line.loses_answers_to = "PATCH"
            it.services.tasks.set_status([any_open_task(it)], DONE).result()
            await it.until(lambda: it.line.count("PATCH") == 1)
            it.line.loses_answers_to = ""
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            assert outbox_queue.recent(it.services.store.reading)[0].state is ChangeState.CONFIRMED
            assert it.line.count("PATCH") == 1

    run(story)


@pytest.mark.slow
def test_offline_keeps_what_is_known_and_sends_when_it_can(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            it.line.is_cut = True
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.OFFLINE)
            task_id = any_open_task(it)
            it.services.tasks.set_status([task_id], DONE).result()
            assert all_tasks(it) == 340
            it.line.is_cut = False
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            assert outbox_queue.recent(it.services.store.reading)[0].state is ChangeState.CONFIRMED

    run(story)


def test_older_messages_come_page_by_page_when_asked_for(works: Start, sandbox: Sandbox) -> None:
    pair = {"phoneNumberId": LINE, "targetPhoneNumberId": "C-test"}
    for number in range(60):
        message = raw_message(
            number + 1, sender="C-test", receiver=LINE, participantsIdentifiers=f"{LINE}#C-test", **pair
        )
        assert sandbox.post("/sandbox/messages", message).status_code < 300
    sandbox.task(
        **{
            "title": "t",
            "phoneNumberId": LINE,
            "participantsIdentifiers": f"{LINE}#C-test",
            "customer": {"phoneNumberId": "C-test", "customerName": "Test", "lastActiveAt": 4e12},
        }
    )
    here = ConversationId(f"{LINE}#C-test")

    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: thread_store.segments(it.services.store.reading, here))
            for known in (25, 50):
                assert len(thread_pages.page_before(it.services.store.reading, here, None, 100)) == known
                (stretch,) = thread_store.segments(it.services.store.reading, here)
                assert not stretch.complete
                it.services.sync.request_older(here, stretch.oldest)
                await it.until(
                    lambda known=known: (
                        len(thread_pages.page_before(it.services.store.reading, here, None, 100)) > known
                    )
                )
            (stretch,) = thread_store.segments(it.services.store.reading, here)
            assert stretch.complete
            assert len(thread_pages.page_before(it.services.store.reading, here, None, 100)) == 60

    run(story)


def test_tags_are_given_after_the_moment_in_which_they_can_be_taken_back(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: all_tasks(it) == 340)
            here = conversation_store.ids(it.services.store.reading, ConversationOrder.NAME)[0]
            it.services.inbox.give_tags([here], [TagId("tag-vip")]).result()
            await it.engine.flush(10)
            await it.until(lambda: outbox_bulk.unconfirmed_count(it.services.store.reading) == 0)
            assert ("POST", f"/conversations/{here}/tags") in it.line.seen

    run(story)


def test_a_watched_campaign_is_read_and_an_unknown_one_says_so(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            it.services.campaigns.watch(CampaignId("cmp-early-access"))
            it.services.campaigns.watch(CampaignId("no-such-campaign"))
            await it.until(
                lambda: len([each for each in campaign_store.watched(it.services.store.reading) if each.name]) == 1
            )
            await it.until(lambda: any(each.problem for each in campaign_store.watched(it.services.store.reading)))

    run(story)


def test_whole_workflows_are_read_while_somebody_looks_at_them_and_when_asked_for(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            listed = partial(workflow_store.listing, it.services.store.reading)
            await it.until(lambda: listed().read_at is not None)
            assert {each.read_at for each in listed().records} == {None}
            it.services.sync.report_focus(Focus("workflows", active_at=it.services.store.clock()))
            await it.until(lambda: all(each.read_at for each in listed().records))
            assert workflow_store.text(it.services.store.reading, listed().records[0].workflow_id)
            it.services.sync.report_focus(Focus("inbox", active_at=it.services.store.clock()))
            number = len(it.line.seen)
            it.services.sync.request_refresh(WHOLE_WORKFLOWS)
            await it.until(lambda: it.line.paths(number)["/workflows"])

    run(story)


@pytest.mark.slow
def test_a_refresh_is_not_answered_by_a_read_that_began_before_it(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            it.line.hangs_at = "/workflows"
            it.services.sync.report_focus(Focus("workflows", active_at=it.services.store.clock()))
            await it.until(lambda: it.line.hanging)
            it.services.sync.report_focus(Focus("inbox", active_at=it.services.store.clock()))
            ask = await asyncio.to_thread(it.services.sync.request_refresh(WHOLE_WORKFLOWS).result)
            await it.until(lambda: became(it, ask) == ("done", ""))
            before = len(it.line.seen)
            it.line.release_keys()
            await it.until(lambda: it.line.paths(before)["/workflows"] >= 2)

    run(story)


def test_a_workflow_that_somebody_waits_for_is_read_at_once_and_it_is_said_why_not(
    works: Start, sandbox: Sandbox
) -> None:
    async def story() -> None:
        async with works() as it:
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask) == ("done", ""))
            assert workflow_store.text(it.services.store.reading, "wf-survey")
            ask = await asyncio.to_thread(it.services.sync.request_workflow("nobody's").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            assert "isn't in the platform's list (8 workflows)" in became(it, ask)[1]
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [{"path": "/workflows", "kind": "garbage"}])
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            await asyncio.to_thread(
                sandbox.put, "/sandbox/faults", [{"path": "/workflows", "kind": "status", "status": 503}]
            )
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            assert "503" in became(it, ask)[1]
            it.line.is_cut = True
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            assert became(it, ask)[1]

    run(story)


@pytest.mark.slow
def test_an_ask_for_a_workflow_is_settled_by_a_read_that_began_after_it(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            it.line.hangs_at = "/workflows"
            early = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: it.line.hanging)
            late = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            assert late != early
            before = len(it.line.seen)
            it.line.release_keys()
            await it.until(lambda: became(it, early) == became(it, late) == ("done", ""))
            assert it.line.paths(before)["/workflows"] == 4, "the list and the documents, twice"

    run(story)


@pytest.mark.slow
def test_one_read_settles_all_that_wait_for_workflows(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            it.line.hangs_at = "/workflows"
            first = await asyncio.to_thread(it.services.sync.request_workflow("").result)
            await it.until(lambda: it.line.hanging)
            waiting = [
                await asyncio.to_thread(it.services.sync.request_workflow(each).result)
                for each in ("", "wf-survey", "nobody's", "wf-survey")
            ]
            before = len(it.line.seen)
            it.line.release_keys()
            await it.until(lambda: all(became(it, each)[0] != "asked" for each in (first, *waiting)))
            assert [became(it, each)[0] for each in waiting] == ["done", "done", "failed", "done"]
            assert "isn't in the platform's list (8 workflows)" in became(it, waiting[2])[1]
            assert it.line.paths(before)["/workflows"] == 4, "the read that hung, and one for all who came after"

    run(story)


def test_a_platform_that_wants_fewer_requests_is_not_asked_for_a_workflow(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works() as it:
            fault = {"path": "/workflows", "kind": "status", "status": 429, "headers": {"Retry-After": "600"}}
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [fault])
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [])
            before = it.line.paths()["/workflows"]
            ask = await asyncio.to_thread(it.services.sync.request_workflow("wf-survey").result)
            await it.until(lambda: became(it, ask)[0] == "failed")
            assert re.search(r"throttled by the platform until .*\d\d:\d\d:\d\d$", became(it, ask)[1])
            assert it.line.paths()["/workflows"] == before

    run(story)


def test_a_platform_that_refuses_every_read_is_not_called_live(works: Start, sandbox: Sandbox) -> None:
    paths = ("/tasks/list", "/workflows", "/ai-agents")

    async def story() -> None:
        faults = [{"path": path, "kind": "status", "status": 400} for path in paths]
        await asyncio.to_thread(sandbox.put, "/sandbox/faults", faults)
        async with works() as it:
            it.services.sync.report_focus(Focus("workflows", active_at=it.services.store.clock()))
            said = set()

            def has_tried_all() -> bool:
                said.add(clients.health(it.services.store.reading).state)
                return all(it.line.paths()[path] for path in paths[:2])

            await it.until(has_tried_all)
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.FAILING)
            assert said <= {Connection.STARTING, Connection.FAILING}
            health = clients.health(it.services.store.reading)
            assert (health.state, health.fresh_at) == (Connection.FAILING, None)
            assert "the platform rejected the request" in health.reason
            await asyncio.to_thread(sandbox.put, "/sandbox/faults", [])
            it.services.sync.request_refresh("")
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)

    run(story)


def test_a_refusal_of_one_list_is_no_trouble_of_a_host_that_sends_another(works: Start, sandbox: Sandbox) -> None:
    async def story() -> None:
        async with works() as it:
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)
            it.services.campaigns.watch(CampaignId("no-such-campaign"))
            await it.until(lambda: any(each.problem for each in campaign_store.watched(it.services.store.reading)))
            assert clients.health(it.services.store.reading).state is Connection.LIVE

    run(story)


def became(it: Works, ask_id: int) -> tuple[str, str]:
    """What came of something asked for, and why not."""
    ask = clients.request_by_id(it.services.store.reading, ask_id)
    return ("gone", "") if ask is None else (ask.state, ask.reason)


def test_ai_agents_have_their_files_while_somebody_looks_at_them(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            listed = partial(agent_store.listing, it.services.store.reading)
            await it.until(lambda: listed().records)
            assert listed().lacks
            it.services.sync.report_focus(Focus("agents", active_at=it.services.store.clock()))
            await it.until(lambda: not listed().lacks)
            assert any(each.raw["vectorStore"]["files"] for each in listed().records)

    run(story)


async def asyncio_patch(sandbox: Sandbox, task_id: TaskId, fields: dict[str, object]) -> None:
    """A colleague's change, made by somebody else's program."""
    response = await asyncio.to_thread(sandbox.patch, f"/tasks/{task_id}", fields)
    assert response.status_code == 200


@pytest.mark.slow
def test_a_thread_is_caught_up_over_several_pages_without_a_gap(works: Start, sandbox: Sandbox) -> None:
    pair = {"phoneNumberId": LINE, "targetPhoneNumberId": "C-test"}
    here = ConversationId(f"{LINE}#C-test")

    def arrive(first: int, last: int) -> None:
        for number in range(first, last):
            message = raw_message(number, sender="C-test", receiver=LINE, participantsIdentifiers=here, **pair)
            assert sandbox.post("/sandbox/messages", message).status_code < 300

    customer = {"phoneNumberId": "C-test", "customerName": "Test", "lastActiveAt": 4e12}
    arrive(1, 11)
    sandbox.task(title="t", phoneNumberId=LINE, participantsIdentifiers=here, customer=customer)

    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: thread_store.segments(it.services.store.reading, here))
            await asyncio.to_thread(arrive, 11, 111)
            it.services.sync.report_focus(Focus("inbox", here, active_at=it.services.store.clock()))
            it.services.sync.request_refresh(here)
            await it.until(
                lambda: len(thread_pages.page_before(it.services.store.reading, here, None, 500)) == 110
            )
            await it.until(lambda: len(thread_store.segments(it.services.store.reading, here)) == 1)

    run(story)


@pytest.mark.slow
def test_it_comes_back_by_itself_when_the_line_does(works: Start) -> None:
    async def story() -> None:
        async with works(is_filled=True) as it:
            await it.until(lambda: it.engine.has_read_all)
            it.services.sync.report_focus(
                Focus(
                    "inbox",
                    conversation_store.ids(it.services.store.reading, ConversationOrder.NAME)[0],
                    active_at=it.services.store.clock(),
                )
            )
            it.line.is_cut = True
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.OFFLINE)
            it.line.is_cut = False
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)

    run(story)


def test_a_platform_that_hangs_is_not_called_live_until_its_requests_are_given_up(
    works: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backoff, "UNANSWERED_SECONDS", 0.05)
    monkeypatch.setattr(engine, "UNANSWERED_CHECK_SECONDS", 0.02)

    async def story() -> None:
        async with works() as it:
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)
            it.line.hangs_at = "/"
            it.services.sync.request_refresh()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.WAITING)
            it.line.release_keys()
            await it.until(lambda: clients.health(it.services.store.reading).state is Connection.LIVE)

    run(story)
