"""The service as a process of its own, to be ended or killed by a test.

Imported by the tests of this folder.
"""

import signal
import subprocess
import sys

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
