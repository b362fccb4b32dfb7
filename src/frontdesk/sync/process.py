"""Starts the engine as a child process of a screen; light, since it is imported before the first paint."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


class EngineProcess:
    """The engine of a profile as a child process.

    It reads a pipe from this process: when that closes, however this process ended, the engine sends the rest and
    ends.

    Attributes:
        environment: hosts, credentials and everything else.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], profile: str | None = None):
        named = [] if profile is None else ["--profile", profile]
        self._argv = [
            sys.executable,
            "-m",
            "frontdesk.app.engine_main",
            "--with-parent",
            "--store",
            str(folder),
            *named,
        ]
        self.environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, again if it has died."""
        if self.is_running:
            return
        self._process = subprocess.Popen(
            self._argv,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self, seconds: float = 0.0) -> None:
        """Make it send held changes and end; wait at most this long.

        Without a time nothing waits: it ends within seconds, and unsent changes stay in the outbox.
        """
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not seconds:
            return
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
