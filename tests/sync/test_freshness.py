"""Which reads are late, how each screen says so, and that the words seldom change."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.engine.engine import HEARTBEAT_SECONDS
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Connection, Health, LateRead
from frontdesk.sync.freshness import (
    AGE_STEPS,
    DAY,
    HELD_SECONDS,
    LATE_INTERVALS,
    LIVE_SECONDS,
    OPENED_SECONDS,
    REPORT_SECONDS,
    LateReads,
    max_age,
)
from frontdesk.sync.scheduler import CAMPAIGN_ON_SCREEN, UNFOCUSED, DuePoll, Job, PollKind
from frontdesk.sync.status_view import age_words, view_health
from frontdesk_api.contract.ids import CampaignId
from frontdesk_sandbox import fixtures
from sync.running_engine import Clocks, Start, run
from sync.simulated_reads import START, Simulation, running_campaign

NOW = 1_000_000.0
THREAD = Job(PollKind.THREAD, "t1")
HEAD = Job(PollKind.TASKS_HEAD)
INBOX, CAMPAIGNS, BOARD = Focus("inbox", "t1"), Focus("campaigns"), Focus("board")
LIVE = Health(Connection.LIVE)


def poll(job: Job, interval: float = 3.0) -> DuePoll:
    return DuePoll(NOW, job, interval, is_on_screen=True)


def late_after(
    job: Job, age: float | None, interval: float = 3.0, shown_for: float = 60.0
) -> tuple[LateRead, ...]:
    reads = LateReads()
    reads.update([poll(job, interval)], {job: NOW - shown_for}, NOW - shown_for)
    return reads.update([poll(job, interval)], {} if age is None else {job: NOW - age}, NOW)


def test_a_read_is_late_beyond_twice_its_interval() -> None:
    assert late_after(THREAD, 6.0) == ()
    assert late_after(THREAD, 6.1) == (LateRead("thread", "t1", 10.0),)
    assert late_after(THREAD, 6.1, interval=3.0 * UNFOCUSED) == (), "nobody looks closely"
    assert late_after(THREAD, None) == (LateRead("thread", "t1", None),), "this engine never read it"


def test_what_was_just_opened_is_being_read() -> None:
    assert late_after(THREAD, 300.0, shown_for=OPENED_SECONDS - 0.1) == ()
    assert late_after(THREAD, None, shown_for=OPENED_SECONDS - 0.1) == ()
    assert late_after(THREAD, 300.0, shown_for=OPENED_SECONDS) != ()


def test_a_person_who_comes_back_sees_what_is_read_then_and_not_first_that_it_is_late() -> None:
    reads = LateReads()
    reads.update([poll(HEAD, 300.0)], {HEAD: NOW}, NOW)
    read_at = {HEAD: NOW + 200}
    assert reads.update([poll(HEAD, 5.0)], read_at, NOW + 400) == ()
    assert reads.update([poll(HEAD, 5.0)], {HEAD: NOW + 401}, NOW + 401) == ()


def test_the_oldest_of_the_last_seconds_is_reported() -> None:
    reads = LateReads()
    reads.update([poll(THREAD)], {}, NOW)
    at = NOW + 30
    assert [each.max_age for each in reads.update([poll(THREAD)], {THREAD: at - 17}, at)] == [20.0]
    assert [each.max_age for each in reads.update([poll(THREAD)], {THREAD: at}, at + 1)] == [20.0]
    assert reads.update([poll(THREAD)], {THREAD: at + HELD_SECONDS}, at + HELD_SECONDS) == ()
    assert reads.update([poll(THREAD)], {}, at + 50) == (LateRead("thread", "t1", None),)
    assert reads.update([poll(THREAD)], {THREAD: at + 50}, at + 51) == (), "loading ends at once"


def test_what_left_the_screen_is_forgotten() -> None:
    reads = LateReads()
    reads.update([poll(THREAD)], {}, NOW)
    assert reads.update([poll(THREAD)], {THREAD: NOW}, NOW + 30)
    assert reads.update([poll(HEAD)], {HEAD: NOW + 31}, NOW + 31) == ()


def test_what_its_interval_lets_grow_older_than_live_has_the_age_that_it_may_reach() -> None:
    assert late_after(HEAD, 3.0, interval=13.0) == ()
    for interval, age, step in ((15.0, 3.0, 30.0), (15.0, 29.9, 45.0), (50.0, 0.0, 60.0), (200.0, 0.0, 300.0)):
        assert late_after(HEAD, age, interval) == (LateRead("tasks", "", step, is_late=False),), interval
    assert late_after(HEAD, 0.0, 50.0, shown_for=1.0) == (), "it is being read"
    health = LIVE._replace(late=late_after(HEAD, 0.0, 50.0))
    assert view_health(health, INBOX) == health
    assert view_health(health, CAMPAIGNS) == LIVE, "another screen"
    late = (*health.late, LateRead("thread", "t1", 30.0))
    assert view_health(LIVE._replace(late=late), INBOX) == Health(Connection.DELAYED, late=health.late)


@pytest.mark.parametrize("screen", ["inbox", "campaigns", "workflows"])
def test_live_is_at_most_fifteen_seconds_old_also_while_nobody_touches_it(screen: str) -> None:
    """It was said of what was up to a minute old, ten minutes after the last key."""
    focus = Focus(screen, "t1" if screen == "inbox" else "", active_at=START)
    ended = replace(running_campaign("c1", "completed"), completed_at=START + 400)
    sim = Simulation([focus], [running_campaign("c0"), ended], differs=lambda job: len(sim.reads) % 3 == 0)
    jobs = {"inbox": [HEAD, THREAD], "campaigns": [Job(PollKind.CAMPAIGN, "c0")]}
    shown = jobs.get(screen, [Job(PollKind.WORKFLOWS), Job(PollKind.WHOLE_WORKFLOWS)])
    said = list[Health]()

    def look() -> None:
        health = view_health(LIVE._replace(late=sim.poller.late_reads()), focus)
        said.append(health)
        if len(said) > 11:
            read = [sim.asked_last.get(job, 0.0) for job in shown]
            oldest = max((each.max_age or float("inf") for each in health.late), default=LIVE_SECONDS)
            assert sim.clock() - min(read) <= oldest + REPORT_SECONDS, len(said)

    sim.run(700, look)
    if screen != "workflows":
        assert not any(each.late for each in said[10:500]), "while somebody looks"
    assert sum(one != other for one, other in pairwise(said)) <= 20, "the words seldom change"


def test_campaigns_are_reported_together() -> None:
    jobs = [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(3)]
    reads = LateReads()
    reads.update([poll(each) for each in jobs], {}, NOW - 60)
    read_at = {each: NOW - 6 - 7 * number for number, each in enumerate(jobs)}
    assert reads.update([poll(each) for each in jobs], read_at, NOW) == (LateRead("campaign", "", 30.0),)


@given(st.floats(0, 3 * DAY))
def test_an_age_stays_below_what_is_said_until_the_next_report(age: float) -> None:
    found = max_age(age)
    assert found is not None
    assert age + REPORT_SECONDS <= found
    assert found == float("inf") or found in AGE_STEPS
    assert max_age(age + 5) >= found  # type: ignore[operator]
    assert len(age_words(found)) <= len("up to 45 min old")


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0.1, 30), st.booleans()), min_size=1, max_size=40),
    st.sampled_from([2.0, 3.0, 5.0, 15.0]),
)
def test_nothing_late_is_live_and_what_is_said_is_true(steps: list[tuple[float, bool]], interval: float) -> None:
    reads, now, read_at = LateReads(), NOW, {}
    reads.update([poll(THREAD, interval)], read_at, now)
    for seconds, is_read in steps:
        now += seconds
        if is_read:
            read_at = {THREAD: now}
        found = view_health(LIVE._replace(late=reads.update([poll(THREAD, interval)], read_at, now)), INBOX)
        age = now - read_at.get(THREAD, float("-inf"))
        if now - NOW >= OPENED_SECONDS and age > LATE_INTERVALS * interval:
            assert found.state is (Connection.DELAYED if THREAD in read_at else Connection.LOADING)
        if found.state is Connection.DELAYED:
            (oldest,) = found.late
            assert oldest.max_age is not None
            assert age <= oldest.max_age
        if found.state is Connection.LOADING:
            assert THREAD not in read_at


@pytest.mark.parametrize(
    ("kind", "target", "shown_on"),
    [
        (PollKind.THREAD, "t1", {INBOX}),
        (PollKind.THREAD, "t2", set()),
        (PollKind.TASKS_HEAD, "", {INBOX, BOARD}),
        (PollKind.TASKS_OF, "mine", {Focus("board", tasks_of="mine")}),
        (PollKind.CAMPAIGN, "", {CAMPAIGNS}),
        (PollKind.WHOLE_WORKFLOWS, "", {Focus("workflows")}),
        (PollKind.AI_AGENTS, "files", {Focus("agents")}),
    ],
)
def test_each_screen_says_what_is_late_on_it_alone(kind: PollKind, target: str, shown_on: set[Focus]) -> None:
    every = {INBOX, CAMPAIGNS, BOARD, Focus("board", tasks_of="mine"), Focus("workflows"), Focus("agents")}
    health = LIVE._replace(late=(LateRead(str(kind), target, 20.0),))
    assert {each for each in every if view_health(health, each).state is Connection.DELAYED} == shown_on
    assert view_health(health._replace(state=Connection.OFFLINE), INBOX).state is Connection.OFFLINE


def test_the_oldest_is_said_and_what_was_never_read_goes_before_it() -> None:
    late = (LateRead("tasks", "", 10.0), LateRead("thread", "t1", 30.0))
    assert view_health(LIVE._replace(late=late), INBOX).late == (late[1],)
    never = (*late, LateRead("thread", "t1", None))
    assert view_health(LIVE._replace(late=never), INBOX).state is Connection.LOADING
    assert view_health(LIVE._replace(late=never), CAMPAIGNS).state is Connection.LIVE


@pytest.mark.parametrize(("count", "states"), [(1, {Connection.LIVE}), (20, {Connection.DELAYED})])
def test_many_campaigns_are_delayed_and_few_are_live(count: int, states: set[Connection]) -> None:
    sim = Simulation([CAMPAIGNS], [running_campaign(f"c{number}") for number in range(count)])
    sim.run(30)
    sim.poller.late_reads()
    sim.run(30)
    found = list[Health]()
    sim.run(120, lambda: found.append(view_health(LIVE._replace(late=sim.poller.late_reads()), CAMPAIGNS)))
    assert {each.state for each in found} == states
    assert sum(one != other for one, other in pairwise(found)) <= 6, "the words seldom change"


@pytest.mark.parametrize("count", [5, 6, 7])
def test_a_few_more_than_the_budget_allows_for_dont_alternate_between_live_and_delayed(count: int) -> None:
    jobs = [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(count)]
    sim = Simulation([CAMPAIGNS], [running_campaign(each.target) for each in jobs])
    sim.run(30)
    sim.poller.late_reads()
    sim.run(30)
    found = list[Health]()

    def look() -> None:
        found.append(view_health(LIVE._replace(late=sim.poller.late_reads()), CAMPAIGNS))
        ages = [sim.clock() - sim.asked_last[job] for job in jobs]
        if max(ages) > LATE_INTERVALS * CAMPAIGN_ON_SCREEN:
            assert found[-1].state is Connection.DELAYED

    sim.run(120, look)
    assert sum(one.state != other.state for one, other in pairwise(found)) <= 2


def test_it_is_late_until_nothing_was_late_for_long_however_little() -> None:
    reads = LateReads()
    reads.update([poll(THREAD)], {}, NOW)
    at = NOW + 30
    assert reads.update([poll(THREAD)], {THREAD: at - 17}, at) == (LateRead("thread", "t1", 20.0),)
    less = at + HELD_SECONDS - 1
    assert reads.update([poll(THREAD)], {THREAD: less - 7}, less) == (LateRead("thread", "t1", 20.0),)
    assert reads.update([poll(THREAD)], {THREAD: less}, less + 2) == (LateRead("thread", "t1", 10.0),)
    end = less + HELD_SECONDS
    assert reads.update([poll(THREAD)], {THREAD: end}, end) == ()


def test_an_engine_reports_what_is_late_and_stores_it(works: Start) -> None:
    clocks = Clocks()
    now = clocks.stand()
    running = CampaignId(fixtures.RUNNING_CAMPAIGN)

    async def story() -> None:
        async with works(clocks=clocks) as it:
            db = it.services.store.reading
            focus = CAMPAIGNS._replace(active_at=now)
            it.services.store.write(lambda db: clients.report_focus(db, "1", focus, now)).result()
            it.services.campaigns.watch(running)
            job, runs = Job(PollKind.CAMPAIGN, running), it.engine.poller.results.runs
            await it.until(lambda: job in runs and clients.health(db).state is Connection.LIVE)
            assert clients.health(db).late == ()
            await it.until(lambda: it.engine.poller.campaign_reads().get(running))
            clocks.go_on(HEARTBEAT_SECONDS)
            it.engine._wake()
            read_at = it.engine.poller.campaign_reads()[running]
            await it.until(lambda: (clients.campaign_read_at(db, running) or 0.0) >= read_at)
            it.line.hangs_at = f"/campaigns/{running}"
            clocks.go_on(20.0)
            it.engine._wake()
            await it.until(lambda: clients.health(db).late == (LateRead("campaign", "", 30.0),))
            it.line.release_keys()
            for _ in range(int(HELD_SECONDS / CAMPAIGN_ON_SCREEN) + 3):
                await it.until(lambda: runs[job].asked_at == clocks.wall())
                clocks.go_on(CAMPAIGN_ON_SCREEN)
                it.engine._wake()
            await it.until(lambda: not clients.health(db).late)

    run(story)


@pytest.mark.parametrize("until_read", [True, False])
def test_lateness_is_held_from_its_own_moment_on_and_for_no_time_before_it(until_read: bool) -> None:
    """A clock that was set back ends it: nothing tells how long ago it was then."""
    failed = {THREAD} if until_read else set()
    for later, is_reported in (
        (0.0, True),
        (0.5, True),
        (HELD_SECONDS - 0.1, True),
        (HELD_SECONDS, False),
        (-1.0, False),
    ):
        reads = LateReads()
        reads.update([poll(THREAD)], {}, NOW - 60)
        assert reads.update([poll(THREAD)], {THREAD: NOW - 7}, NOW, unread_since_trouble=failed)
        found = reads.update([poll(THREAD)], {THREAD: NOW + later}, NOW + later, unread_since_trouble=failed)
        assert bool(found) is is_reported, later


def test_lateness_of_a_failure_ends_with_the_next_read_and_other_lateness_is_held() -> None:
    reads = LateReads()
    reads.update([poll(THREAD), poll(HEAD)], {}, NOW - 60)
    late = {THREAD: NOW - 20, HEAD: NOW - 20}
    found = reads.update([poll(THREAD), poll(HEAD)], late, NOW, unread_since_trouble={THREAD})
    assert [each.kind for each in found] == ["tasks", "thread"]
    fresh = {THREAD: NOW + 1, HEAD: NOW + 1}
    found = reads.update([poll(THREAD), poll(HEAD)], fresh, NOW + 1, unread_since_trouble={THREAD})
    assert [each.kind for each in found] == ["tasks", "thread"], "it was not read since"
    found = reads.update([poll(THREAD), poll(HEAD)], fresh, NOW + 2)
    assert [each.kind for each in found] == ["tasks"]


def test_a_read_at_once_is_late_by_the_interval_of_the_first_page() -> None:
    assert late_after(Job(PollKind.TASKS_OF, "f"), 10.0, interval=0.0) == ()
    assert late_after(Job(PollKind.TASKS_OF, "f"), 10.1, interval=0.0) == (
        LateRead("tasks of a filter", "f", 15.0),
    )


@pytest.mark.parametrize(
    ("age", "expected"),
    [(0.0, 5.0), (4.0, 5.0), (4.1, 10.0), (59.0, 60.0), (59.1, 120.0), (3_599.0, 3_600.0), (86_399.0, 86_400.0),
     (86_399.1, float("inf")), (float("inf"), None)],
)  # fmt: skip
def test_an_age_is_said_as_the_next_step_that_it_stays_below(age: float, expected: float | None) -> None:
    assert max_age(age) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(45.0, "up to 45 s old"), (60.0, "up to 1 min old"), (1_800.0, "up to 30 min old"),
     (3_600.0, "up to 1 h old"), (86_400.0, "up to 24 h old"), (86_401.0, "over a day old"),
     (float("inf"), "over a day old")],
)  # fmt: skip
def test_an_age_has_the_unit_that_fits(seconds: float, expected: str) -> None:
    assert age_words(seconds) == expected


def test_looking_twice_as_closely_is_not_yet_looking_anew() -> None:
    for interval, is_new in ((2.5, False), (2.4, True)):
        reads = LateReads()
        reads.update([poll(HEAD, 5.0)], {}, NOW - 60)
        found = reads.update([poll(HEAD, interval)], {HEAD: NOW - 60}, NOW)
        assert (found == ()) is is_new, interval
