"""How long a team is without a leader whose process was killed: real processes and a real PostgreSQL.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.leader_kills [--kills 20]

Of three `frontdesk sync` the leader is killed again and again, at any moment of its lease. The times are counted
until another one holds the lease, and until the platform gets the next request.
"""

import argparse
import asyncio
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from frontdesk.config.team import RelayAddress
from frontdesk.demo.embedded_postgres import OWNER, EmbeddedPostgres, init_cluster
from frontdesk.relay.admin import InitOptions, init_account, open_as_owner
from frontdesk.relay.people import Grant, add_person
from postgres_server import Postgres, find_binaries
from sync.simulated_reads import share_below
from terminal.service import CREDENTIALS, FRONTDESK, Service

ACCOUNT, DATABASE, ROLES = "bench", "postgres", ("noa", "dan", "marta")
MAX_WAIT_SECONDS = 60.0


async def add_people(socket: Path) -> dict[str, str]:
    """Make the account and its people; returns their passwords."""
    owner = RelayAddress(str(socket), 5432, OWNER, DATABASE, is_local=True)
    async with open_as_owner(owner, "") as connection:
        await init_account(connection, ACCOUNT, InitOptions(budget_per_minute=600))
        added = [
            await add_person(connection, ACCOUNT, Grant(role, f"agent-{role}", may_poll=True), new_password=True)
            for role in ROLES
        ]
    return {each.role: each.password for each in added}


class SyncProcesses:
    """A `frontdesk sync` for each person, with files of its own."""

    def __init__(self, folder: Path, service: Service, socket: Path, passwords: dict[str, str]):
        self._folder, self._service, self._socket, self._passwords = folder, service, socket, passwords
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, role: str) -> None:
        home = self._folder / role
        home.mkdir(exist_ok=True)
        names = ("CONFIG", "DATA", "STATE")
        environ = {key: value for key, value in os.environ.items() if not key.startswith("FRONTDESK_")}
        environ |= {f"XDG_{each}_HOME": str(home / each.lower()) for each in names}
        environ |= {
            "FRONTDESK_BASE_URL": self._service.url,
            "FRONTDESK_COOKIE": CREDENTIALS["Cookie"],
            "FRONTDESK_API_KEY": CREDENTIALS["x-api-key"],
            "FRONTDESK_TEAM_URL": f"postgresql://{role}@/{DATABASE}?host={self._socket}",
            "FRONTDESK_TEAM_ACCOUNT": ACCOUNT,
            "PGPASSWORD": self._passwords[role],
        }
        with (home / "log").open("ab") as log:
            self._running[role] = subprocess.Popen([FRONTDESK, "sync"], env=environ, stdout=log, stderr=log)

    def kill(self, role: str) -> None:
        process = self._running.pop(role)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        for role in [*self._running]:
            self.kill(role)


def wait(what: str, is_so: Callable[[], object]) -> float:
    """Wait until something is so; returns the seconds."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < MAX_WAIT_SECONDS, what
        time.sleep(0.02)
    return time.monotonic() - began


def measure(desks: SyncProcesses, server: Postgres, service: Service, kills: int) -> None:
    def leader() -> str:
        found = server.execute(
            DATABASE,
            "SELECT d.role FROM frontdesk.leader l JOIN frontdesk.desks d USING (account, desk)"
            " WHERE l.until > clock_timestamp()",
        )
        return found[0][0] if found else ""

    def joined() -> bool:
        recent = "seen_at > clock_timestamp() - interval '3 s'"
        return server.execute(DATABASE, f"SELECT count(*) FROM frontdesk.desks WHERE {recent}") == [["3"]]

    def first_read(after: float) -> float | None:
        times = [each["time"] for each in service.ask("GET", "/sandbox/requests") if each["time"] > after]
        return min(times, default=None)

    waits, reads = list[float](), list[float]()
    for role in ROLES:
        desks.start(role)
    for _ in range(kills):
        wait("all have joined and one leads", lambda: leader() and joined())
        time.sleep(2.0 + 3.0 * random.random())
        killed = leader()
        desks.kill(killed)
        began = time.time()
        waits.append(wait("another one leads", lambda killed=killed: leader() not in ("", killed)))  # type: ignore[misc]
        taken_at = began + waits[-1] - 0.1
        wait("it reads", lambda taken_at=taken_at: first_read(taken_at))  # type: ignore[misc]
        reads.append((first_read(taken_at) or 0.0) - began)
        print(f"{killed}: another one leads after {waits[-1]:.2f} s, reads after {reads[-1]:.2f} s", flush=True)
        desks.start(killed)
    for what, seconds in (("leads", sorted(waits)), ("reads", sorted(reads))):
        shares = ", ".join(f"p{share * 100:.0f} {share_below(seconds, share):.1f} s" for share in (0.5, 0.95))
        print(f"{kills} kills, until another one {what}: {shares}, at most {seconds[-1]:.1f} s")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args(argv)
    binaries = find_binaries()
    socket, data = binaries.new_folder(), binaries.new_folder() / "data"
    init_cluster(binaries, data)
    server = EmbeddedPostgres(binaries, data, socket)
    postgres = Postgres(socket, binaries, server.pid)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            service = Service(Path(scratch) / "sandbox")
            desks = SyncProcesses(Path(scratch), service, socket, asyncio.run(add_people(socket)))
            try:
                measure(desks, postgres, service, options.kills)
            finally:
                desks.end()
                service.kill()
    finally:
        postgres.close_consoles()
        server.stop()


if __name__ == "__main__":
    main()
