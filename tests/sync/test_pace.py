"""Simulated minutes of polling: every kind of read has its share, and nothing stands still while it is due."""

from collections import Counter
from itertools import cycle, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.config.request_pace import RequestLimits
from frontdesk.outbox.bulk import estimate_cost
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import ChangeKind, Connection
from frontdesk.sync.backoff import FIRST_SECONDS, FREED_AFTER_SECONDS, MAX_ATTENDED_SECONDS
from frontdesk.sync.poll_queue import FairShares
from frontdesk.sync.scheduler import JITTER, MAX_ON_SCREEN, OPEN_THREAD, DuePoll, Job, PollKind
from frontdesk_api.client.errors import Ambiguous, ApiError, BadReply, RateLimited, ReplyTooLarge, ServerError
from frontdesk_api.contract.endpoints import Host
from sync.simulated_reads import START, Simulation, running_campaign, share_below

HEAD = Job(PollKind.TASKS_HEAD)
CAMPAIGNS = Focus("campaigns")


def campaigns(count: int) -> list[Job]:
    return [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(count)]


def watching(count: int, **how: object) -> Simulation:
    """One screen of campaigns that all run."""
    return Simulation([CAMPAIGNS], [running_campaign(each.target) for each in campaigns(count)], **how)  # type: ignore[arg-type]


def inboxes(count: int, **how: object) -> Simulation:
    """So many screens, each with a conversation of its own."""
    return Simulation([Focus("inbox", f"t{number}") for number in range(count)], **how)  # type: ignore[arg-type]


def longest_gap(at: list[float]) -> float:
    return max(after - before for before, after in pairwise(at))


def test_running_campaigns_on_screen_are_ten_seconds_old_at_most() -> None:
    """They froze for half of each minute: p90 28 s."""
    sim = watching(14)
    sim.run(150)
    ages = sim.ages(campaigns(14), since=20)
    assert share_below(ages, 0.9) <= 10.0
    assert ages[-1] <= 12.0


@pytest.mark.parametrize("count", [14, 40])
def test_more_campaigns_than_the_budget_serves_are_read_evenly(count: int) -> None:
    sim = watching(count)
    sim.run(150)
    pace = 60 / len([each for each in sim.reads if each.at > sim.clock() - 60])
    for job in campaigns(count):
        at = [each for each in sim.times(job.kind, target=job.target) if each > START + 60]
        assert longest_gap(at) <= 1.35 * count * pace + 2, job
    assert longest_gap([each for each in sim.requests if each > START + 20]) <= 2.0, "no burst and pause"


@pytest.mark.parametrize(("count", "screen"), [(1, "inbox"), (14, "campaigns"), (60, "inbox"), (60, "campaigns")])
def test_a_campaign_is_read_the_moment_that_it_has_stalled_for_an_alert(count: int, screen: str) -> None:
    """Among 60 that are due it would wait for half a minute, in which it may move again."""
    read_by = {"c0": START + 90.0}
    sim = Simulation(
        [Focus(screen)], [running_campaign(each.target) for each in campaigns(count)], read_by=read_by
    )
    sim.run(89)
    before = len(sim.times(PollKind.CAMPAIGN, target="c0"))
    sim.run(60)
    asked = [each.asked_at for each in sim.reads if each.job == Job(PollKind.CAMPAIGN, "c0")]
    assert next(at for at in asked if at >= START + 90) <= START + 93
    pace = 1.5 if count == 1 else 4.0
    assert len(asked) - before <= 60 / pace + 2, "the alert asks for one read, though it is late to see it"


@pytest.mark.slow
@pytest.mark.parametrize("screens", [1, 2, 10, 20, 50])
def test_the_list_is_six_seconds_old_at_most_whatever_threads_are_open(screens: int) -> None:
    """With 10, 20 and 50 screens it was 20, 32 and 37 s."""
    sim = inboxes(screens)
    sim.run(300)
    assert share_below(sim.ages([HEAD], since=10), 0.95) <= 6.0


