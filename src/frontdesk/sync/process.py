"""Starts the engine beside a screen and ends it with it; used by the command line's inbox.

Light on purpose: it is imported by the process that draws.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


class EngineProcess:
    """The engine of a profile as a child process.

    It holds the other end of a pipe: when this process is gone, however it went, the pipe
    closes, and the engine sends what it can and ends.

    Attributes:
        environment: what it is given of hosts and credentials, and all else.
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
        """Start it, or start it again when it has died."""
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
        """Whether it lives."""
        return self._process is not None and self._process.poll() is None

    def stop(self, seconds: float = 0.0) -> None:
        """Tell it to send what is held and end by itself; wait for that at most this long.

        Without a time nobody waits: it ends within seconds, and what it can't send stays in the outbox.
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
