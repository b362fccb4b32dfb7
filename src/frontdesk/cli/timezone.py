"""The zone in which this machine's people live, with its changes of clocks.

Due words and tables need it: the standard library's local time has an offset and no rules.
"""

import contextlib
import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_LOCALTIME = Path("/etc/localtime")


def local_zone() -> tzinfo:
    """TZ, else the system's zone, else the offset of this moment."""
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
