"""A day of a client's traffic under the schedule and under fixed intervals, on a virtual clock.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.schedule_simulation [agents ...]

The schedule, the budget and the backoff are the real ones; people, arrivals and the platform are
simulated, a client at a time, from request to request. The fixed poller does what a plain client does:
the open thread (at once when it is opened, then by the clock), the first page, a page of the walk,
campaigns and documents, each on its timer as long as the program is open. Its interval is the one at
which the 95th percentile of the age of what is on screen is the same as the schedule's; the ages are
those that somebody could see, while a person sits before the focused screen. Reads of a thread that
an arrival causes are no polls: they are the same for both, told below the table, and spend the
schedule's budget.

Prints a table; the target is a quarter of the requests.
"""

import math
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.storage.clients import Focus
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import Budget
from frontdesk.sync.poll_results import HOSTS
from frontdesk.sync.scheduler import Job, PollKind, PollRun, Shown, Situation, next_run, upcoming
from frontdesk_api.client.errors import RateLimited, ServerError
from frontdesk_api.contract.ids import CampaignId

MINUTE, HOUR = 60.0, 3600.0
DAY = 24 * HOUR
PER_SECOND, PER_MINUTE = 5, 120
LATENCY = (0.15, 0.45)
FAILS = 0.001
THROTTLED_FROM, THROTTLED_FOR = 15 * HOUR, 2 * MINUTE
"""In these two minutes the platform answers every request with 429 and a Retry-After."""
RETRY_AFTER = 5.0
SWEEP_PAGES = 5
SWEEP_EVERY, CAMPAIGN_EVERY, DOCUMENTS_EVERY = 10.0, 15.0, 900.0
"""What the fixed poller waits between reads that nobody sees: what the schedule would, unstretched."""
CAMPAIGN_FROM, CAMPAIGN_UNTIL = 10 * HOUR, 12 * HOUR
SAMPLE_SECONDS = 5.0
WHOLE_DAYS = 50
"""Of more clients than this the others are followed through their first minutes alone, in which they all
start: clients know nothing of each other, so the figures of a day are those of any fifty."""
FIRST_MINUTES = 6 * MINUTE
HEAD = Job(PollKind.TASKS_HEAD)


@dataclass(frozen=True)
class Stretch:
    """What a person does from one moment to the next.

    Attributes:
        attended: whether somebody sits before it and presses keys.
    """

    start: float
    end: float
    conversation: str
    focused: bool
    attended: bool


@dataclass
class Figures:
    """What a client or many have cost, and how old was what they showed."""

    requests: int = 0
    in_shift: int = 0
    open_hours: float = 0.0
    shift_hours: float = 0.0
    attended_hours: float = 0.0
    throttled: int = 0
    behind: int = 0
    ages: list[float] = field(default_factory=list)
    seconds: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Figures") -> None:
        """Take in what another client measured."""
        self.requests += other.requests
        self.in_shift += other.in_shift
        self.open_hours += other.open_hours
        self.shift_hours += other.shift_hours
        self.attended_hours += other.attended_hours
        self.throttled += other.throttled
        self.behind += other.behind
        self.ages += other.ages
        self.seconds.update(other.seconds)

    def age(self, share: float) -> float:
        """The age that this share of all moments stays below."""
        ordered = sorted(self.ages)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(frozen=True)
class Person:
    """An agent's day: when the program is open, and what is done before it."""

    opens: float
    leaves: float
    stretches: tuple[Stretch, ...]


