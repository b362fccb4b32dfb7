"""The desks of `frontdesk demo --team`: one a terminal, over a PostgreSQL that the first one runs."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.app.demo_team import DemoDesk, DemoTeam, DemoTeamFailed, read_access
from frontdesk.relay.address import parse_address
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Account
from frontdesk.sandbox import fixtures

pytestmark = pytest.mark.slow


@pytest.fixture
def first(tmp_path: Path) -> Iterator[DemoTeam]:
    team = DemoTeam(tmp_path, 2)
    yield team
    team.leave()


def account_of(team: DemoTeam, desk: DemoDesk) -> Account:
    """Log in as a desk's process does."""
    environ = team.environment(desk)

    async def read() -> Account:
        address = parse_address(environ["FRONTDESK_TEAM_URL"])
        client = await RelayClient.open(
            address, environ["FRONTDESK_TEAM_PASSWORD"], environ["FRONTDESK_TEAM_ACCOUNT"], "d"
        )
        try:
            return await client.account_state()
        finally:
            await client.close()

    return asyncio.run(read())


def test_each_terminal_takes_the_next_desk(first: DemoTeam, tmp_path: Path) -> None:
    second = DemoTeam(tmp_path, 2)
    try:
        assert (first.desk.number, second.desk.number) == (1, 2)
        assert first.desk.store != second.desk.store
        assert [each.number for each in first.others] == [2]
        assert second.others == []
        for team in (first, second):
            account = account_of(team, team.desk)
            assert account.agent_id == team.desk.agent.id
            assert account.may_poll
        with pytest.raises(DemoTeamFailed, match="all 2 desks are open"):
            DemoTeam(tmp_path, 2)
    finally:
        second.leave()
    third = DemoTeam(tmp_path, 2)
    assert third.desk == second.desk
    third.leave()


def test_a_terminal_that_stays_finds_the_server_that_another_one_starts_again(tmp_path: Path) -> None:
    first = DemoTeam(tmp_path, 3)
    second = DemoTeam(tmp_path, 3)
    try:
        before = account_of(second, second.desk)
        first.leave()
        first = DemoTeam(tmp_path, 3)
        third = DemoTeam(tmp_path, 3)
        assert (first.desk.number, second.desk.number, third.desk.number) == (1, 2, 3)
        for each in (first, second, third):
            assert account_of(each, each.desk).agent_id == each.desk.agent.id
        assert account_of(second, second.desk).lines == before.lines
        third.leave()
    finally:
        second.leave()
        first.leave()


def test_a_folder_whose_name_is_taken_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontdesk.app.demo_team.MAX_SOCKET_FOLDER", 1)
    monkeypatch.setattr("frontdesk.app.embedded_postgres.MAX_END_SECONDS", 0.0)
    team = DemoTeam(tmp_path, 2)
    team.leave()
    taken, password = read_access(tmp_path)
    taken.mkdir()
    try:
        team = DemoTeam(tmp_path, 2)
        assert read_access(tmp_path)[0] != taken
        assert read_access(tmp_path)[1] == password
        assert account_of(team, team.desk).lines == {"*"}
        team.leave()
        assert list(taken.iterdir()) == []
    finally:
        taken.rmdir()


def test_the_people_are_those_of_the_sandbox(first: DemoTeam) -> None:
    assert [first.desk.agent, *(each.agent for each in first.others)] == [*fixtures.AGENTS[:2]]


def test_a_second_start_finds_the_team_as_it_was(tmp_path: Path) -> None:
    for _ in range(2):
        team = DemoTeam(tmp_path, 2)
        assert account_of(team, team.others[0]).lines == {"*"}
        team.leave()


def test_what_isnt_a_server_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError

    monkeypatch.setattr("frontdesk.app.demo_team.find_binaries", missing)
    with pytest.raises(DemoTeamFailed, match="pip install"):
        DemoTeam(tmp_path, 2)
    monkeypatch.undo()
    DemoTeam(tmp_path, 2).leave()
