"""What a process with credentials leaves to others, to its children and on disk, and the memory that it uses."""

import contextlib
import resource
import sys
from collections.abc import Mapping
from pathlib import Path

_KEYRING = ("KEYRING_PROPERTY_", "KEYRING_CRYPTFILE_PASSWORD")
"""What the package keyring and a backend of it take a keyring's own password from."""

_TEAM = ("PGPASSWORD",)

CREDENTIAL_VARIABLES = ("FRONTDESK_", *_TEAM, *_KEYRING)
"""How the names of variables begin that hold a credential of frontdesk's, or set what frontdesk does.

Those that only say where one is (PGPASSFILE, PYTHON_KEYRING_BACKEND) aren't among them: what they lead to can be
read by whatever runs as this user.
"""


def child_environment(environ: Mapping[str, str], *, opens_keyring: bool = False) -> dict[str, str]:
    """Return the environment for a browser, an alert's program or a helper: without any credential.

    The engine, a tab and a command of the linear mode are frontdesk itself: they work with their parent's account.

    Args:
        opens_keyring: the child is there to fetch credentials, and gets what opens a keyring.
    """
    taken = tuple(each for each in CREDENTIAL_VARIABLES if not (opens_keyring and each in _KEYRING))
    return {name: value for name, value in environ.items() if not name.startswith(taken)}


def engine_environment(environ: Mapping[str, str], *, has_team: bool) -> dict[str, str]:
    """Return the environment for an engine: its account, and no credential that it has no use for."""
    taken = _KEYRING if has_team else (*_KEYRING, *_TEAM)
    return {name: value for name, value in environ.items() if not name.startswith(taken)}


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
