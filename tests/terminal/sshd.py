"""An SSH server on loopback with its own key, config and port, whose only login runs a forced command.

Used by the stories over SSH of this folder, and by `benchmarks/ssh_echo.py`. It runs as whoever runs the tests and
lets in only that user.
"""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from terminal.terminal import children

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
SSHD, SSH, KEYGEN = (shutil.which(name, path=PATH) for name in ("sshd", "ssh", "ssh-keygen"))
MISSING = [name for name, path in (("sshd", SSHD), ("ssh", SSH), ("ssh-keygen", KEYGEN)) if path is None]
"""What of OpenSSH isn't installed."""

START_SECONDS = 20.0

CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
PrintLastLog no
SetEnv {variables}
"""


@dataclass(frozen=True)
class SshServer:
    """A running server and the key that it lets in."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes]"

    def login(self, *command: str, port: int | None = None) -> list[str]:
        """Return the command line of a login with a terminal.

        Args:
            command: run in place of a shell; a forced command runs whatever it is.
            port: of a proxy before the server.
        """
        options = {
            "IdentityFile": f"{self.folder}/user_key",
            "IdentitiesOnly": "yes",
            "UserKnownHostsFile": f"{self.folder}/known_hosts",
            "HostKeyAlias": "loopback",
            "StrictHostKeyChecking": "yes",
            "BatchMode": "yes",
            "LogLevel": "ERROR",
        }
        given = [each for name, value in options.items() for each in ("-o", f"{name}={value}")]
        where = [f"{getpass.getuser()}@127.0.0.1", "-p", str(port or self.port)]
        return [str(SSH), "-tt", "-F", "none", *given, *where, *command]

    def sessions(self) -> list[int]:
        """Return the server's processes of the logins that are open."""
        return _descendants(self.process.pid)


@contextlib.contextmanager
def ssh_server(folder: Path, variables: Mapping[str, str], key_options: str = "") -> Iterator[SshServer]:
    """Start a server, and end it with all its logins.

    Args:
        variables: set in each login's environment, in place of what the system has.
        key_options: before the key in `authorized_keys`, as `command="…",restrict,pty`.
    """
    assert SSHD is not None
    assert KEYGEN is not None
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("host_key", "user_key"):
        subprocess.run([KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "authorized_keys").write_text(f"{key_options} {(folder / 'user_key.pub').read_text()}".lstrip())
    (folder / "known_hosts").write_text(f"loopback {(folder / 'host_key.pub').read_text()}")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True, mode=0o755)  # where root's server separates its privileges
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quoted = " ".join(f'"{name}={value}"' for name, value in variables.items())
    (folder / "sshd_config").write_text(CONFIG.format(port=port, folder=folder, variables=quoted))
    with (folder / "log").open("wb") as log:
        argv = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
        process = subprocess.Popen(argv, stderr=log, start_new_session=True)
    server = SshServer(folder, port, process)
    try:
        _wait_until_listening(server)
        yield server
    finally:
        sessions = server.sessions()
        for pid in (process.pid, *sessions):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _wait_until_listening(server: SshServer) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), 1):
            return
        if server.process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"sshd doesn't listen: {(server.folder / 'log').read_text()}")
        time.sleep(0.05)


def _descendants(pid: int) -> list[int]:
    return [each for child in children(pid) for each in (child, *_descendants(child))]