@pytest.mark.slow
def test_open_threads_beyond_the_budget_are_read_in_turn() -> None:
    sim = inboxes(50)
    sim.run(300)
    counts = [len(sim.times(PollKind.THREAD, target=f"t{number}")) for number in range(50)]
    assert max(counts) - min(counts) <= 2
    assert longest_gap(sim.requests) <= MAX_ON_SCREEN * (1 + JITTER) + 1, "the list has the signs for all of them"


def test_a_first_start_reads_the_open_thread_and_the_list_at_once() -> None:
    sim = inboxes(1, pages=30, ahead=[f"t{number}" for number in range(80)])
    sim.run(120)
    first = {each.job: each for each in sim.reads[:2]}
    assert set(first) == {Job(PollKind.THREAD, "t0"), HEAD}
    assert all(each.asked_at == START and each.at - START < 1.0 for each in first.values()), "both at once"
    assert share_below(sim.ages([HEAD], since=2), 0.95) <= 6.0, "also while all tasks are read"


def test_threads_read_ahead_do_not_keep_back_the_campaigns_that_one_looks_at() -> None:
    """Eighty of them took 43 s from the campaign on the screen."""
    sim = inboxes(1, pages=5, ahead=[f"t{number}" for number in range(80)])
    sim.campaigns = [running_campaign(each.target) for each in campaigns(14)]
    sim.run(12)
    sim.show([CAMPAIGNS])
    opened = sim.clock()
    sim.run(12)
    first = [min(at for at in sim.times(job.kind, target=job.target) if at > opened) for job in campaigns(14)]
    assert sorted(first)[6] - opened <= 5.0
    assert max(first) - opened <= 10.0
    sim.run(240)
    assert share_below(sim.ages(campaigns(14), since=30), 0.9) <= 10.0
    assert len(sim.ahead) < 60, "and they are read meanwhile"


def test_a_first_start_on_the_campaigns_reads_all_of_them_within_five_seconds() -> None:
    sim = watching(14, pages=5, ahead=[f"t{number}" for number in range(80)])
    sim.run(60)
    assert max(sim.times(job.kind, target=job.target)[0] for job in campaigns(14)) - START <= 5.0


def test_a_thread_that_is_opened_is_read_at_once_also_when_the_budget_is_used_up() -> None:
    sim = watching(30)
    sim.run(60)
    for number in range(5):
        sim.show([CAMPAIGNS, Focus("inbox", f"t{number}")])
        opened = sim.clock()
        sim.run(8)
        assert sim.times(PollKind.THREAD, target=f"t{number}")[0] - opened < 1.2


def test_a_thread_read_after_its_last_sign_is_not_read_again_when_it_is_opened() -> None:
    sim = inboxes(1, current={"t1"})
    sim.run(30)
    before = len(sim.requests)
    sim.show([Focus("inbox", "t1")])
    sim.run(OPEN_THREAD * 0.8)
    assert not sim.times(PollKind.THREAD, target="t1")
    assert len(sim.requests) - before <= 2
    sim.run(OPEN_THREAD)
    assert sim.times(PollKind.THREAD, target="t1"), "from then on like any other"
    sim.show([Focus("inbox", "t2")])
    opened = sim.clock()
    sim.run(2)
    assert sim.times(PollKind.THREAD, target="t2")[0] - opened < 1, "there was a sign of something new"


def test_signs_from_before_the_engine_began_do_not_count() -> None:
    sim = inboxes(1, current={"t0"}, pages=3)
    sim.run(2)
    assert sim.times(PollKind.THREAD, target="t0")


def test_a_thread_that_is_open_is_not_read_ahead_as_well() -> None:
    sim = inboxes(1, ahead=["t0", "t1"], hangs=[])
    sim.run(5)
    assert [each.job.target for each in sim.reads if each.job.kind is PollKind.THREAD_BEHIND] == ["t1"]


