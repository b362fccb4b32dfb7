"""The service as a process of its own, to be ended or killed by a test, and a plain client of it."""

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from frontdesk_sandbox import fixtures, service
from frontdesk_sandbox.options import SandboxOptions
from lab.faults import processes
from sandbox.asking import ACCOUNT

LINE = fixtures.LINES[0].id
ARGUMENTS = [sys.executable, "-m", "frontdesk_sandbox", "--port", "0"]


class Process:
    """A running service; others are those of `subprocess.Popen`."""

    def __init__(self, *options: str, command: list[str] = ARGUMENTS, **others: Any) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*command, *options], stdout=pipe, stderr=pipe, text=True, **others)
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.url = self.line.rpartition(" ")[2].strip()

    def end(self, how: signal.Signals | None = signal.SIGTERM) -> tuple[int, str, str]:
        """Send the signal, or only end its input; exit status and what else was written."""
        if how is not None and self.process.poll() is None:
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


class Client:
    """One connection to the service."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: object = None, *, or_none: bool = False) -> Any:
        """The JSON of a 2xx, read to its end; `or_none` answers None to a 404.

        Raises:
            OSError, HTTPException: the service went away before the answer was whole.
        """
        self._connection.request(
            method,
            path,
            None if body is None else json.dumps(body),
            {**ACCOUNT, "Content-Type": "application/json"},
        )
        reply = self._connection.getresponse()
        text = reply.read()
        if reply.status == 404 and or_none:
            return None
        assert 200 <= reply.status < 300, f"{method} {path}: {reply.status} {text[:300]!r}"
        return json.loads(text)

    def begin(self, method: str, path: str, body: object) -> None:
        """Send a request whose answer nobody will read."""
        self._connection.request(method, path, json.dumps(body), {**ACCOUNT, "Content-Type": "application/json"})

    def thread(self, customer: str) -> list[dict[str, Any]]:
        """All messages with a customer on the line, newest first."""
        query: dict[str, Any] = {"phoneNumberId": LINE, "targetPhoneNumberId": customer}
        found: list[dict[str, Any]] = []
        while True:
            page = self.ask("POST", "/getMessages", query)
            found += page["dbObject"]
            if not page["hasMoreItemsToFetch"]:
                return found
            query["startKey"] = page["lastEvaluatedKey"]
