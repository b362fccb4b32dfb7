"""Desks of one team for tests: each is a whole engine with a store of its own."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from frontdesk.api.contract.ids import ConversationId
from frontdesk.app.team_link import TeamAccess
from frontdesk.inbox.store import thread_pages, threads
from frontdesk.storage import clients, team_state
from frontdesk.storage.database import Store
from frontdesk.storage.json_access import canonical
from frontdesk.storage.sql import rows
from frontdesk.sync.team_role import Duty
from postgres_server import PASSWORD, Team
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Works, running

AGENTS = {"agent-noa": "Noa", "agent-dan": "Dan"}
READS = ("/api/tasks", "/api/messages")


class Desks:
    """Starts desks of a team.

    Args:
        folder: for their stores.
    """

    def __init__(self, sandbox: Sandbox, team: Team, folder: Path):
        self.sandbox, self.team, self._folder = sandbox, team, folder
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
        add: bool = True,
    ) -> AsyncIterator[Works]:
        """Run a desk of this person, on the store that it had before."""
        address = self.team.add(role, lines, may_poll=may_poll) if add else self.team.address(role)
        access = TeamAccess(address, password, self.team.account, role, agents=AGENTS)
        async with running(self.sandbox, self._folder / role, 0.0, clocks, team=access) as it:
            yield it


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
    return [path for method, path in desk.line.seen[first:] if method == "GET" and is_shared(path)]


def is_shared(path: str) -> bool:
    return "task" in path or "message" in path