def test_at_a_first_start_the_longest_waiting_are_known_as_soon_as_the_most_active() -> None:
    """They were read last of all: who waits for a day was known after ten minutes."""
    names = [f"a{number:03}" for number in range(75)]
    sim = inboxes(1, ahead=list(names), with_tasks=set(names[30:]))
    sim.run(120)
    read = [each.job.target for each in sim.reads if each.job.kind is PollKind.THREAD_BEHIND]
    assert len(read) >= 42
    assert set(read[:40]) == {*names[:20], *names[-20:]}
    assert read[:4] == ["a000", "a074", "a001", "a073"], "in turn"
    sim.run(120)
    assert not sim.ahead, "also those without open tasks"


def test_signs_of_new_messages_go_first_and_take_no_end_its_turn() -> None:
    """One before each first read: turns that they count for would always fall to the same end."""
    names = [f"a{number:02}" for number in range(40)]
    sim = inboxes(1, ahead=list(names), with_tasks=set(names))
    for number in range(12):
        sim.outdated = [f"o{number}"]
        seen = len(sim.times(PollKind.THREAD_BEHIND))
        while len(sim.times(PollKind.THREAD_BEHIND)) < seen + 2:
            sim.run(0.1)
    read = [each.job.target for each in sim.reads if each.job.kind is PollKind.THREAD_BEHIND]
    assert [each for each in read if each[0] == "o"] == [f"o{number}" for number in range(12)]
    first = [each for each in read if each[0] == "a"]
    assert first[:4] == ["a00", "a39", "a01", "a38"]


def test_a_persons_changes_go_at_once_and_keep_their_share_of_a_long_row() -> None:
    sim = watching(30)
    sim.run(60)
    begun = sim.clock()
    sim.send_changes(8)
    sim.run(5)
    assert sim.changes[-1] - begun < 8 * 0.5
    sim.send_changes(200)
    sim.run(120)
    sent = len(sim.changes) - 8
    assert sent >= 0.6 * 120 * sim.budget.per_second
    reads = [each for each in sim.reads if each.at > sim.clock() - 60]
    assert len(reads) >= 0.15 * 60 * sim.budget.per_second, "and what one looks at is read meanwhile"


@pytest.mark.parametrize(
    ("count", "screen", "is_reading_ahead", "most"),
    # Each pair of values comes in some row, and each but of the counts in a quick one.
    [(20, "inbox", True, 120), (60, "board", False, 120), (115, "board", True, 300), (150, "inbox", False, 300),
     *(pytest.param(*row, marks=pytest.mark.slow) for row in (
         (20, "board", False, 300), (60, "inbox", False, 300), (60, "board", True, 120),
         (115, "inbox", True, 300), (115, "board", False, 120), (150, "inbox", False, 120),
         (150, "board", True, 300), (400, "inbox", False, 300), (400, "board", True, 120)))],
)  # fmt: skip
def test_a_bulk_change_takes_what_its_plan_says(
    count: int, screen: str, is_reading_ahead: bool, most: int
) -> None:
    """It took half as long again: 195 s for 116 tasks, announced as about 2 minutes."""
    ahead = [f"t{number}" for number in range(2_000)] if is_reading_ahead else []
    sim = Simulation([Focus(screen, "t0" if screen == "inbox" else "")], ahead=ahead, per_minute=most)
    sim.budget.pace = 120.0
    sim.run(60)
    limits = RequestLimits(5, most, sim.budget.per_minute)
    begun, cost = sim.clock(), estimate_cost({ChangeKind.TASK: count}, limits)
    sending = sim.send_changes(cost.requests)
    sim.run_until(sending)
    assert cost.seconds == pytest.approx(sim.changes[-1] - begun, rel=0.2)


