"""Runs a few lines of Python in a process that gets nothing of this one but what it is given."""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future

from frontdesk.config.processes import child_environment

log = logging.getLogger("frontdesk.tui")


def run_helper(
    name: str,
    code: str,
    *arguments: str,
    environ: Mapping[str, str],
    text: str = "",
    timeout_seconds: float | None = None,
) -> "Future[bool]":
    """Run the code in a process without a terminal, a TERM or credentials, on a thread that waits for it.

    A program in text that it starts would write over the screen.

    Args:
        name: what it does, for the log, as "start a browser".
        text: its standard input.

    Returns:
        Whether it ended well.
    """
    environment = child_environment(environ)
    environment.pop("TERM", None)
    command = [sys.executable, "-P", "-c", code, *arguments]
    done: Future[bool] = Future()
    given = text.encode(errors="replace")

    def run() -> None:
        done.set_result(_succeeds(name, command, environment, given, timeout_seconds))

    threading.Thread(target=run, daemon=True).start()
    return done


def _succeeds(
    name: str, command: list[str], environment: dict[str, str], given: bytes, timeout_seconds: float | None
) -> bool:
    try:
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as helper:
            try:
                helper.communicate(given, timeout_seconds)
            except subprocess.TimeoutExpired:
                os.killpg(helper.pid, signal.SIGKILL)  # with the program that it waits for
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("couldn't %s: %s", name, getattr(error, "strerror", None) or "it took too long")
        return False
    except ValueError:  # a NUL or half of a character in a stranger's link, which no argument can hold
        log.warning("couldn't %s: the text can't be passed to it", name)
        return False
    return helper.returncode == 0
