"""What a process with credentials leaves to others: to its children, and on disk when it crashes."""

import contextlib
import resource
from collections.abc import Mapping

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
