"""The folders of frontdesk's files (platformdirs, so XDG variables move them), and safe file writes."""

import contextlib
import os
import re
from pathlib import Path

import platformdirs

from frontdesk_api.redaction import redact

APP = "frontdesk"


def config_dir() -> Path:
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def data_root() -> Path:
    """Return the folder that holds a store folder for each profile."""
    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def state_dir() -> Path:
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def make_private(folder: Path) -> None:
    """Create the folder and its missing parents for this user alone; an existing one is left unchanged."""
    missing = [each for each in folder.parents if not each.exists()]
    for each in (*reversed(missing), folder):  # mkdir(parents=True) would give parents the umask's mode
        each.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, content: str | bytes) -> None:
    """Write the file atomically, mode 0600: a reader sees the old content or the new one."""
    import secrets  # loads random, and a start writes no file

    make_private(path.parent)
    target = Path(os.path.realpath(path))  # a config that is a link into dotfiles stays a link
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def expand_path(typed: str) -> Path:
    """Expand `~`, except for an unknown user."""
    return Path(os.path.expanduser(typed))


def path_problem(typed: str) -> str:
    """Explain why no new file can be written at a path; empty if one can.

    No file is ever overwritten.
    """
    # Unlike `Path.exists`, return False for unreadable or invalid paths.
    path = os.path.expanduser(typed)
    if not typed or os.path.isdir(path):
        return "Enter a file name."
    if os.path.lexists(path):
        return "That file already exists. Choose another name."
    if not os.path.isdir(os.path.dirname(path) or "."):
        return "That folder doesn't exist."
    return ""


def file_stem(name: str, default: str) -> str:
    """Return a name with nothing but what any folder takes, for a file; `default` if none is left."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:80] or default


def free_export_path(data_folder: Path, stem: str, suffix: str) -> str:
    """Return the path of a file that isn't there yet, in a profile's folder for exports."""
    folder = data_folder / "exports"
    with contextlib.suppress(OSError):  # that the folder isn't there is said when its name is taken
        folder.mkdir(mode=0o700, exist_ok=True)
    ends = ("", *(f"-{number}" for number in range(2, 100)))
    paths = (str(folder / f"{stem}{end}{suffix}") for end in ends)
    return next((path for path in paths if not path_problem(path)), str(folder))


def write_new_file(path: Path, text: str, *, is_private: bool = False) -> None:
    """Write a new file, without credentials that the platform may have put into its text.

    Args:
        is_private: whether the file is for this user alone, since it contains people's numbers.

    Raises:
        OSError: the file exists, or can't be written.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_private else 0o666)
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(redact(text))
