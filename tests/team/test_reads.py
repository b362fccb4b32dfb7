"""Read markers of a team: two desks of one person agree, and nobody else's count."""

from pathlib import Path

import pytest

from frontdesk.inbox.store import read_markers
from frontdesk.outbox import queue
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Works, run
from team.desks import Desks, conversations_of, follows, is_alone, leads, tasks_of
from team.people import AtDesk

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    return Desks(sandbox, team, tmp_path, filled_store)


def read_until(desk: Works, conversation_id: str) -> float:
    return float(queue.kept(desk.store.reading, read_markers.READ_MARKER, conversation_id) or 0)


def test_what_one_desk_of_a_person_has_read_is_read_at_the_other_and_unread_at_a_colleagues(
    desks: Desks, team: Team
) -> None:
    async def test() -> None:
        team.add("laptop", agent_id="agent-noa")
        desks._added.add("laptop")
        async with (
            desks.desk("noa") as noa,
            desks.desk("laptop", may_poll=False) as laptop,
            desks.desk("dan", may_poll=False) as dan,
        ):
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            for each in (laptop, dan):
                await each.until(lambda each=each: follows(each) and tasks_of(each.store) == tasks_of(noa.store))
            here, there, *_ = conversations_of(noa.store)
            AtDesk(noa, "noa").open(here)
            at = read_until(noa, here)
            await laptop.until(lambda: read_until(laptop, here) == at)
            # While this one is away it reads on; a marker that is behind moves nothing back.
            desks.cut("laptop")
            await laptop.until(lambda: is_alone(laptop))
            AtDesk(laptop, "noa").open(there)
            desks.mend("laptop")
            await noa.until(lambda: read_until(noa, there) == read_until(laptop, there) > 0)
            AtDesk(dan, "dan").open(here)
            await dan.until(lambda: team.execute("SELECT 1 FROM frontdesk.shared WHERE agent_id = 'agent-dan'"))
            assert read_until(dan, there) == 0

    run(test)
