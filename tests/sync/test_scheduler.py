"""When what is polled: a pure function."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store.campaigns import HOLE_SECONDS
from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import (
    CAMPAIGN_ON_SCREEN,
    DOCUMENTS,
    DOCUMENTS_ON_SCREEN,
    FILES,
    FIRST_PAGE,
    FIRST_PAGE_BEHIND,
    FIRST_PAGE_OF_MANY,
    FIRST_SAMPLE,
    JITTER,
    MANY_THREADS,
    MAX_INTERVAL,
    MAX_ON_SCREEN,
    MAX_RUNNING_ON_SCREEN,
    MAX_THREAD_REST,
    OPEN_THREAD,
    REFUSED_AGAIN,
    REQUESTED,
    SPREAD_SECONDS,
    UNFOCUSED,
    UNMOVED_SHARE,
    WHOLE_WORKFLOWS,
    WHOLE_WORKFLOWS_BEHIND,
    WHOLE_WORKFLOWS_SAMPLED,
    Job,
    PollKind,
    PollRun,
    Shown,
    Situation,
    next_run,
    thread_rest,
    upcoming,
)
from frontdesk_api.contract.ids import CampaignId
from sample_records import campaign_record

NOW = 1_000_000.0
INBOX = Focus("inbox", "L1#C1", active_at=NOW)
THREAD = Job(PollKind.THREAD, "L1#C1")
HEAD = Job(PollKind.TASKS_HEAD)


def campaign(name: str) -> CampaignRecord:
    """One that runs."""
    return campaign_record(campaign_id=CampaignId(name), started_at=NOW, read_at=NOW)


def due(situation: Situation, job: Job, now: float = NOW) -> float:
    return next(each.at for each in upcoming(situation, now) if each.job == job)


def ran(*jobs: Job, open_screens: tuple[Focus, ...] = (INBOX,)) -> Situation:
    return Situation(Shown(open_screens), {}, {job: PollRun(NOW) for job in jobs}, swept=True)


def test_what_a_person_looks_at_comes_first() -> None:
    first = upcoming(Situation(Shown((INBOX,)), {}, {}, swept=True), NOW)[0]
    assert (first.at, first.job, first.is_first_look) == (0.0, THREAD, True)


def test_until_the_first_walk_is_over_its_pages_follow_at_once() -> None:
    jobs = [each.job.kind for each in upcoming(Situation(Shown(()), {}, {}), NOW)]
    assert jobs == [PollKind.TASKS_SWEEP]


def test_the_open_thread_and_the_first_page_have_their_intervals() -> None:
    situation = ran(THREAD, HEAD)
    assert due(situation, THREAD) == NOW + OPEN_THREAD
    assert due(situation, HEAD) == NOW + FIRST_PAGE


def test_an_unfocused_terminal_and_an_idle_person_slow_it_down() -> None:
    unfocused = ran(THREAD, open_screens=(INBOX._replace(focused=False),))
    idle = ran(THREAD, open_screens=(INBOX._replace(active_at=NOW - 601),))
    assert due(unfocused, THREAD) == NOW + 3 * OPEN_THREAD
    assert due(idle, THREAD) == NOW + 10 * OPEN_THREAD


def test_a_terminal_that_nobody_touched_for_hours_is_nearly_silent() -> None:
    away = ran(THREAD, HEAD, open_screens=(INBOX._replace(active_at=NOW - 7201),))
    assert due(away, THREAD) == NOW + 60 * OPEN_THREAD
    assert due(away, HEAD) == NOW + 60 * FIRST_PAGE


def test_attention_to_one_thread_does_not_hurry_another() -> None:
    """Two screens: each thread is polled as its own screens are looked at."""
    other = Job(PollKind.THREAD, "L1#C2")
    both = ran(THREAD, other, open_screens=(INBOX, INBOX._replace(conversation_id="L1#C2", focused=False)))
    assert due(both, THREAD) == NOW + OPEN_THREAD
    assert due(both, other) == NOW + 3 * OPEN_THREAD


def test_the_first_page_is_read_for_whoever_sees_it_or_behind_whichever_is_sooner() -> None:
    campaigns = INBOX._replace(screen="campaigns", conversation_id="")
    left_open = INBOX._replace(active_at=NOW - 3600)
    assert due(ran(HEAD, open_screens=(campaigns,)), HEAD) == NOW + FIRST_PAGE_BEHIND
    assert due(ran(HEAD, open_screens=(campaigns, left_open)), HEAD) == NOW + FIRST_PAGE_BEHIND


def test_a_key_after_a_pause_makes_what_is_seen_due_at_once() -> None:
    idle = ran(THREAD, open_screens=(INBOX._replace(active_at=NOW - 601),))
    back = replace(idle, shown=Shown((INBOX._replace(active_at=NOW + 20),)))
    assert due(idle, THREAD, NOW + 20) > NOW + 20
    assert due(back, THREAD, NOW + 20) < NOW + 20


def test_what_a_person_looks_at_is_never_stretched_beyond_its_bound() -> None:
    """So that the age of what is on screen holds however quiet it was."""
    quiet = {job: PollRun(NOW, slowdown=4.0) for job in (THREAD, HEAD)}
    situation = Situation(Shown((INBOX,)), {}, quiet, swept=True)
    assert due(situation, THREAD) == due(situation, HEAD) == NOW + MAX_ON_SCREEN
    unfocused = Situation(Shown((INBOX._replace(focused=False),)), {}, quiet, swept=True)
    assert due(unfocused, THREAD) == NOW + 3 * 4 * OPEN_THREAD
    nobody = Situation(Shown(()), {}, quiet, swept=True)
    assert due(nobody, HEAD) == NOW + 4 * FIRST_PAGE_BEHIND


@given(st.floats(0, 1), st.floats(1, 4), st.floats(0, 1e5), st.booleans())
def test_jitter_is_a_share_of_the_interval_and_nothing_waits_for_ever(
    chance: float, slowdown: float, quiet: float, focused: bool
) -> None:
    looker = INBOX._replace(focused=focused, active_at=NOW - quiet)
    jobs = (THREAD, HEAD, Job(PollKind.TASKS_SWEEP), Job(PollKind.WORKFLOWS))
    plain = Situation(Shown((looker,)), {}, {job: PollRun(NOW, slowdown) for job in jobs}, swept=True)
    shaken = Situation(Shown((looker,)), {}, {job: PollRun(NOW, slowdown, chance) for job in jobs}, swept=True)
    for job in jobs:
        without, with_it = due(plain, job) - NOW, due(shaken, job) - NOW
        assert 0 < with_it <= MAX_INTERVAL
        if with_it < MAX_INTERVAL and without < MAX_INTERVAL:
            assert abs(with_it - without) <= without * JITTER + 1e-6


@given(st.integers(1, 2**32))
def test_at_the_start_what_nobody_looks_at_waits_for_its_own_moment(seed: int) -> None:
    campaigns = {f"c{number}": campaign(f"c{number}") for number in range(5)}
    situation = Situation(Shown((INBOX,)), campaigns, {}, swept=True, begun_at=NOW, seed=seed)
    found = {each.job: each.at for each in upcoming(situation, NOW)}
    assert found[THREAD] == found[HEAD] == 0.0
    behind = {job: at for job, at in found.items() if job not in (THREAD, HEAD)}
    after = {job: FIRST_SAMPLE if job.kind is PollKind.WHOLE_WORKFLOWS else 0.0 for job in behind}
    assert all(0 <= at - NOW - after[job] <= SPREAD_SECONDS for job, at in behind.items())
    assert len(set(behind.values())) == len(behind), "each at a moment of its own"
    assert found == {each.job: each.at for each in upcoming(situation, NOW)}, "and always the same one"


def test_a_campaign_on_screen_is_read_before_the_spread_of_the_start_is_over() -> None:
    campaigns = {"c1": campaign("c1")}
    looking = INBOX._replace(screen="campaigns", conversation_id="")
    situation = Situation(Shown((looking,)), campaigns, {}, swept=True, begun_at=NOW, seed=7)
    assert due(situation, Job(PollKind.CAMPAIGN, "c1")) == 0.0


def test_a_running_campaign_on_screen_keeps_its_two_seconds_though_nothing_differs() -> None:
    job, looking = Job(PollKind.CAMPAIGN, "c1"), INBOX._replace(screen="campaigns", conversation_id="")
    tired = {job: PollRun(NOW, slowdown=4.0)}
    situation = Situation(Shown((looking,)), {"c1": campaign("c1")}, tired, swept=True)
    assert due(situation, job) == NOW + CAMPAIGN_ON_SCREEN
    second_screen = looking._replace(focused=False, active_at=NOW - 20_000)
    assert due(replace(situation, shown=Shown((second_screen,))), job) == NOW + MAX_RUNNING_ON_SCREEN
    scheduled = replace(situation, campaigns={"c1": replace(campaign("c1"), status="scheduled")})
    assert due(scheduled, job) == NOW + MAX_ON_SCREEN


@given(st.floats(1, 4), st.floats(0, 1), st.booleans(), st.floats(0, 1e6))
def test_a_running_campaign_that_nobody_looks_at_is_read_before_that_leaves_a_hole(
    slowdown: float, chance: float, focused: bool, idle: float
) -> None:
    job, away = Job(PollKind.CAMPAIGN, "c1"), INBOX._replace(focused=focused, active_at=NOW - idle)
    situation = Situation(
        Shown((away,)), {"c1": campaign("c1")}, {job: PollRun(NOW, slowdown, chance)}, swept=True
    )
    assert due(situation, job) - NOW < HOLE_SECONDS


jobs_of_a_desk = st.sampled_from(
    [THREAD, HEAD, Job(PollKind.TASKS_SWEEP), Job(PollKind.WORKFLOWS), Job(PollKind.AI_AGENTS)]
)


@pytest.mark.slow
@given(
    st.dictionaries(
        jobs_of_a_desk,
        st.tuples(st.floats(NOW - 1e4, NOW), st.floats(1, 4), st.floats(0, 1)).map(lambda each: PollRun(*each)),
    ),
    st.floats(0, 5e4),
    st.booleans(),
    st.booleans(),
)
def test_a_virtual_clock_that_follows_the_schedule_reaches_every_job_and_never_spins(
    runs: dict[Job, PollRun], quiet: float, focused: bool, swept: bool
) -> None:
    """Run what is due, step to what is due next: each run moves its own job into the future."""
    looker = INBOX._replace(focused=focused, active_at=NOW - quiet)
    now, reached = NOW, set()
    for _ in range(60):
        due_next = upcoming(Situation(Shown((looker,)), {}, runs, swept=swept), now)[0]
        now = max(now, due_next.at)
        runs = {**runs, due_next.job: next_run(runs.get(due_next.job), now, differed=False)}
        swept = True
        later = {each.job: each.at for each in upcoming(Situation(Shown((looker,)), {}, runs, swept=True), now)}
        assert later[due_next.job] > now
        reached.add(due_next.job)
    assert {THREAD, HEAD} <= reached


def test_one_attentive_screen_is_enough() -> None:
    both = ran(THREAD, open_screens=(INBOX._replace(focused=False), INBOX))
    assert due(both, THREAD) == NOW + OPEN_THREAD


def test_what_does_not_differ_is_asked_less_often_up_to_four_times() -> None:
    run = PollRun(NOW)
    for _ in range(10):
        run = next_run(run, NOW, differed=False)
    assert run.slowdown == 4.0
    assert next_run(run, NOW, differed=True).slowdown == 1.0


def test_nothing_is_asked_twice_for_two_screens_on_one_thread() -> None:
    jobs = [each.job for each in upcoming(ran(open_screens=(INBOX, INBOX._replace(screen="board"))), NOW)]
    assert jobs.count(THREAD) == 1


BOARD = Focus("board", tasks_of='["L1", "", ""]', active_at=NOW)
NARROWED = Job(PollKind.TASKS_OF, BOARD.tasks_of)


def test_of_many_open_threads_those_with_a_sign_of_a_new_message_are_read_first() -> None:
    names = [f"L1#C{number}" for number in range(50)]
    screens = tuple(Focus("inbox", each, active_at=NOW) for each in names)
    runs = {Job(PollKind.THREAD, each): PollRun(NOW - 60 - number) for number, each in enumerate(names)}
    situation = Situation(Shown(screens), {}, runs, swept=True, moved={"L1#C7", "L1#C0"})
    threads = [each.job.target for each in upcoming(situation, NOW) if each.job.kind is PollKind.THREAD]
    assert threads[:3] == ["L1#C7", "L1#C0", "L1#C49"], "then the one whose read is the oldest"


def test_with_many_open_threads_the_list_is_read_more_often_and_threads_without_a_sign_less() -> None:
    screens = tuple(INBOX._replace(conversation_id=f"L1#C{number}") for number in range(MANY_THREADS + 1))
    threads = [Job(PollKind.THREAD, each.conversation_id) for each in screens]
    situation = ran(HEAD, *threads, open_screens=screens)
    assert due(situation, HEAD) == NOW + FIRST_PAGE
    assert due(situation, threads[1]) == NOW + OPEN_THREAD, "no sign can be relied on"
    situation = replace(situation, moved={"L1#C0"}, thread_rest=thread_rest(len(screens), 120))
    assert due(situation, HEAD) == NOW + FIRST_PAGE_OF_MANY
    assert due(situation, threads[0]) == NOW + OPEN_THREAD
    rest = due(situation, threads[1]) - NOW
    assert len(screens) * 60 / rest == pytest.approx(UNMOVED_SHARE * 120)
    assert thread_rest(MANY_THREADS, 120) == 0
    assert thread_rest(1_000, 120) == MAX_THREAD_REST
    moved, rested = (next(each for each in upcoming(situation, NOW) if each.job == job) for job in threads[:2])
    assert (moved.interval, moved.can_wait) == (OPEN_THREAD, False)
    assert (rested.interval, rested.can_wait) == (rest, True), "it isn't late before that"


def test_a_sign_makes_no_thread_due_before_its_interval_is_over() -> None:
    situation = replace(ran(THREAD), runs={THREAD: PollRun(NOW, slowdown=4.0)}, moved={"L1#C1"})
    assert due(situation, THREAD) == pytest.approx(NOW + OPEN_THREAD)


def test_what_a_board_is_narrowed_to_is_read_instead_of_the_first_page_of_all() -> None:
    situation = ran(NARROWED, HEAD, open_screens=(BOARD,))
    assert due(situation, NARROWED) == NOW + FIRST_PAGE
    assert due(situation, HEAD) == NOW + FIRST_PAGE_BEHIND
    assert due(ran(NARROWED, HEAD, open_screens=(BOARD, INBOX)), HEAD) == NOW + FIRST_PAGE


def test_its_pages_follow_at_once_until_they_are_known_and_before_the_walk_over_all() -> None:
    situation = replace(ran(NARROWED, Job(PollKind.TASKS_SWEEP), open_screens=(BOARD,)), swept=False)
    assert [each.job for each in upcoming(situation, NOW)][:2] == [NARROWED, Job(PollKind.TASKS_SWEEP)]
    assert due(situation, NARROWED) == NOW
    assert due(replace(situation, walked={NARROWED.target}), NARROWED) == NOW + FIRST_PAGE


def test_a_filter_that_was_refused_is_asked_about_seldom() -> None:
    situation = replace(ran(NARROWED, open_screens=(BOARD,)), swept=False, refused={NARROWED.target})
    assert due(situation, NARROWED) == NOW + REFUSED_AGAIN


def test_nobody_looks_at_a_filter_behind_another_screen() -> None:
    elsewhere = BOARD._replace(screen="inbox", tasks_of="")
    assert NARROWED not in {each.job for each in upcoming(ran(NARROWED, open_screens=(elsewhere,)), NOW)}


WORKFLOWS = Focus("workflows", active_at=NOW)
WHOLE = Job(PollKind.WHOLE_WORKFLOWS)


def test_whoever_opens_the_workflows_waits_for_no_walk_over_tasks() -> None:
    jobs = [each.job.kind for each in upcoming(Situation(Shown((WORKFLOWS,)), {}, {}), NOW) if each.at == 0]
    assert jobs == [PollKind.TASKS_SWEEP, PollKind.WORKFLOWS, PollKind.WHOLE_WORKFLOWS]


def test_whole_workflows_are_read_while_they_are_looked_at_sooner_where_one_is_behind() -> None:
    situation = ran(Job(PollKind.WORKFLOWS), WHOLE, open_screens=(WORKFLOWS,))
    assert due(situation, WHOLE) == NOW + WHOLE_WORKFLOWS
    assert due(replace(situation, workflows_behind=True), WHOLE) == NOW + WHOLE_WORKFLOWS_BEHIND
    unfocused = replace(situation, shown=Shown((WORKFLOWS._replace(focused=False),)))
    assert due(unfocused, WHOLE) == NOW + UNFOCUSED * WHOLE_WORKFLOWS
    assert due(ran(WHOLE), WHOLE) >= NOW + WHOLE_WORKFLOWS_SAMPLED


def test_whole_workflows_that_somebody_asked_for_are_read_once() -> None:
    asked = replace(ran(), runs={WHOLE: REQUESTED})
    assert due(asked, WHOLE) <= NOW
    assert due(replace(asked, runs={WHOLE: PollRun(NOW)}), WHOLE) >= NOW + WHOLE_WORKFLOWS_SAMPLED


def test_files_of_ai_agents_are_read_with_them_only_while_they_are_looked_at() -> None:
    files, without = Job(PollKind.AI_AGENTS, FILES), Job(PollKind.AI_AGENTS)
    seen = ran(files, without, open_screens=(Focus("agents", active_at=NOW),))
    assert due(seen, files) == NOW + DOCUMENTS_ON_SCREEN
    assert without not in {each.job for each in upcoming(seen, NOW)}
    behind = ran(files, without)
    assert due(behind, without) == NOW + DOCUMENTS
    assert files not in {each.job for each in upcoming(behind, NOW)}
