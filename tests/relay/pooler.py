"""A pgbouncer before a server of the tests, in transaction mode: a session lasts for a transaction."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from frontdesk.config.processes import child_environment
from frontdesk.config.team import RelayAddress
from postgres_server import OWNER, Postgres

HOST = "127.0.0.1"
PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin")
needs_pooler = pytest.mark.skipif(PROGRAM is None, reason="pgbouncer isn't installed")

SETTINGS = """\
[databases]
* = host={folder} port={port}
[pgbouncer]
listen_addr = {host}
listen_port = {free_port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
max_client_conn = 5000
default_pool_size = {connections}
max_db_connections = {in_all}
{tls}
"""
TLS = """\
client_tls_sslmode = require
client_tls_key_file = {key}
client_tls_cert_file = {certificate}
"""


class Pooler:
    """Where the pooler is, and the file of the certificates to trust; None without TLS."""

    def __init__(self, port: int, ca_file: str | None):
        self.port, self.ca_file = port, ca_file

    def before(self, address: RelayAddress) -> RelayAddress:
        """Return an address with the pooler in place of its server."""
        with_tls = self.ca_file is not None
        return address._replace(host=HOST, port=self.port, ca_file=self.ca_file, asks_for_tls=with_tls)


@contextmanager
def running_pooler(
    server: Postgres, connections: int, *, in_all: int = 0, with_tls: bool = False
) -> Iterator[Pooler]:
    """Run a pooler that has at most so many connections of each role, and in all to a database; 0 is no limit.

    It knows the roles that exist by then.
    """
    assert PROGRAM is not None
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        port = listening.getsockname()[1]
    folder = server.binaries.new_folder()
    # The same salt as the server's: with it the pooler logs in as whoever has logged in to the pooler.
    secrets = server.execute(
        OWNER, "SELECT rolname, rolpassword FROM pg_authid WHERE rolpassword IS NOT NULL AND rolcanlogin"
    )
    users = folder / "users"
    users.write_text("".join(f'"{role}" "{secret}"\n' for role, secret in secrets))
    key, certificate, ca_file = (folder / each for each in ("key.pem", "certificate.pem", "ca.pem"))
    if with_tls:
        authority = trustme.CA()
        issued = authority.issue_cert(HOST)
        authority.cert_pem.write_to_path(str(ca_file))
        issued.cert_chain_pems[0].write_to_path(str(certificate))
        issued.private_key_pem.write_to_path(str(key))
        for each in (key, certificate):
            each.chmod(0o644)
    settings = folder / "settings.ini"
    settings.write_text(
        SETTINGS.format(
            folder=server.folder,
            port=server.port,
            host=HOST,
            free_port=port,
            users=users,
            connections=connections,
            in_all=in_all,
            tls=TLS.format(key=key, certificate=certificate) if with_tls else "",
        )
    )
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [PROGRAM, settings],
            env=child_environment({}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **server.binaries.run_as,
        )
    try:
        _wait_until_ready(process, port, log)
        yield Pooler(port, str(ca_file) if with_tls else None)
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    began = time.monotonic()
    while True:
        try:
            socket.create_connection((HOST, port)).close()
        except ConnectionRefusedError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < began + 60, log.read_text()
            time.sleep(0.01)
        else:
            return
