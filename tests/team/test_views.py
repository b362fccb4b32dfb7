"""Views of a team: shared by one desk, shown at the others, and taken back."""

from pathlib import Path

import pytest

from frontdesk.inbox.saved_views import all_views
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import Desks, follows, leads
from team.people import AtDesk

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path) -> Desks:
    return Desks(sandbox, team, tmp_path)


def shared(at: AtDesk) -> list[str]:
    return [each.name for each in all_views(at.services.store) if each.author]


def test_a_view_appears_with_its_author_and_goes_when_it_is_taken_back(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa))
            await dan.until(lambda: follows(dan))
            giver, other = AtDesk(noa, "noa"), AtDesk(dan, "dan")
            giver.services.inbox.share_view("late", "waiting>2h")
            await dan.until(lambda: shared(other))
            assert shared(other)[0].startswith("late · ")
            giver.services.inbox.share_view("late", "")
            await dan.until(lambda: not shared(other))
            assert shared(giver) == []

    run(test)