def test_a_hanging_host_keeps_no_other_kind_waiting() -> None:
    sim = inboxes(1, hangs=[PollKind.THREAD, PollKind.THREAD_BEHIND], ahead=["t8", "t9"])
    sim.campaigns = [running_campaign("c0")]
    sim.run(20)
    assert len(sim.times(PollKind.TASKS_HEAD)) >= 3
    assert sim.times(PollKind.CAMPAIGN)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    st.integers(0, 25),
    st.integers(0, 25),
    st.booleans(),
    st.integers(0, 60),
    st.sampled_from([40, 120, 300]),
)
def test_nothing_starves_and_the_line_never_stands_idle(
    inboxes: int, running: int, on_campaigns: bool, ahead: int, per_minute: int
) -> None:
    screens = [Focus("inbox", f"t{number}") for number in range(inboxes)] + [CAMPAIGNS] * on_campaigns
    sim = Simulation(
        screens,
        [running_campaign(each.target) for each in campaigns(running)],
        ahead=[f"a{number}" for number in range(ahead)],
        per_minute=per_minute,
    )
    sim.run(180)
    shown = {Job(PollKind.THREAD, f"t{number}") for number in range(inboxes)} | set(campaigns(running))
    assert shown <= {each.job for each in sim.reads} | (set() if on_campaigns else set(campaigns(running)))
    assert sim.times(PollKind.TASKS_HEAD)
    assert sim.times(PollKind.TASKS_SWEEP)
    assert not ahead or sim.times(PollKind.THREAD_BEHIND)
    pace = 1 / sim.budget.per_second
    if inboxes > 20:
        assert longest_gap([each for each in sim.requests if each > START + 20]) <= 2 * pace + 1


def waiting_polls(kinds: list[PollKind]) -> list[DuePoll]:
    return [DuePoll(0.0, Job(each), 0.0, is_on_screen=True) for each in kinds]


@few
@given(st.lists(st.lists(st.sampled_from(PollKind), min_size=1, unique=True), min_size=1, max_size=60))
def test_the_shares_serve_only_who_waits(rounds: list[list[PollKind]]) -> None:
    shares = FairShares()
    for kinds in rounds:
        chosen = shares.choose(waiting_polls(kinds))
        assert chosen.job.kind in kinds
        shares.charge(chosen)


@few
@given(st.lists(st.sampled_from(PollKind), min_size=2, unique=True), st.integers(0, 50))
def test_kinds_that_all_wait_are_served_by_their_weights(kinds: list[PollKind], alone: int) -> None:
    shares, waiting = FairShares(), waiting_polls(kinds)
    for _ in range(alone):
        shares.charge(waiting[0])  # what one had while it was alone isn't held against it, nor is it owed
    counts = dict.fromkeys(kinds, 0)
    whole = sum(each.weight for each in kinds)
    for _ in range(int(20 * whole)):
        chosen = shares.choose(waiting)
        shares.charge(chosen)
        counts[chosen.job.kind] += 1
    for each in kinds:
        assert abs(counts[each] - 20 * each.weight) <= each.weight + 2


def test_a_person_may_try_a_host_that_asked_to_wait_with_one_request_each_time() -> None:
    """The key's hint said "try now", and nothing was tried."""
    is_over = False

    def refuse(job: Job) -> RateLimited | None:
        asks = job.kind in (PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP) and not is_over
        return RateLimited("too many", status=429, retry_after=600, host="tasks.example.com") if asks else None

    sim = Simulation([Focus("inbox"), CAMPAIGNS], [running_campaign("c0")], pages=3, refuses=refuse)

    def tasks_requests() -> int:
        return sum(job.kind in (PollKind.TASKS_HEAD, PollKind.TASKS_SWEEP) for job, _ in sim.asked)

    sim.run(60)
    assert (tasks_requests(), sim.poller.needed > {Host.CAMPAIGNS}) == (1, True), "the others are read meanwhile"
    health = sim.backoff.health(sim.poller.needed)
    assert (health.state, health.reason) == (Connection.ASKED_TO_WAIT, "tasks.example.com")
    until = health.retry_at
    assert until is not None
    sim.refresh("c0")
    sim.run(20)
    assert tasks_requests() == 1, "what was asked for is on another host"
    sim.refresh()
    sim.run(60)
    assert tasks_requests() == 2
    again = sim.backoff.health(sim.poller.needed).retry_at
    assert again is not None
    assert again > until + 60
    is_over = True
    sim.run(60)
    assert tasks_requests() == 2, "it isn't tried again by itself"
    sim.refresh()
    sim.run(20)
    assert sim.backoff.health(sim.poller.needed).state is Connection.LIVE
    assert sim.times(PollKind.TASKS_HEAD)
    assert sim.swept, "all that waited goes on"


