"""Local time zone as in the C library, from TZ or the system; an unknown TZ is refused.

The screens, the linear mode and the command line parse and show times in it.
"""

import os
import struct
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from frontdesk.config.file_access import open_regular_file
from frontdesk.config.hosts import ConfigError
from frontdesk.config.posix_zone import parse_posix_zone
from frontdesk.text.display_text import show_line

LOCALTIME = Path("/etc/localtime")

_UTC_NAMES = frozenset({"", "UTC", "GMT", "Universal", "Zulu", "Etc/UTC", "Etc/GMT"})
"""Names that the C library takes for UTC without any file; an empty TZ too."""


class UnknownTimeZone(ConfigError):
    """Raised when TZ names no time zone that this machine knows."""


def local_zone() -> tzinfo:
    """Return the zone of TZ, or the system's if TZ isn't set.

    Raises:
        UnknownTimeZone: local times would be wrong.
    """
    return _zone(os.environ.get("TZ"), os.environ.get("TZDIR"))


@lru_cache(maxsize=8)  # one object, since datetimes of one zone are compared by the object
def _zone(name: str | None, folder: str | None) -> tzinfo:
    if name is None:
        return _system_zone()
    wanted = name.removeprefix(":")
    found = _file_zone(wanted, folder) or parse_posix_zone(wanted)
    if found is None and wanted in _UTC_NAMES:
        return UTC
    if found is None:
        raise UnknownTimeZone(
            f"TZ is {show_line(name, 40).text!r}, which isn't a time zone known here; set it to a name such as"
            " Europe/Rome or a rule such as CET-1CEST,M3.5.0,M10.5.0/3, or unset it"
        )
    return found


def _system_zone() -> tzinfo:
    """Return the zone of /etc/localtime; like the C library, UTC without it."""
    try:
        target = str(LOCALTIME.resolve(strict=True))
    except OSError:
        return datetime.now(UTC).astimezone().tzinfo or UTC
    return (
        _file_zone(target.partition("zoneinfo/")[2], None)
        or _file_zone(target, None)
        or datetime.now(UTC).astimezone().tzinfo
        or UTC
    )


def _file_zone(name: str, folder: str | None) -> tzinfo | None:
    """Return the zone in a file: an absolute path, or a name below the system's folder or TZDIR."""
    try:
        if not name:
            return None
        if folder or name.startswith("/"):
            with open(Path(folder or "/", name), "rb", opener=open_regular_file) as stream:
                return ZoneInfo.from_file(stream, key=name)
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError, struct.error):  # a missing zone is a KeyError
        return None
