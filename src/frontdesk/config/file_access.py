"""Opening files that may have been replaced: by something that never ends, or by another user.

A user who can change config.toml, credentials.toml or a store, a folder above it, or a link to it decides
where credentials are sent, or what is sent with them.
"""

import contextlib
import errno
import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

MAX_BYTES = 1 << 20
"""Maximum size of config.toml and credentials.toml."""

MAX_LINKS = 40
"""Maximum number of links on the way to a file, as Linux has it."""

_NOT_REGULAR = "{path} isn't a regular file; replace it with one"


class OpenToOthers(ValueError):
    """Raised when another user could change the file or see its credentials; the text has a command that helps."""


class NotRegularFile(OSError):
    """Raised when a pipe, a device, a folder or an unwanted link has taken a file's place; `filename` names it."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(errno.EINVAL, "it isn't a regular file", str(path))

    @property
    def sentence(self) -> str:
        """The remedy for a file that frontdesk makes again."""
        return f"{self.filename} isn't a regular file; move it away and try again"


def read_own_file(path: Path, *, is_secret: bool = False) -> str:
    """Load a text file that no other user can change.

    Args:
        is_secret: whether no other user may see it either.

    Raises:
        OpenToOthers: another user can.
        OSError, UnicodeDecodeError: the file can't be loaded.
    """
    try:
        opened = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - closed below
    except OSError as error:
        leads_nowhere = error.errno in (errno.ENOENT, errno.ELOOP) and path.is_symlink()
        if leads_nowhere or isinstance(error, IsADirectoryError):
            raise OpenToOthers(_NOT_REGULAR.format(path=path)) from error
        raise
    with opened as stream:
        if os.name == "posix":
            _check_file(path, os.fstat(stream.fileno()), is_secret=is_secret)
            require_own([path])
        content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES:,} bytes", str(path))
        return content.decode()


def find_open_to_others(paths: Iterable[Path]) -> Iterator[OpenToOthers]:
    """Yield paths that another user could change: these files and folders, and existing parents and links.

    Raises:
        OSError: a link leads nowhere, or a folder can't be looked into.
    """
    if os.name != "posix":
        return
    seen: set[Path] = set()
    for path in paths:
        is_reached = path.parent in seen and not path.is_symlink()
        for step in {path} if is_reached else _steps(path):
            if step not in seen:
                seen.add(step)
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    try:
                        _check_step(step)
                    except OpenToOthers as error:
                        yield error


def require_own(paths: Iterable[Path]) -> None:
    """Require that no other user could change these files and folders, or their parents and links.

    Raises:
        OpenToOthers: another user can.
        OSError: a link leads nowhere, or a folder can't be looked into.
    """
    for fault in find_open_to_others(paths):
        raise fault


def open_regular_file(path: str | Path, flags: int) -> int:
    """Open a file as an `opener` of `open` does, without waiting, as a pipe would for its other end.

    Raises:
        NotRegularFile: the path is a pipe, a device or a folder; or a link, with `os.O_NOFOLLOW`.
        OSError: the file can't be opened.
    """
    try:
        descriptor = _open_without_waiting(path, flags)
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
            raise NotRegularFile(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularFile(path)
    return descriptor


def require_regular_file(path: Path) -> None:
    """Require that a path is free or leads to a regular file, for libraries that open it by themselves.

    Raises:
        NotRegularFile: the path is something else, or a link.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotRegularFile(path)


def _open_without_waiting(path: str | Path, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)


def _check_file(path: Path, found: os.stat_result, *, is_secret: bool) -> None:
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISREG(found.st_mode):
        raise OpenToOthers(_NOT_REGULAR.format(path=path))
    _check_owner(path, found, {os.geteuid()} if is_secret else {os.geteuid(), 0})
    if is_secret and mode & 0o077:
        raise OpenToOthers(f"{path} can be read by others; run: chmod 600 {_quoted(path)}")
    _check_writers(path, mode)


def _check_step(path: Path) -> None:
    found = path.lstat()
    _check_owner(path, found, {os.geteuid(), 0})
    # In a sticky folder, such as /tmp, nobody can rename other users' files; the mode of a link or a device means
    # nothing.
    is_sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
    if not stat.S_ISLNK(found.st_mode) and not stat.S_ISCHR(found.st_mode) and not is_sticky:
        _check_writers(path, stat.S_IMODE(found.st_mode))


def _check_owner(path: Path, found: os.stat_result, owners: set[int]) -> None:
    if found.st_uid not in owners:
        command = f'sudo chown -h "$(id -un)" {_quoted(path)}'
        raise OpenToOthers(f"{path} belongs to another user, who can change it; run: {command}")


def _check_writers(path: Path, mode: int) -> None:
    if mode & 0o022:
        raise OpenToOthers(f"{path} can be changed by others; run: chmod go-w {_quoted(path)}")


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _steps(path: Path) -> Iterator[Path]:
    """Yield a file with each folder and link that leads to it, from the home folder, or the root outside of it."""
    home = Path(os.path.expanduser("~"))
    above_home = {*home.parents, *Path(os.path.realpath(home)).parents}
    rest, links = [*reversed(path.absolute().parts)], 0
    at = Path(rest.pop())
    while True:
        if at not in above_home:
            yield at
        if not rest:
            return
        part = rest.pop()
        at = at.parent if part == ".." else at / part
        if at.is_symlink():
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            if at.parent not in above_home:
                yield at
            rest += reversed(Path(os.readlink(at)).parts)
            at = at.parent
