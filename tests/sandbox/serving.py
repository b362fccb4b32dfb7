"""The service as a process of its own, to be ended or killed by a test.

Imported by the tests of this folder.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from faults import processes
from frontdesk.sandbox import service
from frontdesk.sandbox.options import SandboxOptions

ARGUMENTS = [sys.executable, "-m", "frontdesk.sandbox", "--port", "0"]


class Process:
    """A running service."""

    def __init__(self, *options: str, pass_fds: tuple[int, ...] = (), command: list[str] = ARGUMENTS) -> None:
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=pass_fds
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.rpartition(" ")[2].strip()

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Send the signal; exit status and what else was written."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        output, errors = self.process.communicate(timeout=10)
        return self.process.returncode, output, errors


class Forked:
    """A running service out of a server that has imported everything: for tests that kill a hundred of them.

    Args:
        errors: the file that its standard error goes to.
        options: of `SandboxOptions`.
    """

    def __init__(self, errors: Path, **options: Any) -> None:
        self._errors = errors
        self.process, self.url = processes.announced(_serve, errors, options)

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int | None, str]:
        """Send the signal; exit status and what it wrote to its standard error."""
        if self.process.is_alive() and self.process.pid is not None:
            os.kill(self.process.pid, how)
        self.process.join(10)
        return self.process.exitcode, self._errors.read_text()


def _serve(errors: Path, options: dict[str, Any], announcing: Any) -> None:
    with errors.open("w") as written:
        os.dup2(written.fileno(), 2)
    service.run(SandboxOptions(port=0, **options), announcing.send)
