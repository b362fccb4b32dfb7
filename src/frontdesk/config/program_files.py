"""The installed program: its files, watched so that an upgrade while it runs is noticed, and its extras.

Modules are loaded when they are first used: after an upgrade they are gone, or newer than those that run. Screens
and the linear mode compare before they do what may load one; the engine has loaded its own at its start.
"""

import importlib.util
import os
import shlex
import sys
from pathlib import Path

import frontdesk

UPDATED = "frontdesk was updated; quit and start it again"

_FileStamp = tuple[int, int]
"""Inode and time of the last change, in nanoseconds."""


class ProgramFiles:
    """The modules of the installed program, in their present state.

    Attributes:
        is_updated: whether a change was ever noticed.
    """

    def __init__(self, root: Path = Path(frontdesk.__file__).parent) -> None:
        self.is_updated = False
        self._folders: dict[str, _FileStamp] = {}
        self._modules: dict[str, frozenset[tuple[str, int, int]]] = {}
        for folder, names, _ in os.walk(root):
            names[:] = (each for each in names if each != "__pycache__")
            self._folders[folder], self._modules[folder] = _stamp(folder), _modules_in(folder)

    def check(self) -> bool:
        """Return whether a module was changed, added or removed since the start; quick, since it lists folders."""
        self.is_updated = self.is_updated or any(map(self._has_changed, self._folders))
        return self.is_updated

    def _has_changed(self, folder: str) -> bool:
        try:
            stamp = _stamp(folder)
            if stamp == self._folders[folder]:
                return False
            # A module that is loaded for the first time may add its folder's __pycache__.
            self._folders[folder] = stamp
            return _modules_in(folder) != self._modules[folder]
        except OSError:
            return True


def install_command(extra: str) -> str:
    """Return a command for the shell; it names this Python, as another's pip would install a second frontdesk."""
    python = shlex.quote(sys.executable)
    if importlib.util.find_spec("pip") is None:  # environments that uv makes have no pip
        return f"uv pip install --python {python} 'frontdesk[{extra}]'"
    return f"{python} -m pip install 'frontdesk[{extra}]'"


def is_own_import(error: BaseException) -> bool:
    """Return whether an error says that a module of this program, or a name in one, couldn't be imported."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] == frontdesk.__name__


def _stamp(path: str) -> _FileStamp:
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns


def _modules_in(folder: str) -> frozenset[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        return frozenset((each.name, *_stamp(each.path)) for each in entries if each.name.endswith(".py"))
