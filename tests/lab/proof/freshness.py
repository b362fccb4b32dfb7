"""How old what is shown gets, in milliseconds of a virtual clock.

The twins of `lab.benchmarks.freshness` and `lab.benchmarks.team_freshness`.
"""

from collections.abc import Sequence
from pathlib import Path

from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import Job, PollKind
from sync.simulated_reads import Simulation, running_campaign, share_below
from sync.simulated_team import Business, SimulatedTeam

HEAD = Job(PollKind.TASKS_HEAD)
SECONDS = 120
SETTLE_SECONDS, TEAM_SECONDS = 90, 600
TEAMS = {
    "50 desks at 120 a minute": (50, 120, Business()),
    "200 desks at 120 a minute": (200, 120, Business()),
    "200 desks, some without a task": (200, 120, Business(closed=37, none=8)),
    "1,000 desks at 300 a minute": (1_000, 300, Business()),
}


def measure(_: Path) -> dict[str, int]:
    """Return ages by name."""
    campaigns = [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(14)]
    found = {"14 running campaigns: p90 of their age, ms": _age([Focus("campaigns")], campaigns, campaigns, 0.9)}
    for count in (1, 10, 50):
        screens = [Focus("inbox", f"t{number}") for number in range(count)]
        found[f"list of tasks with {count} screens: p95 of its age, ms"] = _age(
            screens, campaigns[:2], [HEAD], 0.95
        )
    for name, (desks, per_minute, business) in TEAMS.items():
        found |= _news(name, SimulatedTeam(desks, per_minute, business))
    return found


def _news(name: str, team: SimulatedTeam) -> dict[str, int]:
    """Return the ages of customers' messages when they are read, by the tasks of their conversation."""
    try:
        team.live(SETTLE_SECONDS)
        for each in team.news.values():
            each.clear()
        asked = len(team.requests)
        team.live(TEAM_SECONDS)
        found = {f"{name}: requests in {TEAM_SECONDS} s": len(team.requests) - asked}
        news = {"all messages": [age for ages in team.news.values() for age in ages], **team.news}
        for state, ages in news.items():
            if ages:
                found[f"{name}, {state}: p95 of their age, ms"] = round(1000 * share_below(ages, 0.95))
        return found
    finally:
        team.close()


def _age(screens: list[Focus], running: Sequence[Job], jobs: list[Job], share: float) -> int:
    simulation = Simulation(screens, [running_campaign(each.target) for each in running])
    try:
        simulation.run(SECONDS)
        return round(1000 * share_below(simulation.ages(jobs, since=30), share))
    finally:
        simulation.close()