def person(chance: random.Random) -> Person:
    """Opened within five minutes of nine, left open over the night as a program on a server is.

    In the shift people work in bursts of about a quarter of an hour, a conversation every two minutes;
    in between they are in another window for about ten minutes. They drink coffee twice, and eat.
    """
    opens = 9 * HOUR + chance.uniform(0, 5 * MINUTE)
    leaves = 17.5 * HOUR + chance.uniform(-10, 10) * MINUTE
    lunch = 12 * HOUR + chance.uniform(0, 90) * MINUTE
    pauses = sorted(
        [
            (lunch, lunch + chance.uniform(40, 60) * MINUTE),
            *((at, at + chance.uniform(10, 20) * MINUTE) for at in (10.5 * HOUR, 15.75 * HOUR)),
        ]
    )
    found: list[Stretch] = []
    now, conversation = opens, 0
    while now < leaves:
        rest = next((each for each in pauses if each[0] <= now < each[1]), None)
        if rest is not None:
            found.append(Stretch(now, rest[1], str(conversation), chance.random() < 0.5, attended=False))
            now = rest[1]
            continue
        until = min(leaves, now + chance.expovariate(1 / (15 * MINUTE)))
        while now < until:
            conversation += 1
            end = min(until, now + chance.expovariate(1 / (2 * MINUTE)))
            found.append(Stretch(now, end, str(conversation), focused=True, attended=True))
            now = end
        away = min(leaves, now + chance.expovariate(1 / (10 * MINUTE)))
        found.append(Stretch(now, away, str(conversation), focused=False, attended=False))
        now = away
    found.append(Stretch(now, opens + DAY, str(conversation), focused=False, attended=False))
    return Person(opens, leaves, tuple(each for each in found if each.end > each.start))


def arrivals_per_second(now: float, agents: int) -> float:
    """How often the first page changes: customers of the whole business, fewer at night."""
    by_day = 8 * HOUR < now % DAY < 20 * HOUR
    return min(0.5, (1 / 40.0 if by_day else 1 / 900.0) * math.sqrt(agents))


def campaign(now: float) -> CampaignRecord:
    """One that is sent in the morning."""
    is_over = now > CAMPAIGN_UNTIL
    status = "completed" if is_over else "inProgress" if now > CAMPAIGN_FROM else "scheduled"
    times = (CAMPAIGN_FROM, CAMPAIGN_FROM, CAMPAIGN_UNTIL if is_over else None, None)
    counters = Counters(*[None] * 9)
    return CampaignRecord(CampaignId("c"), "c", status, counters, *times, "", "", None, "", now, "", {})


