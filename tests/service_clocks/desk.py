"""A desk with service clocks, whose time a test sets."""

from zoneinfo import ZoneInfo

from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.store import threads
from frontdesk.service_clocks.business_hours import BusinessHours
from frontdesk.service_clocks.clocks import ClockKind, Policy
from frontdesk.service_clocks.monitor import ServiceClockMonitor
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_api.hosts import Hosts
from sample_json import raw_message, raw_task
from services import Services

NOW, MINUTE, HOUR = 1_795_000_000.0, 60.0, 3_600.0
ME = AgentId("agent-noa")
PROFILE = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=ME)
SLA = Settings(sla=[{"name": "Service"}])
ALWAYS = BusinessHours(ZoneInfo("UTC"), [[(0, 86_400)]] * 7)
TARGETS = {ClockKind.FIRST: HOUR, ClockKind.NEXT: 4 * HOUR, ClockKind.RESOLUTION: 10 * HOUR}
POLICY = Policy("Service", "", ALWAYS, TARGETS)


class Desk:
    """A store with conversations whose clocks a test computes, and a clock that it sets."""

    def __init__(self, store: Store):
        self.store, self.now, self.steady = store, NOW, 0.0
        self.monitor = ServiceClockMonitor(store, [POLICY], lambda _db, _match, ids: ids, "", lambda: self.steady)

    async def write(self, number: int, minutes_ago: float, assigned: tuple[str, ...] = ()) -> None:
        """A customer with a task wrote so long ago."""
        here, at = ConversationId(f"L1#C{number}"), self.now - minutes_ago * MINUTE
        task = raw_task(number, createdAt=at, assignedAgentIds=list(assigned))
        page = [raw_message(number, createdAt=at * 1000)]
        seen = Seen(at, at)
        await self.store.run(lambda db: task_store.put(db, [task], seen))
        await self.store.run(lambda db: threads.put_page(db, here, page, start=None, has_more=False, now=self.now))
        await self.compute()

    async def compute(self) -> None:
        for _ in range(20):
            self.steady += 10
            if await self.monitor.step() >= 1.0:
                return

    def services(self, settings: Settings = SLA) -> Services:
        return Services(self.store, PROFILE, settings, clock=lambda: self.now)
