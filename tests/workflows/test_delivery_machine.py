"""Whatever a builder, a colleague, the line and the power do to a workflow, nobody's work is written over unseen.

Random scripts; each seed is one that can be run again.
"""

import json
import random
from collections import Counter
from typing import Any

import httpx
import pytest

from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage.records import UNCONFIRMED, ChangeKind, ChangeState
from frontdesk.workflows import pending_payloads, versions
from frontdesk.workflows.request_body import export_document, update_body
from frontdesk_flows.diff import DRAWN, EDITOR_FLAG, REQUEST_ONLY, SERVER_MANAGED
from frontdesk_flows.execution import Count
from frontdesk_sandbox.workflow_runs import add_counts
from workflows.delivery_scene import LOST, NOT_SENT, WorkflowScene

WELCOME = "wf-welcome"
UPDATE, RESET = ChangeKind.WORKFLOW_UPDATE, ChangeKind.ANALYTICS_RESET
STEPS = 35


def digest(document: Any) -> str:
    """The fields that a person decides, without how nodes are drawn."""
    left = {"id", EDITOR_FLAG, *SERVER_MANAGED, *REQUEST_ONLY}
    kept = {name: value for name, value in document.items() if name not in left and value is not None}
    if isinstance(nodes := (kept.get("data") or {}).get("nodes"), list):
        kept["data"] |= {"nodes": [{name: each[name] for name in each if name not in DRAWN} for each in nodes]}
    return json.dumps(kept, sort_keys=True)


class Cut(BaseException):
    """The power goes."""


class Script:
    """One workflow and everybody who has to do with it.

    Attributes:
        seen: what the builder has seen of it or made of it, by its digest.
        had: what it ever was on the platform, the same way.
    """

    def __init__(self, scene: WorkflowScene, seed: int):
        self.scene, self.chance = scene, random.Random(seed)
        self.seen = {digest(scene.known(WELCOME))}
        self.had = set(self.seen)
        self.notes = 0
        self.unseen: list[str] = []
        self.is_calm = False
        scene.through.before, scene.through.after = self.before, self.after

    def row(self) -> Any:
        """The platform's own row, read without asking."""
        ((raw,),) = self.scene.sandbox.world.storage.rows("SELECT json FROM workflows WHERE id=?", WELCOME)
        return json.loads(raw)

    def before(self, request: httpx.Request) -> None:
        luck = 1.0 if self.is_calm else self.chance.random()
        if luck < 0.06:
            raise Cut
        if luck < 0.2:
            raise NOT_SENT
        if luck < 0.35:
            raise LOST
        if request.method == "PUT":
            row = self.row()
            is_taken = json.loads(request.content).get("lastModified") == row["lastModified"]
            if is_taken and digest(row) not in self.seen:
                self.unseen.append(row.get("notes", ""))

    def after(self, request: httpx.Request) -> None:
        if request.method == "PUT":
            self.seen.add(digest(self.row()))
            self.had.add(digest(self.row()))
        luck = 1.0 if self.is_calm else self.chance.random()
        if luck < 0.06:
            raise Cut
        if luck < 0.25:
            raise LOST

    def builder(self) -> None:
        """Does something to it, if it can be done, as it is shown at that moment."""
        services, changes = self.scene.services, outbox_queue.recent(self.scene.services.store.reading)
        deeds = ("update", "update", "switch", "reset", "over", "retry", "drop", "undo", "redo", "nothing")
        deed, shown = self.chance.choice(deeds), self.scene.known(WELCOME)
        self.notes += 1
        try:
            if deed in ("update", "switch", "undo", "redo"):
                self.seen.add(digest(shown))
            if deed == "update":
                body = update_body({**export_document(shown), "notes": f"mine {self.notes}"}, shown)
                services.workflows.update(WELCOME, body, shown).result()
            elif deed == "switch":
                services.workflows.set_active(WELCOME, not shown["isActive"], shown).result()
            elif deed == "reset":
                self.customer()
                services.workflows.reset_analytics(WELCOME).result()
            elif deed in ("undo", "redo"):
                getattr(services.outbox, deed)().result()
            elif deed == "over":
                for each in (each for each in changes if CHANGE_VIEWS[each.kind].needs_review(each)):
                    texts = pending_payloads.payload(services.store.reading, each.change_id)
                    self.seen.add(digest(json.loads(texts.theirs or "{}")))
                    services.outbox.retry(each.change_id, over_theirs=True).result()
            elif deed != "nothing" and changes:
                getattr(services.outbox, deed)(changes[0].change_id).result()
        except NotPossible:
            pass

    def customer(self) -> None:
        """Goes through it, so that there is something to zero."""
        storage = self.scene.sandbox.world.storage
        ((account,),) = storage.rows("SELECT account FROM workflows WHERE id=?", WELCOME)
        with storage.writing():
            add_counts(storage, account, Counter({Count("started", WELCOME): 1}), int(self.scene.now * 1000))

    def colleague(self) -> None:
        row = self.row()
        body = {"notes": f"theirs {self.notes}", "lastModified": row["lastModified"]}
        assert self.scene.sandbox.put(f"/workflows/{WELCOME}", body).is_success
        self.had.add(digest(self.row()))

    def engine(self) -> None:
        """Works for a moment; after a cut another one takes over."""
        try:
            self.scene.send(self.chance.choice((0.0, 1.0, 6.0, 12.0, 40.0)))
        except Cut:
            self.scene.adopt()

    def run(self) -> None:
        for _ in range(STEPS):
            luck = self.chance.random()
            if luck < 0.3:
                self.builder()
            elif luck < 0.4:
                self.colleague()
            else:
                self.engine()
        self.is_calm = True
        for _ in range(12):
            self.scene.send(40.0)


@pytest.mark.parametrize("seed", range(8))
def test_nobodys_work_is_written_over_unseen_and_everything_ends(scene: WorkflowScene, seed: int) -> None:
    script = Script(scene, seed)
    script.run()
    assert not script.unseen, "what a colleague did is gone"
    changes = outbox_queue.recent(scene.services.store.reading, 1_000)
    assert not [each for each in changes if each.state in UNCONFIRMED]
    done = [each for each in changes if each.state is ChangeState.CONFIRMED]
    for method, path, kind in (("PUT", "", UPDATE), ("POST", "/reset", RESET)):
        assert scene.asked(method, path) >= sum(1 for each in done if each.sends and each.kind is kind)
    gone = [each for each in done if each.kind is RESET and each.sends]
    assert len(versions.list_versions(scene.services.store.reading, WELCOME, versions.SNAPSHOT)) >= len(gone), (
        "nothing is zeroed that isn't kept"
    )
    assert digest(scene.known(WELCOME)) in script.had