@pytest.mark.parametrize("screen", ["inbox", "board", "campaigns", "workflows", "agents"])
def test_a_host_that_broke_off_a_change_is_soon_known_to_respond_again(screen: str) -> None:
    """The status line said "offline" until that host's next poll, minutes later."""
    sim = Simulation([Focus(screen)], [running_campaign("c0")])
    sim.run(120)
    hosts = sim.poller.needed
    assert len(hosts) > 1
    for host in hosts:
        sim.backoff.note_failure(host, Ambiguous("no response"))
    count = len(sim.asked)
    sim.run(10)
    assert sim.backoff.health(hosts).state is Connection.LIVE
    assert len(sim.asked) <= count + len(hosts) + 4, "each is asked once besides the usual"


def test_a_host_that_stays_away_is_asked_no_more_often_than_its_backoff_allows() -> None:
    sim = Simulation([Focus("board")], refuses=lambda _: Ambiguous("no response"))
    sim.run(150)
    assert 10 < len(sim.asked) < 150


def test_one_list_that_is_too_large_waits_by_itself_and_is_said() -> None:
    is_too_large = True
    sentence = "list tasks: the response from tasks.example.com is larger than 4 MiB"

    def refuse(job: Job) -> ReplyTooLarge | None:
        return ReplyTooLarge(sentence) if job.kind is PollKind.TASKS_SWEEP and is_too_large else None

    sim = Simulation([Focus("inbox")], pages=3, refuses=refuse)
    sim.run(120)
    assert share_below(sim.ages([HEAD], since=10), 0.95) <= 6.0, "the first page is read on"
    assert sim.backoff.ready_at(Host.BUSINESS) <= sim.clock(), "changes are sent"
    asked = [at for job, at in sim.asked if job.kind is PollKind.TASKS_SWEEP]
    assert min(asked[index] - asked[index - 1] for index in range(1, len(asked))) >= 1.0
    assert len(asked) >= 120 / 10
    health = sim.backoff.health(sim.poller.needed | sim.poller.wanted)
    assert (health.state, health.reason) == (Connection.FAILING, sentence)
    is_too_large = False
    sim.run(20)
    assert sim.swept
    assert sim.backoff.health(sim.poller.needed | sim.poller.wanted).state is Connection.LIVE


def test_a_page_of_the_first_walk_that_cannot_be_read_keeps_no_thread_waiting() -> None:
    error = ServerError("broken", status=500)
    sim = Simulation([Focus("inbox")], pages=3, ahead=["a0", "a1", "a2"])
    sim.refuses = lambda job: error if job.kind is PollKind.TASKS_SWEEP else None
    sim.run(60)
    assert len(sim.times(PollKind.THREAD_BEHIND)) == 3
    assert not sim.swept


def test_while_nobody_looks_a_list_that_is_too_large_is_seldom_tried() -> None:
    def refuse(job: Job) -> ReplyTooLarge | None:
        return ReplyTooLarge("too large") if job.kind is PollKind.TASKS_SWEEP else None

    sim = Simulation(pages=3, refuses=refuse)
    sim.run(600)
    asked = [at for job, at in sim.asked if job.kind is PollKind.TASKS_SWEEP]
    assert 10 <= len(asked) <= 45


