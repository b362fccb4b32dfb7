"""The local time zone with its clock changes, which the standard library's local time lacks."""

import contextlib
import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_LOCALTIME = Path("/etc/localtime")


def local_zone() -> tzinfo:
    """TZ, else the system's zone, else the current offset."""
    names = [os.environ.get("TZ", "").lstrip(":")]
    with contextlib.suppress(OSError):
        names.append(str(_LOCALTIME.resolve(strict=True)).partition("zoneinfo/")[2])
    for name in names:
        if name:
            with contextlib.suppress(ValueError, OSError, KeyError):  # not found is a KeyError
                return ZoneInfo(name)
    if _LOCALTIME.is_file():
        with _LOCALTIME.open("rb") as stream, contextlib.suppress(ValueError):
            return ZoneInfo.from_file(stream)
    return datetime.now(UTC).astimezone().tzinfo or UTC
