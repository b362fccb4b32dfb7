"""When what is polled: a pure function (design.md, section 6)."""

from dataclasses import replace

from frontdesk.store.presence import Looking
from frontdesk.sync.schedule import FIRST_PAGE, OPEN_THREAD, Due, Job, Kind, Run, Situation, after, upcoming

NOW = 1_000_000.0
INBOX = Looking("inbox", "L1#C1", active_at=NOW)
THREAD = Job(Kind.THREAD, "L1#C1")
HEAD = Job(Kind.TASKS_HEAD)


def due(situation: Situation, job: Job, now: float = NOW) -> float:
    return next(each.at for each in upcoming(situation, now) if each.job == job)


def ran(*jobs: Job, lookers: tuple[Looking, ...] = (INBOX,)) -> Situation:
    return Situation(lookers, (), {job: Run(NOW) for job in jobs}, swept=True)


def test_what_a_person_looks_at_comes_first() -> None:
    assert upcoming(Situation((INBOX,), (), {}, swept=True), NOW)[0] == Due(0.0, THREAD)


def test_until_the_first_walk_is_over_its_pages_follow_at_once() -> None:
    jobs = [each.job.kind for each in upcoming(Situation((), (), {}), NOW)]
    assert jobs == [Kind.TASKS_SWEEP]


def test_the_open_thread_and_the_first_page_have_their_intervals() -> None:
    situation = ran(THREAD, HEAD)
    assert due(situation, THREAD) == NOW + OPEN_THREAD
    assert due(situation, HEAD) == NOW + FIRST_PAGE


def test_an_unfocused_terminal_and_an_idle_person_slow_it_down() -> None:
    unfocused = ran(THREAD, lookers=(replace(INBOX, focused=False),))
    idle = ran(THREAD, lookers=(replace(INBOX, active_at=NOW - 601),))
    assert due(unfocused, THREAD) == NOW + 3 * OPEN_THREAD
    assert due(idle, THREAD) == NOW + 10 * OPEN_THREAD


def test_one_attentive_screen_is_enough() -> None:
    both = ran(THREAD, lookers=(replace(INBOX, focused=False), INBOX))
    assert due(both, THREAD) == NOW + OPEN_THREAD


def test_what_does_not_differ_is_asked_less_often_up_to_four_times() -> None:
    run = Run(NOW)
    for _ in range(10):
        run = after(run, NOW, differed=False)
    assert run.stretch == 4.0
    assert after(run, NOW, differed=True).stretch == 1.0


def test_nothing_is_asked_twice_for_two_screens_on_one_thread() -> None:
    jobs = [each.job for each in upcoming(ran(lookers=(INBOX, replace(INBOX, screen="board"))), NOW)]
    assert jobs.count(THREAD) == 1
