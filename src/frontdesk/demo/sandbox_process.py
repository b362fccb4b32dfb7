"""The demo's sandbox: one process that all terminals with a demo share, and that ends with the last of them.

Each terminal holds a named pipe open for writing, and the sandbox reads it: when the last terminal is gone,
however it ended, the sandbox reads the end of the pipe and exits. The sandbox inherits a lock, so that anybody can
tell whether one runs. The system releases both when a process dies, so a crash blocks no later start.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from frontdesk.config import settings as config_settings
from frontdesk.config.file_access import NotRegularFile, open_regular_file, require_own, require_regular_file
from frontdesk.config.paths import make_private
from frontdesk.config.processes import child_environment
from frontdesk_api.contract.ids import AgentId, CampaignId, LineId, StatusId, TagId
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.options import reader_language

RESTART_SECONDS = 12.0
"""How long a killed sandbox stays down before it is started again."""

END_SECONDS = 6.0
"""How long to wait for a sandbox to end, and half of what to wait for another terminal's start or end."""

POLL_SECONDS = 0.02
MAX_PORT_DIGITS = 5


class DemoBusy(Exception):
    """The demo can't be started now; the text says why and what helps."""


class DemoSandbox:
    """This terminal's part in the demo's sandbox, started unless another terminal has one.

    Args:
        root: a private folder for the locks and the folder `demo`.
        is_fresh: start over with an empty folder.

    Attributes:
        address: the sandbox's URL.
        folder: where the demo keeps its data.

    Raises:
        DemoBusy: another terminal is in the way.
        OpenToOthers: another user could change its files.
        OSError: the folder can't be used, or no process can be started.
    """

    def __init__(self, root: Path, *, is_fresh: bool = False):
        self.folder = root / "demo"
        self._root, self._pipe = root, root / "demo.pipe"
        self._running_path = root / "demo-sandbox.lock"
        self._process: subprocess.Popen[bytes] | None = None
        self._dead_since: float | None = None
        check_demo(root)
        with self._alone():
            _make_pipe(self._pipe)
            reader = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
            try:
                is_shared = _has_writers(reader)
                if is_shared and is_fresh:
                    raise DemoBusy("the demo is open in another terminal; close it there to start over")
                # Without terminals, a sandbox that still runs is about to end.
                running = self._take_running() if is_shared else self._wait_until_ended()
                if is_fresh:
                    shutil.rmtree(self.folder, ignore_errors=True)
                make_private(self.folder)
                self._writer = os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK)
            finally:
                os.close(reader)
            try:
                self._join(running, is_shared=is_shared)
            except BaseException:
                os.close(self._writer)
                raise

    @property
    def address(self) -> str:
        """The sandbox's URL, which stays the same when it is started again."""
        return f"http://127.0.0.1:{self._port}"

    def keep(self) -> None:
        """Restart it when it has been dead for a while, so that the inbox is offline first; may raise OSError."""
        if self._process is not None and self._process.poll() is None:
            return
        running = self._take_running()
        if running is None:
            self._dead_since = None
            return
        try:
            if self._dead_since is None:
                self._dead_since = time.monotonic()
            if time.monotonic() - self._dead_since >= RESTART_SECONDS:
                self._start(running, socket.create_server(("127.0.0.1", self._port)))
                self._dead_since = None
        finally:
            os.close(running)

    def leave(self) -> None:
        """Leave the demo; the last terminal waits until the sandbox has saved its state."""
        try:
            with self._alone():
                os.close(self._writer)
                reader = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
                is_last = not _has_writers(reader)
                os.close(reader)
                if is_last:
                    os.close(self._wait_until_ended())
                    self._pipe.unlink()
        except (DemoBusy, OSError):
            pass  # it ends by itself, and the next start cleans up
        if self._process is not None:
            self._process.poll()  # it lives on where others use it

    def _join(self, running: int | None, *, is_shared: bool) -> None:
        port = _read_port(self._running_path) if is_shared else None
        if running is None:
            if port is None:
                raise DemoBusy("the demo in the other terminal can't be joined; close it there first")
            self._port = port
            return
        try:
            # Terminals whose sandbox was killed ask at their old address.
            listening = _listen(port or 0)
            self._port = listening.getsockname()[1]
            os.ftruncate(running, 0)
            os.pwrite(running, str(self._port).encode(), 0)
            self._start(running, listening)
        finally:
            os.close(running)

    def _start(self, running: int, listening: socket.socket) -> None:
        """Start the process with the lock, the socket and the pipe's end; it is reachable at once."""
        data = self.folder / "sandbox"
        # So that connections are refused at once when the sandbox ends, only the sandbox keeps the socket.
        with listening:
            make_private(data)
            for name in ("sandbox.log", "sandbox.db", "sandbox.db-wal"):  # its process could tell its log alone
                require_regular_file(data / name)
            reader = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
            os.set_blocking(reader, True)
            try:
                with open(data / "sandbox.log", "ab", opener=open_regular_file) as log:
                    self._process = subprocess.Popen(
                        [
                            *(sys.executable, "-P", "-m", "frontdesk_sandbox", "--with-parent"),
                            *("--listen-fd", str(listening.fileno()), "--data", str(data)),
                            *("--language", reader_language(os.environ)),
                        ],
                        pass_fds=[listening.fileno(), running],
                        env=child_environment(os.environ),
                        stdin=reader,
                        stdout=subprocess.DEVNULL,
                        stderr=log,
                        start_new_session=True,
                        umask=0o077,
                    )
            finally:
                os.close(reader)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other terminals from starting or leaving meanwhile."""
        # Beside the folder: a lock inside it would go away with what it protects.
        lock = _wait_for_lock(self._root / "demo.lock", 2 * END_SECONDS)
        if lock is None:
            raise DemoBusy("the demo in another terminal doesn't respond; close it there first")
        try:
            yield
        finally:
            os.close(lock)

    def _take_running(self) -> int | None:
        """Take the lock that a running sandbox holds; None while one runs."""
        return _take_lock(self._running_path)

    def _wait_until_ended(self) -> int:
        """Take the lock of the running sandbox once it has ended."""
        lock = _wait_for_lock(self._running_path, END_SECONDS)
        if lock is None:
            raise DemoBusy("the sandbox of the last demo is still ending; try again in a moment")
        return lock


def check_demo(root: Path) -> None:
    """Raise OpenToOthers if another user could change the demo's files; a store is checked when it is opened."""
    folder = root / "demo"
    require_own([folder, *root.glob("demo*"), *folder.glob("*"), *folder.glob("sandbox/*")])


