"""How old a team's news is, and what it asks of the platform, by the real poller on a virtual clock.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.team_freshness [DESKS,BUDGET ...]

`team_load.py` has the same by a real leader and a real PostgreSQL. The first rows have conversations as the
sandbox has them, all with a task; in the others some have none, so that no list of tasks tells of their messages.
Targets: p95 <= 4.5 s with 50 and 200 desks at 120 requests a minute, <= 6.5 s with 1,000 at 300, in the sandbox.
"""

import sys

from sync.simulated_reads import share_below
from sync.simulated_team import Business, SimulatedTeam, TaskState

SETTLE_SECONDS, SECONDS = 90.0, 600.0
BUSINESSES = {"the sandbox's": Business(), "some without a task": Business(closed=37, none=8)}
DEFAULT = ("1,120", "50,120", "200,120", "1000,300")


def shares(ages: list[float]) -> str:
    return " / ".join(f"{share_below(ages, each):.1f}" for each in (0.5, 0.95)) if ages else "–"


def row(name: str, desks: int, per_minute: int) -> None:
    """Print one row of the table."""
    team = SimulatedTeam(desks, per_minute, BUSINESSES[name])
    team.live(SETTLE_SECONDS)
    for each in team.news.values():
        each.clear()
    asked = len(team.requests)
    team.live(SECONDS)
    asked_per_minute = (len(team.requests) - asked) / SECONDS * 60
    news = [[age for ages in team.news.values() for age in ages], *(team.news[each] for each in TaskState)]
    told, decision = team.poller.watch.seconds, 1000 * team.decision_seconds / team.decisions
    cells = (
        f"{desks:,}",
        f"{per_minute}",
        name,
        f"{asked_per_minute:.0f}",
        *map(shares, news),
        f"{told:.0f}",
        f"{decision:.2f}",
    )
    print(f"| {' | '.join(cells)} |", flush=True)
    team.close()


def main(rows: list[str]) -> None:
    """Print the table."""
    heads = (
        "desks",
        "budget",
        "conversations",
        "requests/min",
        "p50 / p95 s",
        *TaskState,
        "told s",
        "ms a decision",
    )
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name in BUSINESSES:
        for each in rows:
            row(name, *map(int, each.split(",")))


if __name__ == "__main__":
    main(sys.argv[1:] or [*DEFAULT])
