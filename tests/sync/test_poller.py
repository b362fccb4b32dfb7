"""What the poller decides between two reads: whom it reads for, once more, or not at all."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import FIRST_PAGE, OPEN_THREAD, REFUSED_AGAIN, Job, PollKind
from frontdesk.sync.store_write_errors import StoreTrouble
from frontdesk_api.client.errors import NotFound, NotSent, ServerError
from sync.simulated_reads import START, Simulation, running_campaign

HEAD, SWEEP = Job(PollKind.TASKS_HEAD), Job(PollKind.TASKS_SWEEP)
INBOX = Focus("inbox", "t0")
THREAD = Job(PollKind.THREAD, "t0")


def asked_at(sim: Simulation, job: Job) -> list[float]:
    return [round(at - START, 1) for each, at in sim.asked if each == job]


@pytest.mark.parametrize("target", ["", "t0", "thread"])
@pytest.mark.parametrize("begun", [0.0, 5.05])
def test_what_is_asked_for_while_it_is_read_is_read_once_more(target: str, begun: float) -> None:
    """What comes left the platform before the request; also the first time, when nothing was ever read."""
    sim = Simulation([INBOX], latency=(2.0, 2.0))
    sim.run(begun + 1.0)
    sim.refresh(target)
    sim.run(2.0)
    assert sim.times(PollKind.THREAD)[-1] - START == pytest.approx(begun + 2.0, abs=0.1)
    sim.run(1.1)
    assert asked_at(sim, THREAD)[-1] == pytest.approx(begun + 2.0, abs=0.1)
    sim.run(2.0)
    assert asked_at(sim, THREAD)[-1] == pytest.approx(begun + 2.0, abs=0.1), "and then as often as before"


def test_a_read_that_nobody_asked_for_meanwhile_is_not_repeated() -> None:
    sim = Simulation([INBOX], latency=(2.0, 2.0))
    sim.run(1.0)
    sim.refresh("another")
    sim.run(3.1)
    assert asked_at(sim, THREAD) == [0.0]


@pytest.mark.parametrize("error", [apsw.FullError("disk full"), apsw.IOError("bad")])
def test_a_store_that_cannot_be_written_stops_the_polls_and_is_raised_once_by_the_next_step(
    error: apsw.Error,
) -> None:
    sim = Simulation([INBOX], refuses=lambda job: error if job == THREAD else None)  # type: ignore[arg-type,return-value]
    sim.poller.store_trouble = StoreTrouble(SimpleNamespace(folder=Path("store")))  # type: ignore[arg-type]
    with pytest.raises(type(error)):
        sim.run(1.0)
    assert sim.poller.store_trouble.until > sim.clock()
    sim.refuses = lambda _: None
    count = len(sim.asked)
    sim.run(1.0)
    assert len(sim.asked) - count <= 1, "only what was on its way"
    sim.run(3.0)
    assert asked_at(sim, THREAD)[-1] > 1.5
    assert sim.poller.store_trouble.reason == ""


def test_a_fault_of_ours_makes_only_its_poll_rest_for_a_minute() -> None:
    sim = Simulation([INBOX], refuses=lambda job: ZeroDivisionError() if job == THREAD else None)  # type: ignore[arg-type,return-value]
    sim.run(59.0)
    assert len(asked_at(sim, THREAD)) == 1
    assert len(asked_at(sim, HEAD)) >= 59 / (FIRST_PAGE * 1.5)
    sim.run(15.0)
    assert len(asked_at(sim, THREAD)) == 2


def test_nothing_is_polled_while_every_screen_has_paused_it() -> None:
    paused = INBOX._replace(paused=True)
    sim = Simulation([paused, paused._replace(conversation_id="t1")])
    sim.run(120.0)
    assert sim.poller.is_paused
    assert sim.asked == []
    assert sim.poller.late_reads() == ()
    sim.show([paused, Focus("inbox", "t1")])
    sim.run(10.0)
    assert not sim.poller.is_paused
    assert THREAD not in {job for job, _ in sim.asked}, "the screen that paused polls nothing"
    assert Job(PollKind.THREAD, "t1") in {job for job, _ in sim.asked}


def test_all_is_read_once_every_part_of_it_is() -> None:
    done = replace(running_campaign("c0", "completed"), completed_at=START - 9_999)
    sim = Simulation([Focus("inbox")], [done], pages=2, ahead=["t1"], outdated=["t2"])
    found = []
    for _ in range(40):
        sim.run(1.0)
        kinds = {job.kind for job, _ in sim.asked}
        parts = (
            not sim.pages,
            not sim.ahead,
            not sim.outdated,
            PollKind.WORKFLOWS in kinds and PollKind.AI_AGENTS in kinds,
        )
        found.append((sim.poller.has_read_all, all(parts)))
    assert found[0] == (False, False)
    assert found[-1] == (True, True)
    assert all(has_read == is_done for has_read, is_done in found)
    sim.campaigns = [replace(done, read_at=None)]
    assert not sim.poller.has_read_all
    sim.campaigns = [replace(done, read_at=None, problem="gone")]
    assert sim.poller.has_read_all
    sim.outdated = ["t3"]
    assert not sim.poller.has_read_all


def test_of_a_campaign_it_is_known_when_it_was_read_last() -> None:
    sim = Simulation([Focus("campaigns")], [running_campaign("c0"), running_campaign("c1")])
    sim.run(20.0)
    last = {each.job.target: each.asked_at for each in sim.reads if each.job.kind is PollKind.CAMPAIGN}
    assert sim.poller.campaign_reads() == last
    assert set(last) == {"c0", "c1"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("c0", {Job(PollKind.CAMPAIGN, "c0")}),
        ("t5", {Job(PollKind.THREAD, "t5")}),
        ("workflows", {Job(PollKind.WORKFLOWS), Job(PollKind.WHOLE_WORKFLOWS)}),
        ("whole workflows", {Job(PollKind.WHOLE_WORKFLOWS)}),
        ("tasks", {HEAD}),
    ],
)
def test_a_refresh_of_one_thing_makes_no_other_due(target: str, expected: set[Job]) -> None:
    ended = replace(running_campaign("c0", "completed"), completed_at=START - 9_999)
    sim = Simulation([Focus("inbox", "t5")], [ended])
    sim.run(61.0)
    before = len(sim.asked)
    sim.refresh(target)
    sim.run(0.4)
    asked = {job for job, _ in sim.asked[before:]}
    sim.run(2.0)
    asked |= {job for job, _ in sim.asked[before:] if job in expected}
    assert expected <= asked
    assert {job for job in asked if job.kind not in (PollKind.THREAD, PollKind.TASKS_HEAD)} <= expected


def test_opening_a_thread_again_within_its_interval_reads_it_no_sooner() -> None:
    sim = Simulation([INBOX])
    sim.run(1.0)
    assert len(asked_at(sim, THREAD)) == 1
    sim.show([Focus("inbox")])
    sim.run(0.5)
    sim.show([INBOX])
    sim.run(0.5)
    assert len(asked_at(sim, THREAD)) == 1
    sim.show([Focus("inbox")])
    sim.run(OPEN_THREAD * 2)
    sim.show([INBOX])
    sim.run(0.5)
    assert len(asked_at(sim, THREAD)) == 2


def test_attention_is_that_of_a_screen_in_focus_that_was_touched_lately() -> None:
    sim = Simulation([Focus("inbox")])
    for screens, expected in (
        ([Focus("inbox")], True),
        ([Focus("inbox", focused=False)], False),
        ([Focus("inbox", active_at=START - 601)], False),
        ([Focus("inbox", active_at=START - 590)], True),
        ([Focus("inbox", focused=False), Focus("board")], True),
        ([Focus("inbox", paused=True), Focus("board", focused=False)], False),
    ):
        sim.show(screens)
        sim.run(0.1)
        assert sim.backoff.attended is expected, screens


def test_after_a_sleep_what_hangs_is_asked_for_again_and_the_budget_is_whole() -> None:
    sim = Simulation([INBOX], hangs={PollKind.THREAD})
    sim.run(5.0)
    assert len(asked_at(sim, THREAD)) == 0
    while sim.budget.wait_seconds() == 0:
        sim.budget.spend()
    sim.hangs = ()
    sim.poller.resume_after_sleep()
    assert sim.budget.wait_seconds() == 0
    sim.run(2.0)
    assert len(asked_at(sim, THREAD)) >= 1


def test_after_a_clock_was_set_back_threads_that_were_set_aside_are_tried_again() -> None:
    behind = Job(PollKind.THREAD_BEHIND, "t1")
    sim = Simulation([INBOX], ahead=["t1"])
    sim.refuses = lambda job: NotFound("gone", status=404) if job == behind else None
    sim.run(30.0)
    assert len(asked_at(sim, behind)) == 1
    sim.poller.adjust_to_clock(30 * 86_400.0)
    sim.run(30.0)
    assert len(asked_at(sim, behind)) == 2


@pytest.mark.parametrize("error", [NotSent("offline"), ServerError("broken", status=500)])
def test_what_is_late_at_a_host_that_fails_is_shown_as_its_failure_alone(error: Exception) -> None:
    sim = Simulation([INBOX])
    sim.run(10.0)
    sim.refuses = lambda job: error if job.kind is PollKind.THREAD else None  # type: ignore[assignment,return-value]
    for _ in range(30):
        sim.run(1.0)
        assert {each.kind for each in sim.poller.late_reads()} <= {"tasks"}


def test_at_the_start_what_nobody_sees_is_read_at_moments_of_its_own() -> None:
    campaigns = [running_campaign(f"c{number}") for number in range(6)]
    sim = Simulation([INBOX], campaigns)
    sim.run(15.0)
    first = [min(asked_at(sim, Job(PollKind.CAMPAIGN, each.campaign_id))) for each in campaigns]
    assert max(first) - min(first) > 4.0, "spread over ten seconds"
    assert max(first) < 11.0
    assert asked_at(sim, THREAD)[0] == 0.0


@pytest.mark.parametrize(
    ("known", "seconds"), [({}, 1.0), ({"walked": {"f"}}, FIRST_PAGE), ({"refused": {"f"}}, REFUSED_AGAIN)]
)
def test_pages_of_a_filter_are_read_as_its_state_demands(known: dict[str, set[str]], seconds: float) -> None:
    sim = Simulation([Focus("board", tasks_of="f")], pages=10_000, differs=lambda _: True)
    for name, value in known.items():
        setattr(sim, name, value)
    sim.run(2.5 * seconds)
    at = asked_at(sim, Job(PollKind.TASKS_OF, "f"))
    assert at[1] - at[0] == pytest.approx(seconds, rel=0.2) if known else len(at) >= 3


def test_documents_that_are_missing_are_read_sooner() -> None:
    sim = Simulation([Focus("workflows")], differs=lambda _: True)
    sim.workflows_behind = True  # type: ignore[misc]
    sim.run(20.0)
    assert len(asked_at(sim, Job(PollKind.WHOLE_WORKFLOWS))) >= 5
