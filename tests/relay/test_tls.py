"""A server at another address than loopback, whose certificate an authority of our own signed: who is let in.

The embedded PostgreSQL has no TLS, so this needs one of the system's that has.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pytest
import trustme

from cli.commandline import Frontdesk
from frontdesk.demo.embedded_postgres import OWNER, Binaries, EmbeddedPostgres, init_cluster
from frontdesk.relay.connection import MIN_SERVER, RelayRefused, connect, parse_address
from frontdesk.relay.status import read_status
from postgres_server import PASSWORD, SCHEMA, Postgres, memory_folder

pytestmark = pytest.mark.slow

ACCESS = f"""\
local all {OWNER} peer map=own
hostssl all all all scram-sha-256
hostnossl all all all reject
"""


def _other_address() -> str:
    """Return an address of this machine that isn't loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; the system chooses a source
            found = str(probe.getsockname()[0])
        except OSError:
            found = ""
    if not found or found.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    return found


def _with_tls(own: Binaries) -> Binaries:
    """Return programs of the system's PostgreSQL that were built with TLS, for the same user."""
    places = [Path(each).parent for each in [shutil.which("pg_config")] if each]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in [own.folder, *places]:
        if not all((folder / each).exists() for each in ("pg_config", "postgres", "initdb", "psql")):
            continue
        said = {
            option: subprocess.run(
                [folder / "pg_config", option], capture_output=True, text=True, check=True
            ).stdout
            for option in ("--configure", "--version")
        }
        version = int(said["--version"].split()[1].split(".")[0])
        if "openssl" in said["--configure"] and version >= MIN_SERVER:
            return replace(own, folder=folder, version=version)
    pytest.skip("no PostgreSQL with TLS is installed; the embedded one was built without")


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL that listens at another address than loopback, with an account that noa belongs to.

    Attributes:
        ours: the authority that signs its certificates; `others` signs none of them.
    """

    postgres: Postgres
    host: str
    port: int
    ours: trustme.CA
    others: trustme.CA

    def url(self, options: str = "") -> str:
        return f"postgresql://noa@{self.host}:{self.port}/{OWNER}{options}"

    def trusting(self, authority: trustme.CA, more: str = "") -> str:
        file = self.postgres.folder / ("ours.pem" if authority is self.ours else "others.pem")
        authority.cert_pem.write_to_path(str(file))
        return self.url(f"?sslrootcert={quote(str(file), safe='')}{more}")

    def present(self, name: str, *, with_tls: bool = True) -> None:
        """Make the server present a certificate for this name from now on, or do without TLS."""
        data = self.postgres.folder / "data"
        owner = data.stat()
        issued = self.ours.issue_cert(name)
        for pem, file in ((issued.cert_chain_pems[0], "server.crt"), (issued.private_key_pem, "server.key")):
            target = data / file
            pem.write_to_path(str(target))
            os.chown(target, owner.st_uid, owner.st_gid)
            target.chmod(0o600)
        before = self._loaded_at()
        self.postgres.execute(OWNER, f"ALTER SYSTEM SET ssl = {'on' if with_tls else 'off'}")
        self.postgres.execute(OWNER, "SELECT pg_reload_conf()")
        began = time.monotonic()
        while self._loaded_at() == before:
            assert time.monotonic() < began + 60, "the server doesn't load its configuration"
            time.sleep(0.02)

    def _loaded_at(self) -> str:
        [[loaded_at]] = self.postgres.execute(OWNER, "SELECT pg_conf_load_time()")
        return loaded_at


@pytest.fixture(scope="module")
def server(postgres_binaries: Binaries) -> Iterator[Server]:
    host, binaries = _other_address(), _with_tls(postgres_binaries)
    folder = binaries.new_folder(memory_folder())
    init_cluster(binaries, folder / "data", ("--no-sync",))
    with socket.create_server((host, 0)) as probe:
        port = probe.getsockname()[1]
    options = {"listen_addresses": host, "port": str(port), "fsync": "off"}
    running = EmbeddedPostgres(binaries, folder / "data", folder, options, stop_signal="QUIT", access=ACCESS)
    try:
        postgres = Postgres(folder, binaries, running.pid, port=port)
        postgres.execute(OWNER, SCHEMA)
        postgres.execute(
            OWNER,
            f"INSERT INTO frontdesk.accounts VALUES ('acme'); CREATE ROLE noa LOGIN PASSWORD '{PASSWORD}';"
            " GRANT frontdesk_desk TO noa; INSERT INTO frontdesk.grants VALUES ('acme', 'noa', '*')",
        )
        yield Server(postgres, host, port, trustme.CA(), trustme.CA())
    finally:
        running.stop()


@pytest.fixture
def doctor(nowhere: Frontdesk) -> Callable[[str], tuple[int, str]]:
    """Runs `frontdesk team doctor` with an address; returns its status and what it printed."""
    nowhere.environ |= {
        "FRONTDESK_BASE_URL": "http://127.0.0.1:9",
        "FRONTDESK_COOKIE": "token=canary",
        "FRONTDESK_API_KEY": "canary-key",
        "FRONTDESK_TEAM_ACCOUNT": "acme",
        "PGPASSWORD": PASSWORD,
    }

    def run(url: str) -> tuple[int, str]:
        typed = nowhere("team", "doctor", FRONTDESK_TEAM_URL=url)
        return typed.status, typed.out + typed.err

    return run


def refusal(url: str) -> str:
    """Return the sentence with which a desk is refused."""
    with pytest.raises(RelayRefused) as refused:
        asyncio.run(connect(parse_address(url), PASSWORD))
    text = str(refused.value)
    assert "\n" not in text
    assert PASSWORD not in text
    return text


def test_a_certificate_of_the_named_authority_is_taken(
    server: Server, doctor: Callable[[str], tuple[int, str]]
) -> None:
    server.present(server.host)
    for more in ("", "&sslmode=verify-full"):
        url = server.trusting(server.ours, more)
        status = asyncio.run(read_status(parse_address(url), PASSWORD, "acme"))
        assert status.tls.startswith("TLSv1.")
        said, words = doctor(url)
        assert said == 0
        assert f"{status.tls}, the server's certificate was checked" in words


def test_a_certificate_of_another_authority_is_refused(
    server: Server, doctor: Callable[[str], tuple[int, str]]
) -> None:
    server.present(server.host)
    for url in (server.trusting(server.others), server.url()):
        words = refusal(url)
        assert f"the certificate of {server.host}:{server.port} isn't trusted (" in words
        assert words.endswith("; set sslrootcert to its certificate authority's file")
        said, printed = doctor(url)
        assert said == 1
        assert words in printed


@pytest.mark.parametrize("name", ["db.example.com", "192.0.2.77"])
def test_a_certificate_for_another_name_is_refused(
    server: Server, doctor: Callable[[str], tuple[int, str]], name: str
) -> None:
    server.present(name)
    url = server.trusting(server.ours)
    words = refusal(url)
    assert "is for another name (" in words
    assert words.endswith("; use the name it was issued for in the team's address")
    said, printed = doctor(url)
    assert said == 1
    assert words in printed


def test_a_server_without_tls_is_refused(server: Server, doctor: Callable[[str], tuple[int, str]]) -> None:
    server.present(server.host, with_tls=False)
    url = server.trusting(server.ours)
    words = refusal(url)
    assert words == f"{server.host}:{server.port} doesn't offer TLS; turn `ssl` on in its configuration"
    said, printed = doctor(url)
    assert said == 1
    assert words in printed


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_a_weaker_mode_is_refused(server: Server, doctor: Callable[[str], tuple[int, str]], mode: str) -> None:
    url = server.trusting(server.ours, f"&sslmode={mode}")
    assert refusal(url).endswith(f"sslmode={mode} is refused; only verify-full checks who answers")
    said, printed = doctor(url)
    assert said == 2
    assert "only verify-full checks who answers" in printed
