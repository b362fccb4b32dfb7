"""Campaigns in a team: the leader reads what the desks watch, and each reads a list of recipients once itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.storage import clients
from frontdesk_api.contract.ids import CampaignId
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Rewrite, Works, run
from team.desks import Desks, follows, is_alone, leads

pytestmark = pytest.mark.slow

OURS, THEIRS = CampaignId("cmp-early-access"), CampaignId("cmp-weekend")
"""One that both desks watch, and one that only Dan's does."""


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    return Desks(sandbox, team, tmp_path, filled_store)


def record(desk: Works, campaign_id: CampaignId) -> CampaignRecord:
    found = campaigns.watched_record(desk.store.reading, campaign_id)
    assert found is not None
    return found


def reads(desk: Works, campaign_id: CampaignId) -> int:
    """How often the desk itself has read a campaign."""
    return desk.line.paths()[f"/campaigns/{campaign_id}"]


def reads_of_both(desk: Works) -> list[int]:
    return [reads(desk, each) for each in (OURS, THEIRS)]


def changed(change: Callable[[dict[str, Any]], object]) -> Rewrite:
    """Answer campaigns with a difference."""

    def rewrite(body: bytes) -> bytes:
        raw = json.loads(body)
        if isinstance(raw, dict) and str(raw.get("id")).startswith("cmp-"):
            change(raw)
        return json.dumps(raw).encode()

    return rewrite


def renamed(name: str) -> Rewrite:
    return changed(lambda raw: raw.update(name=name))


async def watching(noa: Works, dan: Works) -> None:
    """Let Noa lead, and Dan look at his campaigns, until she reads them and he doesn't.

    Before that, an answer that he asked for himself may come after what a test lets her read.
    """
    for desk in (noa, dan):
        for each in campaigns.watched_ids(desk.store.reading):
            desk.services.campaigns.unwatch(each)
    noa.services.campaigns.watch(OURS)
    dan.services.campaigns.watch(OURS)
    dan.services.campaigns.watch(THEIRS)
    await noa.until(lambda: leads(noa) and record(noa, OURS).read_at is not None)
    clock = dan.services.store.clock
    dan.services.sync.report_focus(clients.Focus(screen="campaigns", active_at=clock()))
    await dan.until(lambda: follows(dan) and all(record(dan, each).read_at for each in (OURS, THEIRS)))
    has_read_himself = True
    while has_read_himself:
        before, hers = reads_of_both(dan), reads_of_both(noa)
        await noa.until(
            lambda then=hers: all(now >= n + 2 for now, n in zip(reads_of_both(noa), then, strict=True))
        )
        has_read_himself = reads_of_both(dan) != before


def test_the_leader_reads_for_the_others_also_what_nobody_watches_at_its_desk(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            for each in (OURS, THEIRS):
                await dan.until(lambda each=each: record(dan, each).name == "by the leader")
            before, leaders = reads_of_both(dan), reads_of_both(noa)
            noa.line.rewrite = renamed("once more")
            for each in (OURS, THEIRS):
                await dan.until(lambda each=each: record(dan, each).name == "once more")
            assert reads_of_both(dan) == before
            assert all(now > then for now, then in zip(reads_of_both(noa), leaders, strict=True))
            assert campaigns.watched_ids(noa.store.reading) == [OURS]
            assert campaigns.count_recipients(noa.store.reading, THEIRS) is None, "not stored here"

    run(test)


def test_a_list_of_recipients_that_has_changed_is_read_by_each_desk_itself(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            await dan.until(lambda: record(dan, OURS).name == "by the leader")
            before = reads(dan, OURS)
            noa.line.rewrite = dan.line.rewrite = changed(lambda raw: raw.update(customerList=[{"name": "Ana"}]))
            await dan.until(lambda: campaigns.count_recipients(dan.store.reading, OURS) == 1)
            assert reads(dan, OURS) > before

    run(test)


def test_a_desk_whose_leader_cannot_read_a_campaign_reads_it_itself(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            await dan.until(lambda: record(dan, THEIRS).name == "by the leader")
            before = reads(dan, THEIRS)
            noa.line.rewrite = changed(lambda raw: raw.update(id=None))
            await dan.until(lambda: reads(dan, THEIRS) > before)
            await dan.until(lambda: record(dan, THEIRS).name != "by the leader")
            assert not record(dan, THEIRS).problem

    run(test)


def test_a_campaign_that_was_unwatched_meanwhile_is_read_anew(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            await dan.until(lambda: record(dan, OURS).name == "by the leader")
            dan.services.campaigns.unwatch(OURS)
            noa.line.rewrite = renamed("missed")
            await noa.until(lambda: record(noa, OURS).name == "missed")
            # Rows come in order: once Dan has this later one, he has passed the missed one unwatched.
            noa.line.rewrite = changed(lambda raw: raw.update(name="missed" if raw["id"] == OURS else "later"))
            await dan.until(lambda: record(dan, THEIRS).name == "later")
            before = reads(dan, OURS)
            dan.services.campaigns.watch(OURS)
            await dan.until(lambda: reads(dan, OURS) > before)

    run(test)


def test_a_request_to_read_everything_keeps_no_campaign_from_the_desk(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            await dan.until(lambda: record(dan, OURS).name == "by the leader")
            clock = dan.services.store.clock
            dan.services.sync.report_focus(clients.Focus(screen="inbox", active_at=clock()))
            dan.services.sync.request_refresh()
            noa.line.rewrite = dan.line.rewrite = changed(lambda raw: raw.update(customerList=[{"name": "Ana"}]))
            for each in (OURS, THEIRS):
                await dan.until(lambda each=each: campaigns.count_recipients(dan.store.reading, each) == 1)

    run(test)


def test_a_desk_that_is_alone_reads_its_campaigns_again(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await watching(noa, dan)
            noa.line.rewrite = renamed("by the leader")
            await dan.until(lambda: record(dan, OURS).name == "by the leader")
            desks.cut("dan")
            await dan.until(lambda: is_alone(dan))
            await dan.until(lambda: record(dan, OURS).name != "by the leader")

    run(test)
