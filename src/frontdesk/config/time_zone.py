"""Local time zone as in the C library, from TZ or the system; an unknown TZ is refused.

The screens, the linear mode and the command line parse and show times in it.
"""

import os
import re
import struct
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

from frontdesk.config.file_access import open_regular_file
from frontdesk.config.tables import ConfigError
from frontdesk_lines.display_text import show_line

LOCALTIME = Path("/etc/localtime")

_UTC_NAMES = frozenset({"", "UTC", "GMT", "Universal", "Zulu", "Etc/UTC", "Etc/GMT"})
"""Names that the C library takes for UTC without any file; an empty TZ too."""

_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_OFFSET = r"[+-]?(?:2[0-2]|[01]?\d)(?::[0-5]\d){0,2}"
_DAY = r",(?:M|J(?!59))[^,]+"  # zoneinfo is a day off for J59 and for days without a letter
_RULE = rf"(?a){_NAME}{_OFFSET}(?P<summer>{_NAME}(?:{_OFFSET})?)?(?P<days>{_DAY}{_DAY})?"

_USA_DAYS = ",M3.2.0,M11.1.0"
"""The C library's days for a rule that names daylight saving time without its days."""


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
    found = _file_zone(wanted, folder) or posix_zone(wanted)
    if found is None and wanted in _UTC_NAMES:
        return UTC
    if found is None:
        raise UnknownTimeZone(
            f"TZ is {show_line(name, 40).text!r}, which isn't a time zone known here; set it to a name such as"
            " Europe/Rome or a rule such as CET-1CEST,M3.5.0,M10.5.0/3, or unset it"
        )
    return found


def posix_zone(rule: str) -> tzinfo | None:
    """Return the zone of a rule such as `EST5EDT,M3.2.0,M11.1.0`, or `None` for another text.

    `zoneinfo` reads a rule only from the end of a zone's file, so this makes a file with nothing else.
    """
    parts = re.fullmatch(_RULE, rule)
    if parts is None:
        return None
    days = _USA_DAYS if parts["summer"] and not parts["days"] else ""
    block = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 1) + bytes(7)
    try:
        return ZoneInfo.from_file(BytesIO(block * 2 + f"\n{rule}{days}\n".encode()), key=rule)
    except ValueError:
        return None


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
