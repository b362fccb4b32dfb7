"""Whatever a person, the line, the platform and the power do to a campaign, it is never POSTed over itself.

Random scripts; each seed is one that can be run again.
"""

import dataclasses
import random
from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.campaigns.changes import drafts_of
from frontdesk.campaigns.draft import FromFile, build_body, new_draft, rename_draft
from frontdesk.campaigns.store import drafts
from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, ChangeKind, ChangeState
from frontdesk_api.client.errors import Ambiguous, NotSent, RateLimited, ServerError
from frontdesk_lists.models import ListedRecipient
from sync.scene import Scene

PEOPLE = [ListedRecipient(f"97252000{each:04}", "", "", each) for each in range(5)]
STEPS = 60
HARMLESS = (NotSent("offline"), RateLimited("slow", status=429))
DOUBTFUL = (
    Ambiguous("lost"),
    ServerError("broken", status=503),
    ServerError("no", status=500, error="late", message="Too late."),
)


class Cut(BaseException):
    """The power goes."""


class Script:
    """One campaign and everybody who has to do with it."""

    def __init__(self, scene: Scene, seed: int):
        self.scene, self.chance = scene, random.Random(seed)
        at = datetime.fromtimestamp(scene.now, UTC)
        self.draft = rename_draft(new_draft(at, random.Random(seed), FromFile("x.csv")), "Sale")
        self.wishes = 0
        self.harmless = 0
        self.over_itself = 0
        scene.platform.step = self.meet

    async def meet(self, what: str, target: str) -> None:
        """What comes between, at each request."""
        if what == "post" and target in self.scene.platform.campaigns:
            self.over_itself += 1
        luck = self.chance.random()
        if luck < 0.1:
            raise Cut
        if luck < 0.3 and what == "post":
            self.harmless += 1
            raise self.chance.choice(HARMLESS)
        if luck < 0.6:
            raise self.chance.choice(DOUBTFUL if what != "look" else (NotSent("offline"), Ambiguous("lost")))

    def person(self) -> None:
        """Does something to it, if it can be done."""
        services, changes = self.scene.services, self.scene.all()
        deed = self.chance.choice(("create", "create", "retry", "retry", "drop", "undo", "nothing", "nothing"))
        try:
            if deed == "create":
                draft = dataclasses.replace(self.draft, description=str(len(changes)))
                services.campaigns.create(draft, build_body(draft, PEOPLE)).result()
                self.wishes += 1
            elif deed == "undo":
                services.outbox.undo().result()
            elif deed != "nothing" and changes:
                getattr(services.outbox, deed)(changes[-1].change_id).result()
                self.wishes += deed == "retry"
        except NotPossible:
            pass

    def engine(self) -> None:
        """Works for a moment; after a cut another one takes over."""
        try:
            self.scene.send(self.chance.choice((0.5, 6.0, 20.0, 70.0)))
        except Cut:
            self.scene.sender = self.scene.new_sender()


@pytest.mark.parametrize("seed", range(12))
def test_it_is_never_posted_over_itself(scene: Scene, seed: int) -> None:
    script = Script(scene, seed)
    for _ in range(STEPS):
        script.person()
        script.engine()
    scene.platform.step = None
    for _ in range(12):
        scene.send(70)
    campaign_id = script.draft.campaign_id
    states = [change.state for change in scene.all() if change.kind is ChangeKind.CAMPAIGN]
    is_stored = campaign_id in scene.platform.campaigns
    receipt: Any = queue.kept(scene.services.store.reading, drafts.RECEIPT, campaign_id)
    assert not set(states) & set(UNCONFIRMED), "everything comes to an end"
    assert script.over_itself == 0
    assert scene.platform.count("post") <= script.wishes + script.harmless
    assert states.count(ChangeState.CONFIRMED) == (receipt is not None) <= is_stored
    assert drafts.has_body(scene.store.reading, campaign_id) == bool(set(states) & set(NEEDS_PERSON))
    assert bool(drafts_of(scene.services.store.reading)) == (receipt is None and bool(states))
