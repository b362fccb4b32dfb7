"""Desks of one team for tests: each is a whole engine with a store of its own."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from frontdesk.inbox.store import thread_pages, threads
from frontdesk.outbox import bulk, queue
from frontdesk.storage import clients, team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, Duty
from frontdesk.storage.sql import first, rows
from frontdesk.team.access import TeamAccess, TeamTimes
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_api.json_access import canonical
from postgres_server import PASSWORD, Team
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Works, running

QUICK = TeamTimes(
    lease=5.0,
    renew=0.3,
    look=0.2,
    follow=0.2,
    alone_after=2.0,
    spread=0.5,
    min_retry=0.1,
    max_retry=0.5,
    present=5.0,
)
"""Shorter than usual, but no stall of a busy machine ends a lease."""

SHARED_READS = ("/getMessages", "/tasks/list")


class Desks:
    """Starts desks of a team.

    Args:
        folder: for their stores.
        filled: a store that has read everything, of which each desk's is a copy; None for empty ones.
    """

    def __init__(self, sandbox: Sandbox, team: Team, folder: Path, filled: Path | None = None):
        self.sandbox, self.team, self._folder, self._filled = sandbox, team, folder, filled
        self._added: set[str] = set()
        team.execute("UPDATE frontdesk.accounts SET budget_per_minute = 100000")

    @asynccontextmanager
    async def desk(
        self,
        role: str,
        *,
        lines: Sequence[str] = ("*",),
        may_poll: bool = True,
        password: str = PASSWORD,
        clocks: Clocks | None = None,
        times: TeamTimes = QUICK,
    ) -> AsyncIterator[Works]:
        """Run a desk of this person, on the store that it had before."""
        self.add(role, lines, may_poll=may_poll)
        store = self._folder / role
        if self._filled is not None and not store.exists():
            shutil.copytree(self._filled, store)
        access = TeamAccess(self.url(role), self.team.account, lambda: password, role, times=times)
        async with running(self.sandbox, store, 0.0, clocks, team=access) as it:
            yield it

    def url(self, role: str) -> str:
        return self.team.postgres.url(role, self.team.database)

    def add(self, role: str, lines: Sequence[str] = ("*",), *, may_poll: bool = True) -> None:
        """Add a person to the team, who keeps the rights of the first time."""
        if role not in self._added:
            self._added.add(role)
            self.team.add(role, lines, may_poll=may_poll)

    def cut(self, role: str) -> None:
        """Keep a person from the relay, and end what connections there are."""
        self.add(role)
        self.team.execute(
            f"ALTER ROLE {role} NOLOGIN;"
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'"
        )

    def cut_connections(self, role: str) -> None:
        """End a person's connections to the relay, as the system does when their process is killed."""
        self.team.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'")

    def mend(self, role: str) -> None:
        """Let the person back in."""
        self.team.execute(f"ALTER ROLE {role} LOGIN")


def state(desk: Works) -> team_state.TeamState:
    """What the desk's status line says of the team."""
    return team_state.state(desk.store.reading)


def leads(desk: Works) -> bool:
    return state(desk).duty == Duty.LEADS


def follows(desk: Works) -> bool:
    return state(desk).duty == Duty.FOLLOWS


def is_alone(desk: Works) -> bool:
    return state(desk).duty == Duty.ALONE


def look_at(desk: Works, conversation_id: str) -> None:
    """Open a conversation on the desk's screen."""
    clock = desk.services.store.clock
    desk.services.sync.report_focus(
        clients.Focus(screen="inbox", conversation_id=conversation_id, active_at=clock())
    )


def tasks_of(store: Store) -> dict[str, str]:
    """Return the stored tasks, as they were received."""
    return {str(row[0]): str(row[1]) for row in rows(store.reading, "SELECT task_id, raw FROM tasks")}


def thread_of(store: Store, conversation_id: str) -> tuple[list[str], list[object]]:
    """Return a stored thread, and its segments."""
    each = ConversationId(conversation_id)
    found = thread_pages.page_from(store.reading, each, None, 10_000)
    return [canonical(message.raw) for message in found], [*threads.segments(store.reading, each)]


def conversations_of(store: Store) -> list[str]:
    found = rows(store.reading, "SELECT conversation_id FROM conversations ORDER BY conversation_id")
    return [str(row[0]) for row in found]


def read_requests(desk: Works, first: int = 0) -> list[str]:
    """Return the reads of tasks and threads that a desk sent to the platform."""
    return [path for _, path in desk.line.seen[first:] if path in SHARED_READS]


def edit(desk: Works, task_id: str, title: str) -> None:
    """Let the desk's person set a task's title, having seen the one that its store has."""
    row = first(desk.store.reading, "SELECT title FROM tasks WHERE task_id = ?", (task_id,))
    assert row is not None
    desk.services.tasks.edit(TaskId(task_id), {"title": title}, {"title": str(row[0])}).result()


def is_settled(desk: Works) -> bool:
    """Whether no change of the desk is on its way."""
    return bulk.unconfirmed_count(desk.services.store.reading) == 0


def newest_change(desk: Works, task_id: str) -> Change:
    return queue.recent_of(desk.services.store.reading, task_id, 1)[0]
