"""Notices that config.toml was changed while the program runs."""

from pathlib import Path

from frontdesk.config.settings import Settings, config_path
from frontdesk.config.tables import keys_of

FOLLOWED = tuple(name for name, key in keys_of(Settings).items() if key.is_live)
"""The settings that apply as soon as the file is changed; the others apply at the next start."""


class ConfigWatch:
    """Compares the file with the last look at it, which costs one call of the system."""

    def __init__(self) -> None:
        self._path = config_path()
        self._seen = _signature(self._path)

    def has_changed(self) -> bool:
        """Return whether the file was changed since the last call; False while there is no file."""
        found = _signature(self._path)
        if found is None or found == self._seen:
            return False
        self._seen = found
        return True


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # A corrected owner or mode changes only the last: a file that others can write is refused until then.
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
