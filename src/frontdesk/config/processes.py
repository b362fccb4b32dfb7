"""What a process with credentials leaves to others, to its children and on disk, and the memory that it uses."""

import contextlib
import resource
import sys
from collections.abc import Mapping
from pathlib import Path

_PREFIX = "FRONTDESK_"


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a browser, an alert's program or a helper: without any FRONTDESK_ variable.

    The engine is the exception: it works with the account of its parent.
    """
    return {name: value for name, value in environ.items() if not name.startswith(_PREFIX)}


def forbid_core_files() -> None:
    """Let a crash of this process or its children write no core file: their memory holds the credentials."""
    with contextlib.suppress(ValueError, OSError):  # some systems allow no change
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_bytes() -> int | None:
    """Return the memory that this process uses, without what it shares with others; None where that isn't known.

    Linux reports the current value, other systems the highest so far.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = (int(each) for each in Path("/proc/self/statm").read_text().split())
        return (resident - shared) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (most if sys.platform == "darwin" else most * 1024) or None