def delete_demo(root: Path) -> None:
    """Delete the demo's data while no terminal has it open; its locks hold nothing and stay.

    Raises:
        DemoBusy: a terminal has it open, or its sandbox is still ending.
        OpenToOthers: another user could change its files.
        OSError: something can't be deleted.
    """
    check_demo(root)
    running = _take_lock(root / "demo-sandbox.lock")
    if running is None:
        raise DemoBusy("nothing was deleted: the demo is open in another terminal; close it there first")
    try:
        shutil.rmtree(root / "demo")
        (root / "demo.pipe").unlink(missing_ok=True)
    finally:
        os.close(running)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        words = f"the demo's port {port} is taken; close the demo in the other terminals and start it again"
        raise DemoBusy(words) from error


def _make_pipe(path: Path) -> None:
    if os.path.lexists(path) and not stat.S_ISFIFO(path.lstat().st_mode):
        if path.is_dir() and not path.is_symlink():
            raise NotRegularFile(path)
        path.unlink()
    with contextlib.suppress(FileExistsError):
        os.mkfifo(path, 0o600)


def _has_writers(reader: int) -> bool:
    """Whether anybody holds the pipe open for writing; nothing is ever written to it."""
    try:
        os.read(reader, 1)
    except BlockingIOError:
        return True
    return False


def _take_lock(path: Path) -> int | None:
    # Not by filelock: a child process inherits this lock, with its descriptor.
    handle = open_regular_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _wait_for_lock(path: Path, seconds: float) -> int | None:
    give_up_at = time.monotonic() + seconds
    while (lock := _take_lock(path)) is None and time.monotonic() < give_up_at:
        time.sleep(POLL_SECONDS)
    return lock


def _read_port(path: Path) -> int | None:
    with open(path, "rb", opener=open_regular_file) as stream:
        text = stream.read(MAX_PORT_DIGITS + 1)
    return int(text) if text.isdigit() and len(text) <= MAX_PORT_DIGITS and 0 < int(text) < 2**16 else None


def demo_profile(address: str) -> config_settings.Profile:
    """Return the sandbox's business as a profile, with names for ids."""
    hosts = config_settings.parse_hosts({"base_url": address})
    statuses = [config_settings.StatusLabel(StatusId(each.id), each.name) for each in fixtures.STATUSES]
    return config_settings.Profile(
        "demo",
        hosts,
        agent_id=AgentId(fixtures.ME.id),
        lines={LineId(line.id): line.label for line in fixtures.LINES},
        agents={AgentId(agent.id): agent.name for agent in fixtures.AGENTS},
        statuses=tuple(statuses),
        tags=tuple(config_settings.TagLabel(TagId(tag.id), tag.title, tag.color) for tag in fixtures.TAGS),
        watched_campaigns=tuple(CampaignId(each) for each in fixtures.CAMPAIGN_IDS),
    )