class Clock:
    """The client's own time."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class ScheduledDesk:
    """One client whose requests the schedule chooses."""

    def __init__(self, who: Person, agents: int, chance: random.Random):
        self._who, self._agents, self._chance = who, agents, chance
        self._clock = Clock()
        self._budget = Budget(PER_SECOND, PER_MINUTE, self._clock)
        self._backoff = Backoff(self._clock, chance, throttled=self._budget.throttled)
        self._runs: dict[Job, PollRun] = {}
        self._fresh: dict[Job, float] = {}
        self._pages = SWEEP_PAGES
        self._behind = 0
        self._seed = chance.getrandbits(32)
        self.figures = Figures(
            open_hours=DAY / HOUR,
            shift_hours=(who.leaves - who.opens) / HOUR,
            attended_hours=sum(each.end - each.start for each in who.stretches if each.attended) / HOUR,
        )

    def run(self, until: float = math.inf) -> Figures:
        """The whole day, or the part of it before a moment."""
        active_at = self._who.opens
        for stretch in self._who.stretches:
            if stretch.start >= until:
                break
            self._clock.now = max(self._clock.now, stretch.start)
            if stretch.attended:
                active_at = stretch.end  # keys come all the while
            self._live_through(stretch, active_at)
        return self.figures

    def _live_through(self, stretch: Stretch, active_at: float) -> None:
        thread = Job(PollKind.THREAD, stretch.conversation)
        looking = Focus("inbox", stretch.conversation, focused=stretch.focused, active_at=active_at)
        sampled = stretch.start + self._chance.uniform(0, SAMPLE_SECONDS)
        shown = (thread, HEAD)
        while True:
            now = self._clock.now
            at, job = self._next(looking, now)
            until = min(max(at, now), stretch.end)
            if stretch.attended:
                while sampled < until:
                    self.figures.ages += [
                        sampled - self._fresh.get(each, max(stretch.start, self._who.opens)) for each in shown
                    ]
                    sampled += SAMPLE_SECONDS
            if max(at, now) >= stretch.end:
                return
            self._clock.now = until
            wait = self._budget.wait_seconds()
            if wait > 0:
                self._clock.now += wait + 1e-6
            else:
                self._ask(job)

    def _next(self, looking: Focus, now: float) -> tuple[float, Job]:
        situation = Situation(
            Shown([looking]),
            {"c": campaign(now)},
            self._runs,
            behind="x" if self._behind else "",
            swept=not self._pages,
            begun_at=self._who.opens,
            seed=self._seed,
        )
        queue = [
            (max(each.at, self._backoff.ready_at(HOSTS[each.job.kind])), place, each.job)
            for place, each in enumerate(upcoming(situation, now))
        ]
        at, _, job = min(queue, key=lambda each: (max(each[0], now), each[1]))
        return at, job

    def _ask(self, job: Job) -> None:
        sent = self._clock.now
        self._budget.spend()
        if job.kind is PollKind.THREAD_BEHIND:
            self.figures.behind += 1
        else:
            self._count(sent)
        self._clock.now += self._chance.uniform(*LATENCY)
        host = HOSTS[job.kind]
        if THROTTLED_FROM <= sent < THROTTLED_FROM + THROTTLED_FOR:
            self.figures.throttled += 1
            self._backoff.note_failure(host, RateLimited("slow", status=429, retry_after=RETRY_AFTER))
            return
        if self._chance.random() < FAILS:
            self._backoff.note_failure(host, ServerError("failing", status=503))
            return
        self._backoff.note_success(host)
        run = self._runs.get(job)
        since = 60.0 if run is None else sent - run.at
        differed = self._differs(job, sent, since)
        if job.kind is PollKind.TASKS_SWEEP and self._pages:
            self._pages -= 1
        if job.kind is PollKind.THREAD_BEHIND:
            self._behind -= 1
            return
        if job == HEAD and differed:
            self._behind += 1
        self._fresh[job] = sent
        self._runs[job] = next_run(run, self._clock.now, differed=differed, chance=self._chance.random())

    def _differs(self, job: Job, now: float, since: float) -> bool:
        rate = {
            PollKind.THREAD: 1 / 150.0,
            PollKind.TASKS_HEAD: arrivals_per_second(now, self._agents),
            PollKind.TASKS_SWEEP: 1 / 600.0,
            PollKind.CAMPAIGN: 1.0,
        }.get(job.kind, 0.0)
        return self._chance.random() < 1 - math.exp(-rate * since)

    def _count(self, at: float) -> None:
        self.figures.requests += 1
        self.figures.in_shift += at < self._who.leaves
        self.figures.seconds[int(at)] += 1


def fixed_desk(who: Person, interval: float, chance: random.Random, *, is_whole: bool) -> Figures:
    """One client that asks by timers, for the same person on the same day."""
    figures = Figures(open_hours=DAY / HOUR, shift_hours=(who.leaves - who.opens) / HOUR)
    latency = sum(LATENCY) / 2
    ends = who.opens + DAY
    for every, begins, over in (
        (interval, who.opens, ends),
        (SWEEP_EVERY, who.opens, ends),
        (DOCUMENTS_EVERY, who.opens, ends),
        (DOCUMENTS_EVERY, who.opens, ends),
        (CAMPAIGN_EVERY, who.opens, CAMPAIGN_UNTIL),
    ):
        _tick(figures, begins, over, every, who)
    for stretch in who.stretches:
        _tick(figures, stretch.start, stretch.end, interval, who)
        sampled = stretch.start + chance.uniform(0, SAMPLE_SECONDS)
        while is_whole and stretch.attended and sampled < stretch.end:
            for began in (stretch.start, who.opens):
                age = sampled - began
                figures.ages.append(age if age < latency else (age - latency) % interval + latency)
            sampled += SAMPLE_SECONDS
    return figures


def _tick(figures: Figures, begins: float, over: float, every: float, who: Person) -> None:
    """Count a timer's requests; the seconds only of the first minutes, since all others are like them."""
    figures.requests += math.ceil(max(0.0, over - begins) / every)
    figures.in_shift += math.ceil(max(0.0, min(over, who.leaves) - begins) / every)
    at = begins
    while at < min(over, 9 * HOUR + FIRST_MINUTES):
        figures.seconds[int(at)] += 1
        at += every


