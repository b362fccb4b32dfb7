"""The file locks of simulated machines, in place of those of the system, which knows only one process here."""

from pathlib import Path

from filelock import Timeout


class FileLocks:
    """Makes locks that exclude each other by their path, as `filelock.FileLock` does."""

    def __init__(self) -> None:
        self.holders: dict[Path, SimulatedLock] = {}

    def __call__(self, path: Path, *, mode: int = 0o600, thread_local: bool = True) -> "SimulatedLock":
        return SimulatedLock(self, path)


class SimulatedLock:
    """A lock on a file: a stopped process keeps it, and one that is killed releases it."""

    def __init__(self, locks: FileLocks, path: Path) -> None:
        self._locks, self._path = locks, path

    @property
    def is_locked(self) -> bool:
        return self._locks.holders.get(self._path) is self

    def acquire(self, timeout: float) -> None:
        """Take it.

        Raises:
            Timeout: another holds it.
        """
        if self._locks.holders.setdefault(self._path, self) is not self:
            raise Timeout(str(self._path))

    def release(self, force: bool = False) -> None:
        if self.is_locked:
            del self._locks.holders[self._path]