ABOUT_ONE_READ = [
    ServerError("it failed", status=500),
    Ambiguous("it failed"),
    BadReply("it failed"),
    ReplyTooLarge("it failed"),
]


@pytest.mark.parametrize(
    "error", [*ABOUT_ONE_READ[:2], *(pytest.param(each, marks=pytest.mark.slow) for each in ABOUT_ONE_READ[2:])]
)
def test_a_campaign_that_cannot_be_read_keeps_no_other_waiting(error: ApiError) -> None:
    """One that answered 500 froze all: the others were never read."""
    sim = watching(3, refuses=lambda job: error if job.target == "c0" else None, read_by={"c0": START + 40})
    states = list[Connection]()
    sim.run(120, lambda: states.append(sim.backoff.health(sim.poller.needed | sim.poller.wanted).state))
    for job in campaigns(3)[1:]:
        assert share_below(sim.ages([job], since=10), 0.95) <= 10.0
    assert 120 / 15 <= len([job for job, _ in sim.asked if job.target == "c0"]) <= 60
    assert set(states[10:]) == {Connection.FAILING}, "it is said whichever campaign is due next"
    sim.campaigns = sim.campaigns[1:]
    sim.run(120)
    assert sim.backoff.health(sim.poller.needed | sim.poller.wanted).state is Connection.LIVE
    assert not sim.backoff.failed_reads, "one that isn't watched any more is forgotten"


def test_campaigns_that_hang_keep_the_others_waiting_once() -> None:
    sim = watching(6, hangs=["c0", "c1", "c2"])
    sim.run(180)
    assert sim.ages(campaigns(6)[3:], since=80)[-1] <= 6.0


def test_threads_that_cannot_be_read_keep_no_others_waiting_and_are_seldom_tried() -> None:
    bad = dict(zip(["t0", *(f"a{number}" for number in range(0, 60, 6))], cycle(ABOUT_ONE_READ)))
    sim = inboxes(2, refuses=lambda job: bad.get(job.target), ahead=[f"a{n}" for n in range(60)])
    sim.run(600)
    assert len(sim.times(PollKind.THREAD_BEHIND)) == 50
    assert sim.ages([Job(PollKind.THREAD, "t1")], since=10)[-1] <= 3 * OPEN_THREAD
    tries = Counter(job.target for job, _ in sim.asked if job.target in bad)
    assert all(3 <= tries[each] <= 4 for each in bad if each != "t0"), (
        "first after a minute, then twice as long each time"
    )
    assert tries["t0"] >= 600 / (2 * MAX_ATTENDED_SECONDS), "somebody looks at it"
    sim.show([Focus("inbox", "t1")])
    sim.run(120)
    assert not sim.backoff.failed_reads, "nobody wants it any more"


def test_one_list_of_workflows_that_cannot_be_read_keeps_the_other_fresh() -> None:
    whole = Job(PollKind.WHOLE_WORKFLOWS)
    error = ServerError("broken", status=500)
    sim = Simulation([Focus("workflows")], refuses=lambda job: error if job == whole else None)
    sim.run(300)
    assert len(sim.times(PollKind.WORKFLOWS)) >= 2
    assert sim.backoff.ready_at(Host.WORKFLOWS) <= sim.clock(), "changes are sent"


def test_after_an_outage_all_that_failed_is_read_within_seconds() -> None:
    is_over = False
    sim = watching(6, refuses=lambda _: None if is_over else ServerError("broken", status=500))
    sim.run(180)
    asked = [job for job, _ in sim.asked if job.kind is PollKind.CAMPAIGN]
    assert len(asked) <= 180 / FIRST_SECONDS, "the host rests"
    assert set(asked[-12:]) == set(campaigns(6)), "each is tried: one may be answered"
    is_over, at = True, sim.clock()
    sim.run(MAX_ATTENDED_SECONDS + FREED_AFTER_SECONDS + 1)
    assert {each.job for each in sim.reads if each.at > at} >= set(campaigns(6))
