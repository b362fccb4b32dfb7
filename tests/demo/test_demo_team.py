"""The desks of `frontdesk demo --team`: one a terminal, over a PostgreSQL that the first one runs."""

import asyncio
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontdesk.demo.demo_desks import DemoDesk, DemoTeam, DemoTeamFailed, read_access
from frontdesk.demo.embedded_postgres import Binaries, EmbeddedPostgres
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import PasswordRefused, connect, parse_address
from frontdesk.relay.records import Account
from frontdesk_sandbox import fixtures

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("demo_for_root")]


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
        with pytest.raises(DemoTeamFailed, match="all 2 inboxes are open"):
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
    monkeypatch.setattr("frontdesk.demo.demo_desks.MAX_SOCKET_FOLDER", 1)
    monkeypatch.setattr("frontdesk.demo.embedded_postgres.MAX_END_SECONDS", 0.0)
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

    with monkeypatch.context() as patched:
        patched.setattr("frontdesk.demo.demo_desks.find_binaries", missing)
        with pytest.raises(DemoTeamFailed, match="pip install"):
            DemoTeam(tmp_path, 2)
    DemoTeam(tmp_path, 2).leave()


def test_root_is_refused_and_opens_nothing_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    opened: list[Path] = []
    monkeypatch.setattr(Path, "chmod", lambda path, mode: opened.append(path))
    with pytest.raises(DemoTeamFailed, match="can't run as root, because PostgreSQL can't; run it as"):
        DemoTeam(tmp_path, 2)
    assert opened == []


def test_the_server_answers_its_own_user_and_asks_people_for_their_password(first: DemoTeam) -> None:
    folder, _ = read_access(first._folder)
    address = parse_address(first.environment(first.desk)["FRONTDESK_TEAM_URL"])
    assert stat.S_IMODE((folder / ".s.PGSQL.5432").stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    async def log_in() -> None:
        with pytest.raises(PasswordRefused):
            await connect(address, "")
        superuser = await connect(address._replace(user="postgres"), "")
        access = await superuser.fetch("SELECT user_name, auth_method FROM pg_hba_file_rules ORDER BY rule_number")
        mapped = await superuser.fetch("SELECT sys_name, pg_username FROM pg_ident_file_mappings")
        await superuser.close()
        assert [tuple(row) for row in access][:2] == [(["postgres"], "peer"), (["all"], "scram-sha-256")]
        assert "trust" not in str(access)
        assert [tuple(row) for row in mapped] == [(pwd.getpwuid(os.geteuid()).pw_name, "postgres")]

    asyncio.run(log_in())


def test_an_older_servers_files_are_closed_at_the_next_start(
    postgres_binaries: Binaries, postgres_folder: Callable[[], Path]
) -> None:
    folder = postgres_folder()
    access = folder / "data" / "pg_hba.conf"
    access.write_text("local all all trust\n")
    server = EmbeddedPostgres(postgres_binaries, folder / "data", folder)
    try:
        assert "trust" not in access.read_text()
    finally:
        server.stop()
