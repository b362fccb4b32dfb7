"""A session of the linear mode over a real store, without an engine: what it says and what it was asked."""

import io
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

from frontdesk.cli.main import run
from frontdesk.config.settings import Profile, Settings, TagLabel
from frontdesk.inbox.store import threads
from frontdesk.linear.app import LinearApp
from frontdesk.linear.console import Console
from frontdesk.linear.session import SessionServices
from frontdesk.storage.coverage import note_listed
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import AgentId, ConversationId, LineId, TagId
from frontdesk_api.hosts import Hosts
from new_store import open_store
from sample_json import raw_message, raw_task
from services import Services

NOW = 1_700_000_000.0
"""Tuesday 14 November 2023, 22:13 in UTC."""

URL = "http://127.0.0.1:9"
PROFILE = Profile(
    "acme",
    Hosts(URL, URL, URL, URL, URL),
    agent_id=AgentId("me"),
    lines={LineId("L1"): "Service"},
    agents={AgentId("me"): "Me", AgentId("noa"): "Noa", AgentId("omar"): "Omar"},
    tags=(TagLabel(TagId("vip"), "VIP", "gold"), TagLabel(TagId("refund"), "Refund", "red")),
)


class Desktop:
    """A store with some customers, and the linear mode on it.

    Attributes:
        store: the store.
        now: Unix seconds of its clock.
        desk: what the session works with; for looking at what came of it.
    """

    def __init__(
        self,
        folder: Path,
        lines: str = "",
        settings: Settings | None = None,
        customers: int = 15,
        profile: Profile = PROFILE,
    ):
        self.now = NOW
        self.store = open_store(folder)
        self.store.write(
            lambda db: task_store.put(db, [_task(number) for number in range(1, customers + 1)])
        ).result()
        self.store.write(note_listed).result()
        self.services = Services(self.store, profile, settings or Settings(), lambda: self.now)
        self._written = io.StringIO()
        self.console = Console(io.StringIO(lines), self._written)
        self.session_services = SessionServices(self.services.store, self.services.outbox, self.console, UTC, run)
        self.app = LinearApp(self.session_services)
        self.session = self.app.session
        # Nobody answers here, so nothing is waited for.
        self.app.news.wait = lambda is_so, _: is_so()  # type: ignore[method-assign]

    def thread(self, number: int, messages: int, *, has_more: bool = False, newest: float = NOW - 600) -> None:
        """Store a customer's thread, a minute between two messages."""
        conversation = ConversationId(f"L1#C{number}")
        page = [
            raw_message(each, createdAt=(newest - 60 * (messages - each)) * 1000)
            for each in range(messages, 0, -1)
        ]
        self.store.write(
            lambda db: threads.put_page(db, conversation, page, start=None, has_more=has_more, now=NOW)
        ).result()

    def say(self, *lines: str) -> str:
        """What the session answers to lines."""
        self._written.seek(0)
        self._written.truncate()
        for line in lines:
            self.app.do(line)
        return self._written.getvalue()

    def run(self) -> str:
        """Read all lines that it was made with; what was said."""
        self.app.run()
        return self._written.getvalue()

    def change(self, job: Callable[..., object]) -> None:
        """Write to the store as another process would."""
        self.store.write(job).result()


def _task(number: int) -> dict[str, object]:
    customer = {"phoneNumberId": f"C{number}", "customerName": f"Customer {number:02}"}
    seconds = NOW - 3_600 * number
    return raw_task(
        number, customer={**customer, "lastActiveAt": seconds * 1000}, createdAt=seconds, updatedAt=seconds
    )
