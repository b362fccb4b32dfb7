"""Where frontdesk keeps its files, and how one is replaced without ever being half written.

`config.settings` and `config.credentials` use it; the names follow platformdirs, so XDG variables move them.
"""

import contextlib
import os
from pathlib import Path

APP = "frontdesk"


def config_dir() -> Path:
    """The folder of config.toml and credentials.toml."""
    import platformdirs

    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def data_root() -> Path:
    """The folder that holds a store folder for each profile."""
    import platformdirs

    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def state_dir() -> Path:
    """The folder of logs."""
    import platformdirs

    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def cache_dir() -> Path:
    """The folder of what can be made again, and only takes time."""
    import platformdirs

    return Path(platformdirs.user_cache_dir(APP, appauthor=False))


def make_private(folder: Path) -> None:
    """Makes the folder, and those above it, for this user alone; an existing one is left as it is."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def replace_file(path: Path, content: str | bytes) -> None:
    """Writes the file with mode 0600 in one step: a reader sees the old content or the new one."""
    import secrets  # brings OpenSSL, and a start writes no file

    make_private(path.parent)
    target = Path(os.path.realpath(path))  # a config that is a link into dotfiles stays a link
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
