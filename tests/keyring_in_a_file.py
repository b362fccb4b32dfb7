"""A backend of the package keyring for tests: the entries are JSON in the file that KEYRING_FILE names."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

if TYPE_CHECKING:
    import pytest  # not while it runs: each of those processes would load it

KEYRING_VARIABLES = ("PYTHON_KEYRING_BACKEND", "PYTHONPATH", "KEYRING_FILE")


def use_keyring(folder: Path, monkeypatch: "pytest.MonkeyPatch") -> Path:
    """Make this the keyring of all processes that are started; returns the file, not yet there."""
    values = ("keyring_in_a_file.FileKeyring", str(Path(__file__).parent), str(folder / "keyring.json"))
    for name, value in zip(KEYRING_VARIABLES, values, strict=True):
        monkeypatch.setenv(name, value)
    return folder / "keyring.json"


class FileKeyring(KeyringBackend):
    """Entries by `service name`; a file that says "locked" never answers."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return self._entries().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._entries(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        entries = self._entries()
        if entries.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError
        self._write(entries)

    def _entries(self) -> dict[str, str]:
        file = Path(os.environ["KEYRING_FILE"])
        text = file.read_text() if file.exists() else "{}"
        while text == "locked":
            time.sleep(60)
        return dict(json.loads(text))

    def _write(self, entries: dict[str, str]) -> None:
        Path(os.environ["KEYRING_FILE"]).write_text(json.dumps(entries))