def _scheduled(job: tuple[int, int, int]) -> Figures:
    """The scheduled clients of some agents, in a process of its own."""
    agents, first, last = job
    figures = Figures()
    for number in range(first, last):
        chance = random.Random(f"desk {agents} {number}")
        services = ScheduledDesk(person(chance), agents, chance)
        if number < WHOLE_DAYS:
            figures.add(services.run())
        else:
            figures.seconds.update(services.run(9 * HOUR + FIRST_MINUTES).seconds)
    return figures


def _parts(agents: int) -> Iterator[tuple[int, int, int]]:
    size = max(1, min(10, agents // 4))
    for first in range(0, agents, size):
        yield agents, first, min(agents, first + size)


def _fixed(agents: int, interval: float) -> Figures:
    figures = Figures()
    for number in range(agents):
        chance = random.Random(f"desk {agents} {number}")
        services = fixed_desk(person(chance), interval, chance, is_whole=number < WHOLE_DAYS)
        if number < WHOLE_DAYS:
            figures.add(services)
        else:
            figures.seconds.update(services.seconds)
    return figures


def compare(agents: int, pool: "multiprocessing.pool.Pool") -> tuple[Figures, Figures, float]:
    """The schedule's figures, the fixed poller's, and the interval at which their p95 are the same."""
    ours = Figures()
    for part in pool.imap_unordered(_scheduled, _parts(agents)):
        ours.add(part)
    latency = sum(LATENCY) / 2
    interval = (ours.age(0.95) - latency) / 0.95
    return ours, _fixed(agents, interval), interval


def _row(agents: int, name: str, figures: Figures) -> str:
    a_day = figures.requests / figures.open_hours
    shift = figures.in_shift / figures.shift_hours
    most = max(figures.seconds.values())
    return (
        f"| {agents:,} | {name} | {a_day * agents:,.0f} | {a_day:,.0f} | {shift:,.0f} | {most:,} |"
        f" {figures.age(0.5):.1f} s | {figures.age(0.95):.1f} s |"
    )


def main(sizes: list[int]) -> None:
    """Print the table."""
    began = time.monotonic()
    print(
        "| agents | polling | requests/h, all | an agent | an agent, in the shift | most a second | median age"
        " | p95 age |"
    )
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    notes: list[str] = []
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for agents in sizes:
            ours, fixed, interval = compare(agents, pool)
            print(_row(agents, f"every {interval:.1f} s", fixed))
            print(_row(agents, "schedule", ours))
            share = (ours.requests / ours.open_hours) / (fixed.requests / fixed.open_hours)
            shift = ours.in_shift / fixed.in_shift
            notes.append(
                f"{agents:,}: {share:.0%} of the requests of the day, {shift:.0%} of those in the shift;"
                f" somebody sat before the screen {ours.attended_hours / min(agents, WHOLE_DAYS):.1f} of"
                f" 24 hours; {ours.behind / ours.open_hours:.0f} reads an hour and desk were caused by arrivals;"
                f" {ours.throttled} answers were 429"
            )
    print("\n" + "\n".join(notes))
    print(f"took {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [1, 50, 1_000])
