"""How old what is on the screens is, by the real poller, budget and shares on a virtual clock.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.freshness

Targets: 14 running campaigns p90 <= 10 s; the list of tasks p95 <= 6 s with 1, 10, 20 and 50 screens on one
engine; at a first start what somebody looks at within 5 s. The last line is the time of one decision.
"""

import time

from frontdesk.storage.clients import Focus
from frontdesk.sync.scheduler import Job, PollKind
from lab.benchmarks.raw import keep
from sync.simulated_reads import START, Simulation, running_campaign, share_below

HEAD = Job(PollKind.TASKS_HEAD)


def campaigns(count: int) -> list[Job]:
    return [Job(PollKind.CAMPAIGN, f"c{number}") for number in range(count)]


def simulation(screens: list[Focus], running: int, **how: object) -> Simulation:
    return Simulation(screens, [running_campaign(each.target) for each in campaigns(running)], **how)  # type: ignore[arg-type]


def show(name: str, sim: Simulation, jobs: list[Job]) -> None:
    """Print the ages of these, from half a minute after the start."""
    ages = sim.ages(jobs, since=30)
    keep(f"age of {name.strip()}, p90, by simulation", "s", [share_below(ages, 0.9)])
    shares = ", ".join(f"p{share:.0%} {share_below(ages, share):.1f} s" for share in (0.5, 0.9, 0.95))
    print(f"{name}: {shares}, most {ages[-1]:.1f} s".replace("%", ""))


def main() -> None:
    """Print the figures."""
    for count in (1, 5, 14, 20, 50):
        sim = simulation([Focus("campaigns")], count)
        sim.run(300)
        show(f"{count} running campaigns", sim, campaigns(count))
        sim.close()
    for count in (1, 10, 20, 50):
        sim = simulation([Focus("inbox", f"t{number}") for number in range(count)], 2)
        sim.run(300)
        show(f"list with {count} screens", sim, [HEAD])
        show(f"  their threads, {count}", sim, [Job(PollKind.THREAD, f"t{number}") for number in range(count)])
        sim.close()
    sim = simulation([Focus("campaigns")], 14, pages=5, ahead=[f"t{number}" for number in range(80)])
    sim.run(30)
    first = [sim.times(each.kind, target=each.target)[0] - START for each in campaigns(14)]
    print(f"first start on 14 campaigns: first {min(first):.1f} s, all {max(first):.1f} s")
    sim.close()
    sim = simulation([Focus("inbox", "t0")], 2, pages=30, ahead=[f"t{number}" for number in range(80)])
    sim.run(30)
    thread = sim.times(PollKind.THREAD)[0] - START
    print(f"first start on the inbox: thread {thread:.1f} s, list {sim.times(HEAD.kind)[0] - START:.1f} s")
    sim.close()
    sim = simulation([Focus("inbox", f"t{number}") for number in range(1000)], 1000)
    began = time.perf_counter()
    sim.run(60)
    print(
        f"1,000 screens and 1,000 campaigns: {1000 * sim.decision_seconds / sim.decisions:.1f} ms a decision,"
        f" {sim.decisions} decisions a minute in {time.perf_counter() - began:.1f} s"
    )
    sim.close()


if __name__ == "__main__":
    main()
