"""`frontdesk demo --team N`: N desks of one team on this machine, over an embedded PostgreSQL.

Each terminal takes the next free desk. The first one also runs the server and the engines of the other desks; when
it ends, those in other terminals go on alone and say so, until a terminal runs it again.
"""

import asyncio
import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from frontdesk.config.file_access import open_regular_file
from frontdesk.config.paths import make_private, replace_file
from frontdesk.config.program_files import install_command
from frontdesk.demo.embedded_postgres import (
    OWNER,
    Binaries,
    EmbeddedPostgres,
    PostgresFailed,
    RefusesRoot,
    find_binaries,
    init_cluster,
)
from frontdesk_sandbox import fixtures

ACCOUNT = "demo"
DATABASE = "postgres"

ACCESS_FILE = "team.json"

MAX_SOCKET_FOLDER = 80
"""Characters: systems allow about a hundred for a socket's whole path."""

NOT_INSTALLED = f"the demo's team needs more packages; to install them, run: {install_command('team-demo')}"


class DemoTeamFailed(Exception):
    """The demo's team can't be started; the text says why and what helps."""


@dataclass(frozen=True, slots=True)
class DemoDesk:
    """One desk of the demo: its number from 1, its person, and the folder of its store."""

    number: int
    agent: fixtures.Agent
    store: Path

    @property
    def role(self) -> str:
        return re.sub(r"[^a-z0-9]", "", self.agent.name.split()[0].lower()) or f"desk{self.number}"


class DemoTeam:
    """This terminal's desk in the demo's team.

    Args:
        folder: of the demo, a private one.
        count: how many desks the team has.

    Attributes:
        desk: the desk that this terminal has taken.
        others: those whose engines this terminal runs.

    Raises:
        DemoTeamFailed: there is no free desk, or PostgreSQL can't be started.
    """

    def __init__(self, folder: Path, count: int):
        desks = demo_desks(folder, count)
        self._folder, self._locks = folder, list[FileLock]()
        self._server: EmbeddedPostgres | None = None
        self.others: list[DemoDesk] = []
        try:
            self.desk = self._take(desks)
            if self._lock("team"):
                self._start(desks)
                self.others = [each for each in desks if each != self.desk]
            else:
                self._socket_folder, self._password = read_access(folder)
        except BaseException:
            self.leave()
            raise

    def environment(self, desk: DemoDesk) -> dict[str, str]:
        """Return what makes a process take part as this desk's person."""
        return desk_environment(desk, self._socket_folder, self._password)

    def leave(self) -> None:
        """Free the desk, and stop the server if this terminal runs it."""
        if self._server is not None:
            self._server.stop()
        for each in self._locks:
            each.release()

    def _take(self, desks: list[DemoDesk]) -> DemoDesk:
        for each in desks:
            if self._lock(f"desk-{each.number}"):
                return each
        raise DemoTeamFailed(f"all {len(desks)} inboxes are open in other terminals; close one of them first")

    def _lock(self, name: str) -> bool:
        lock = FileLock(self._folder / f"{name}.lock", mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._locks.append(lock)
        return True

    def _start(self, desks: list[DemoDesk]) -> None:
        try:
            kept_folder, self._password = read_access(self._folder)
        except DemoTeamFailed:
            kept_folder, self._password = None, secrets.token_urlsafe(18)
        try:
            binaries = find_binaries()
            data, socket_folder = _make_folders(binaries, self._folder, kept_folder)
            if not (data / "PG_VERSION").exists():
                init_cluster(binaries, data)
            self._server = EmbeddedPostgres(binaries, data, socket_folder)
        except ImportError:
            raise DemoTeamFailed(NOT_INSTALLED) from None
        except RefusesRoot as error:
            raise DemoTeamFailed(str(error)) from None
        except (PostgresFailed, OSError) as error:
            raise DemoTeamFailed(f"couldn't start the team's PostgreSQL: {error}; try --fresh") from error
        self._socket_folder = self._server.socket_folder
        asyncio.run(_set_up(self._socket_folder, desks, self._password))
        replace_file(
            self._folder / ACCESS_FILE,
            json.dumps({"socket": str(self._socket_folder), "password": self._password}),
        )


def demo_desks(folder: Path, count: int) -> list[DemoDesk]:
    """Return the desks of a demo with so many; the first one's store is that of a demo without a team."""
    return [
        DemoDesk(number, agent, folder / ("store" if number == 1 else f"store-{number}"))
        for number, agent in enumerate(fixtures.AGENTS[:count], 1)
    ]


def desk_environment(desk: DemoDesk, socket_folder: Path, password: str) -> dict[str, str]:
    host = quote(str(socket_folder), safe="")
    return {
        "FRONTDESK_AGENT_ID": desk.agent.id,
        "FRONTDESK_TEAM_URL": f"postgresql://{desk.role}@/{DATABASE}?host={host}",
        "FRONTDESK_TEAM_ACCOUNT": ACCOUNT,
        "FRONTDESK_TEAM_PASSWORD": password,
    }


def read_access(folder: Path) -> tuple[Path, str]:
    """Read where the server of the demo in a folder is, or was, and its people's password.

    Both stay the same, so that the desks of other terminals find a server that was started again.

    Raises:
        DemoTeamFailed: it was never started, or starts for the first time.
    """
    try:
        with open(folder / ACCESS_FILE, encoding="utf-8", opener=open_regular_file) as stream:
            said = json.load(stream)
        return Path(said["socket"]), str(said["password"])
    except (OSError, ValueError, KeyError, TypeError):
        raise DemoTeamFailed("the team in the other terminal is still starting; try again in a moment") from None


def _make_folders(binaries: Binaries, folder: Path, kept: Path | None) -> tuple[Path, Path]:
    """Return the folders of the server's files, which outlive the demo, and of its socket, as the last time."""
    data, socket_folder = folder / "postgres", folder / "socket"
    make_private(data)
    if len(str(socket_folder)) > MAX_SOCKET_FOLDER:
        return data, _shared_folder(binaries, kept)
    make_private(socket_folder)
    return data, socket_folder


def _shared_folder(binaries: Binaries, kept: Path | None) -> Path:
    """Make a folder among everybody's temporary ones: the one of the last time, unless its name is taken."""
    if kept is not None and binaries.remake_folder(kept):
        return kept
    return binaries.new_folder()


async def _set_up(socket_folder: Path, desks: list[DemoDesk], password: str) -> None:
    """Create the team's tables, its account and its people, as far as they are missing."""
    from frontdesk.config.team import RelayAddress
    from frontdesk.relay.admin import InitOptions, init_account, open_as_owner
    from frontdesk.relay.connection import RelayError
    from frontdesk.relay.people import Grant, add_person, scram_secret

    address = RelayAddress(str(socket_folder), 5432, OWNER, DATABASE, is_local=True)
    try:
        async with open_as_owner(address, "") as connection:
            await init_account(connection, ACCOUNT, InitOptions())
            for each in desks:
                grant = Grant(each.role, agent_id=each.agent.id, may_poll=True)
                await add_person(connection, ACCOUNT, grant, new_password=False)
                await connection.execute(f"ALTER ROLE {each.role} PASSWORD '{scram_secret(password)}'")
    except RelayError as error:
        raise DemoTeamFailed(f"couldn't set up the demo team: {error}; try --fresh") from None
