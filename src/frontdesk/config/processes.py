"""Protects a process's credentials from other processes, its children and the disk; measures its memory."""

import contextlib
import resource
import sys
from collections.abc import Mapping
from pathlib import Path

_KEYRING = ("KEYRING_PROPERTY_", "KEYRING_CRYPTFILE_PASSWORD")
"""Variables from which the package keyring and a backend of it take a keyring's own password."""

_TEAM = ("PGPASSWORD",)

CREDENTIAL_VARIABLES = ("FRONTDESK_", *_TEAM, *_KEYRING)
"""The beginnings of the names of variables that hold a credential, or set what frontdesk does.

Those that only name the place of a credential (PGPASSFILE, PYTHON_KEYRING_BACKEND) aren't among them: every
program of this user can open that place.
"""


def child_environment(environ: Mapping[str, str], *, opens_keyring: bool = False) -> dict[str, str]:
    """Return the environment for a browser, an alert's program or a helper: without any credential.

    The engine, a tab and a command of the linear mode are frontdesk itself: they work with their parent's account.

    Args:
        opens_keyring: whether the child fetches credentials, and so gets the variables that open a keyring.
    """
    taken = tuple(each for each in CREDENTIAL_VARIABLES if not (opens_keyring and each in _KEYRING))
    return {name: value for name, value in environ.items() if not name.startswith(taken)}


def engine_environment(environ: Mapping[str, str], *, has_team: bool) -> dict[str, str]:
    """Return the environment for an engine: its account, without credentials that it doesn't use."""
    taken = _KEYRING if has_team else (*_KEYRING, *_TEAM)
    return {name: value for name, value in environ.items() if not name.startswith(taken)}


def forbid_core_files() -> None:
    """Stop a crash of this process or its children from writing a core file with the credentials in memory."""
    with contextlib.suppress(ValueError, OSError):  # some systems allow no change
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_bytes() -> int | None:
    """Return the memory of this process alone, without shared parts, or `None` if unknown.

    Linux reports the current value, other systems the highest so far.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = (int(each) for each in Path("/proc/self/statm").read_text().split())
        return (resident - shared) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (most if sys.platform == "darwin" else most * 1024) or None
