"""How old what is shown gets, in milliseconds of a virtual clock: the twins of `lab.benchmarks.freshness`."""

from collections.abc import Sequence
from pathlib import Path

from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import Job, PollKind
from sync.simulated_reads import Simulation, running_campaign, share_below

HEAD = Job(PollKind.TASKS_HEAD)
SECONDS = 120


def measure(_: Path) -> dict[str, int]:
    """Return ages by name."""
    campaigns = [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(14)]
    found = {"14 running campaigns: p90 of their age, ms": _age([Focus("campaigns")], campaigns, campaigns, 0.9)}
    for count in (1, 10, 50):
        screens = [Focus("inbox", f"t{number}") for number in range(count)]
        found[f"list of tasks with {count} screens: p95 of its age, ms"] = _age(
            screens, campaigns[:2], [HEAD], 0.95
        )
    return found


def _age(screens: list[Focus], running: Sequence[Job], jobs: list[Job], share: float) -> int:
    simulation = Simulation(screens, [running_campaign(each.target) for each in running])
    try:
        simulation.run(SECONDS)
        return round(1000 * share_below(simulation.ages(jobs, since=30), share))
    finally:
        simulation.close()
