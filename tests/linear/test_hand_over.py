"""A hand-over as one action: one entry of Activity, one undo, one redo."""

from dataclasses import replace

import apsw
import pytest

from frontdesk.activity.view import group_changes
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.changes import NoteDraft
from frontdesk.outbox import queue
from frontdesk.outbox.batches import ActionResult
from frontdesk.registry.hand_over import hand_over
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import UNCONFIRMED, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId
from frontdesk_api.hosts import Hosts
from sample_json import raw_task
from services import Services

ME, HERE, NOW = AgentId("me"), ConversationId("L1#C1"), 100_000.0


def confirm_all(store: Store, assigned: str) -> None:
    """The platform and the relay have taken everything; the task is assigned to this agent."""

    def confirm(db: apsw.Connection) -> None:
        for each in queue.recent(db, 9):
            queue.move(db, each.change_id, ChangeState.CONFIRMED, expected=tuple(UNCONFIRMED), now=NOW)
        task_store.put(db, [raw_task(1, assignedAgentIds=[assigned])])

    store.write(confirm).result()


@pytest.mark.parametrize("is_sent", [False, True])
def test_a_hand_over_its_undo_and_its_redo_are_an_entry_each(store: Store, is_sent: bool) -> None:
    profile = replace(Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), agent_id=ME)
    services = Services(store, profile, Settings(), clock=lambda: NOW)
    services.inbox.open_conversation(LineId("L1"), CustomerId("C1")).result()
    store.write(lambda db: task_store.put(db, [raw_task(1, assignedAgentIds=[ME])])).result()
    (task,) = record_lookup.tasks_of_conversation(store.reading, HERE)
    hand_over(services.store, NoteDraft(HERE, "go on", hand_over_to=AgentId("dan")), task, None).result()
    for number, act in enumerate((services.outbox.undo, services.outbox.redo), 2):
        if is_sent:
            confirm_all(store, "dan" if number == 2 else ME)
        done = act().result()
        assert isinstance(done, ActionResult)
        assert (done.count, done.problems) == (1, ())
        entries = group_changes(queue.recent(store.reading, 9))
        assert [len(each.changes) for each in entries] == [2] * (number if is_sent else len(entries))
